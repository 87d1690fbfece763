/**
 * What the market store keeps, as data: a store is generic over these definitions, and knows nothing else of a kind.
 */

/**
 * How the values of one column make that of a longer interval: the first, last, highest or lowest one, or all added up
 * in their order. Of `max`, `min` and `sum` there is none where one of them is null.
 */
export type Fold = "first" | "last" | "max" | "min" | "sum"

/** What is forgotten at once, in UTC: a kind of few rows is kept by the year. */
export type Span = "month" | "year"

/** Named numbers, each of which may be unknown. */
export type Values<Column extends string> = { readonly [C in Column]: number | null }

/** Points by subject and time: at most one of a subject at an instant. */
export interface PointsKind<Column extends string = string> {
  readonly shape: "points"
  readonly name: string
  readonly span: Span
  readonly columns: { readonly [C in Column]: Fold }
}

/** Events by id, each with its time, its subjects, numbers, a label, and a document where the kind has one. */
export interface EventsKind<Column extends string = string> {
  readonly shape: "events"
  readonly name: string
  readonly span: Span
  readonly columns: ReadonlyArray<Column>
  /** True where labels are few (a side), and tallies are told of each; else they count how many there are (authors). */
  readonly byLabel: boolean
}

/** The newest document by key. */
export interface DocumentsKind {
  readonly shape: "documents"
  readonly name: string
}

const points = <Column extends string>(
  name: string,
  span: Span,
  columns: { readonly [C in Column]: Fold }
): PointsKind<Column> => ({ shape: "points", name, span, columns })

const events = <Column extends string>(
  name: string,
  byLabel: boolean,
  columns: ReadonlyArray<Column>
): EventsKind<Column> => ({ shape: "events", name, span: "month", columns, byLabel })

const document = (name: string): DocumentsKind => ({ shape: "documents", name })

const bars = {
  open: "first",
  high: "max",
  low: "min",
  close: "last",
  volume: "sum",
  quoteVolume: "sum"
} as const satisfies Record<
  string,
  Fold
>

export const pointsKinds = {
  /** Closed 5-minute candles by coin, USD; `time` is the opening instant. */
  candles: points("candles", "month", { ...bars, takerBuyVolume: "sum" }),
  /** Prices by coin as they were sampled, USD: one a minute or so, `time` the instant that it is of. */
  prices: points("prices", "month", { price: "last" }),
  /** The perpetual's record by coin, every five minutes; `time` is the instant that it was polled for. */
  perpetuals: points("perpetuals", "month", {
    fundingRate: "last",
    fundingIntervalHours: "last",
    openInterest: "last",
    openInterestUsd: "last",
    longShortRatio: "last",
    markPrice: "last",
    indexPrice: "last"
  }),
  /** Settled funding payments by coin, as the venue stamped them. */
  fundingPrints: points("fundingPrints", "year", { fundingRate: "last", intervalHours: "last" }),
  /** Taker volume by coin in whole buckets of five minutes, USD; `time` is the bucket's beginning. */
  takerFlow: points("takerFlow", "month", { buyUsd: "sum", sellUsd: "sum" }),
  /** KRW markets by `exchange:COIN`; `usdtPrice` of the same coin abroad. */
  krwMarkets: points("krwMarkets", "month", {
    krwPrice: "last",
    usdtPrice: "last",
    change24hPct: "last",
    volume24hKrw: "last"
  }),
  /** Exchange rates by pair (`usd_krw`, `usdt_krw`); `time` is when the rate was quoted. */
  fxRates: points("fxRates", "month", { rate: "last" }),
  /** Implied volatility by `COIN:method:maturityDays`, percent a year. */
  impliedVolatilities: points("impliedVolatilities", "year", { ivPct: "last" }),
  /** Market capitalisations by coin, and of the whole market under `total`. */
  marketCaps: points("marketCaps", "month", { marketCapUsd: "last", circulatingSupply: "last", volume24hUsd: "last" }),
  /** DEX trades by coin in whole buckets; `time` is the bucket's beginning. */
  dexActivity: points("dexActivity", "month", { buyUsd: "sum", sellUsd: "sum", trades: "sum" }),
  /** Sessions of stocks (`US:AAPL`) and indices (`index:SPX`), as traded; `time` is the session's opening. */
  equityDays: points("equityDays", "year", { ...bars, previousClose: "first", closedAt: "last" }),
  /** Prices of stocks and indices as they were sampled in regular sessions. */
  equityPrices: points("equityPrices", "month", { price: "last", volume: "last", turnover: "last" })
} as const

export const eventsKinds = {
  /** Positions closed by force, of one coin each, by `venue:COIN`; the label is the side, `long` or `short`. */
  liquidations: events("liquidations", true, ["price", "sizeUsd"]),
  /** Posts about coins; the label is the author, the document all else. */
  posts: events("posts", false, ["sentiment"]),
  /** Articles, about coins, symbols or none; the label is the publisher, the document all else. */
  articles: events("articles", false, ["sentiment"])
} as const

export const documentsKinds = {
  /** A coin's facts, by coin. */
  coins: document("coins"),
  /** KRW markets that opened and closed, by `exchange:COIN:opening`. */
  krwListings: document("krwListings"),
  /** KRW markets as their exchanges told them last, by `exchange:COIN`. */
  krwTickers: document("krwTickers"),
  /** Spot order books, by coin. */
  orderBooks: document("orderBooks"),
  /** A coin's dated futures, funding and open interest on one venue, by `venue:COIN`. */
  futures: document("futures"),
  venueFunding: document("venueFunding"),
  venueOpenInterest: document("venueOpenInterest"),
  /** A coin's ticker as its venue tells it, by coin. */
  tickers: document("tickers"),
  /** Stocks and indices with their last quote, by `US:AAPL` and `index:SPX`. */
  equityQuotes: document("equityQuotes"),
  /** How sources do that could not be asked, as who leads them tells those that do not, by source. */
  sourceStates: document("sourceStates"),
  /** What was derived of the newest hour. */
  derivations: document("derivations"),
  /** How far what is derived was computed again, by what is computed. */
  recomputations: document("recomputations")
} as const

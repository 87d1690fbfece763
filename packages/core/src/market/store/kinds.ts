/** The kinds of data in the market store, which knows nothing else about a kind. */

/**
 * The rule that aggregates the values of a column for a longer interval: the first, last, highest or lowest value, or
 * the sum in order. `max`, `min` and `sum` are null if one of the values is null.
 */
export type Fold = "first" | "last" | "max" | "min" | "sum"

/** The period that is deleted as a unit, in UTC: years for kinds with few rows. */
export type StoragePeriod = "month" | "year"

/** Named numbers, each of which may be unknown (null). */
export type Values<Column extends string> = { readonly [C in Column]: number | null }

/** A kind of points, which are stored by subject and time: at most one point per subject and time. */
export interface PointsKind<Column extends string = string> {
  readonly shape: "points"
  readonly name: string
  readonly period: StoragePeriod
  readonly columns: { readonly [C in Column]: Fold }
}

/** A kind of events, which are stored by id, each with a time, subjects, numbers, a label, and a document or null. */
export interface EventsKind<Column extends string = string> {
  readonly shape: "events"
  readonly name: string
  readonly period: StoragePeriod
  readonly columns: ReadonlyArray<Column>
  /** Whether tallies are made per label, such as a side, or else count the distinct labels. */
  readonly isTalliedByLabel: boolean
}

/** A kind of documents, which are stored by key, and of which only the newest document of a key is kept. */
export interface DocumentsKind {
  readonly shape: "documents"
  readonly name: string
}

const pointsKind = <Column extends string>(
  name: string,
  period: StoragePeriod,
  columns: { readonly [C in Column]: Fold }
): PointsKind<Column> => ({ shape: "points", name, period, columns })

const eventsKind = <Column extends string>(
  name: string,
  isTalliedByLabel: boolean,
  columns: ReadonlyArray<Column>
): EventsKind<Column> => ({ shape: "events", name, period: "month", columns, isTalliedByLabel })

const documentsKind = (name: string): DocumentsKind => ({ shape: "documents", name })

const ohlcvColumns = {
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
  /** Closed 5-minute candles by coin and opening time, in USD. */
  candles: pointsKind("candles", "month", { ...ohlcvColumns, takerBuyVolume: "sum" }),
  /** Sampled prices by coin, in USD: about one price per minute. */
  prices: pointsKind("prices", "month", { price: "last" }),
  /** Records of perpetuals by coin and the time for which the record was polled, every five minutes. */
  perpetuals: pointsKind("perpetuals", "month", {
    fundingRate: "last",
    fundingIntervalHours: "last",
    openInterest: "last",
    openInterestUsd: "last",
    longShortRatio: "last",
    markPrice: "last",
    indexPrice: "last"
  }),
  /** Settled funding payments by coin, with the venue's timestamps. */
  fundingPrints: pointsKind("fundingPrints", "year", { fundingRate: "last", intervalHours: "last" }),
  /** Taker volume by coin and the start of complete buckets of five minutes, in USD. */
  takerFlow: pointsKind("takerFlow", "month", { buyUsd: "sum", sellUsd: "sum" }),
  /** KRW markets by `exchange:COIN`, with the price of the coin outside Korea in USDT. */
  krwMarkets: pointsKind("krwMarkets", "month", {
    krwPrice: "last",
    usdtPrice: "last",
    change24hPct: "last",
    volume24hKrw: "last"
  }),
  /** Exchange rates by pair (`usd_krw`, `usdt_krw`) and time of the quote. */
  fxRates: pointsKind("fxRates", "month", { rate: "last" }),
  /** Implied volatility by `COIN:method:maturityDays`, in percent per year. */
  impliedVolatilities: pointsKind("impliedVolatilities", "year", { ivPct: "last" }),
  /** Market capitalisations by coin, or `total` for the whole market. */
  marketCaps: pointsKind("marketCaps", "month", {
    marketCapUsd: "last",
    circulatingSupply: "last",
    volume24hUsd: "last"
  }),
  /** DEX trades by coin and the start of complete buckets. */
  dexActivity: pointsKind("dexActivity", "month", { buyUsd: "sum", sellUsd: "sum", trades: "sum" }),
  /** Sessions of stocks (`US:AAPL`) and indices (`index:SPX`), by the opening time of the session, not adjusted. */
  equityDays: pointsKind("equityDays", "year", { ...ohlcvColumns, previousClose: "first", closedAt: "last" }),
  /** Prices of stocks and indices, sampled in regular sessions. */
  equityPrices: pointsKind("equityPrices", "month", { price: "last", volume: "last", turnover: "last" })
} as const

export const eventsKinds = {
  /** Liquidations of positions by `venue:COIN`, labelled with the side, `long` or `short`. */
  liquidations: eventsKind("liquidations", true, ["price", "sizeUsd"]),
  /** Posts about coins, labelled with the author, with all other fields in the document. */
  posts: eventsKind("posts", false, ["sentiment"]),
  /** Articles about coins, symbols or neither, labelled with the publisher, with all other fields in the document. */
  articles: eventsKind("articles", false, ["sentiment"])
} as const

export const documentsKinds = {
  coins: documentsKind("coins"),
  /** KRW markets that opened and closed, by `exchange:COIN:opening`. */
  krwListings: documentsKind("krwListings"),
  /** The last reported state of KRW markets, by `exchange:COIN`. */
  krwTickers: documentsKind("krwTickers"),
  orderBooks: documentsKind("orderBooks"),
  /** A coin's dated futures on one venue, by `venue:COIN`. */
  futures: documentsKind("futures"),
  venueFunding: documentsKind("venueFunding"),
  venueOpenInterest: documentsKind("venueOpenInterest"),
  tickers: documentsKind("tickers"),
  /** Stocks and indices with their last quote, by `US:AAPL` and `index:SPX`. */
  equityQuotes: documentsKind("equityQuotes"),
  /** The states of unavailable sources, by source, which the leader of a source publishes for the other processes. */
  sourceStates: documentsKind("sourceStates"),
  /** The values that were derived for the newest hour. */
  derivations: documentsKind("derivations"),
  /** The progress of recomputations of derived data. */
  recomputations: documentsKind("recomputations")
} as const

/** The definitions of the kinds of data in the market store. */

/**
 * The rule that combines the values of a column when points are aggregated to a longer step. If one of the values is
 * null, `max`, `min` and `sum` return null.
 */
export type Fold = "first" | "last" | "max" | "min" | "sum"

/**
 * The length of the UTC periods by which data is deleted. Kinds with few rows use years, and the other kinds use
 * months.
 */
export type StoragePeriod = "month" | "year"

/** Numbers by column name. An unknown number is null. */
export type Values<Column extends string> = { readonly [C in Column]: number | null }

/** Defines a kind of points. The store keeps at most one point per subject and time. */
export interface PointsKind<Column extends string = string> {
  readonly shape: "points"
  readonly name: string
  readonly period: StoragePeriod
  readonly columns: { readonly [C in Column]: Fold }
}

/**
 * Defines a kind of events. An event has an id, a time, subjects, numbers, an optional label and an optional document.
 */
export interface EventsKind<Column extends string = string> {
  readonly shape: "events"
  readonly name: string
  readonly period: StoragePeriod
  readonly columns: ReadonlyArray<Column>
  /** Whether events are counted separately for each label, such as a side, or all together. */
  readonly isTalliedByLabel: boolean
}

/** A kind of documents, which are stored by key. Only the newest document of each key is kept. */
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
  /** The state of each coin's perpetual, polled every five minutes. */
  perpetuals: pointsKind("perpetuals", "month", {
    fundingRate: "last",
    fundingIntervalHours: "last",
    openInterest: "last",
    openInterestUsd: "last",
    longShortRatio: "last",
    markPrice: "last",
    indexPrice: "last"
  }),
  /** Settled funding payments by coin. The time of a payment is the venue's timestamp. */
  fundingPrints: pointsKind("fundingPrints", "year", { fundingRate: "last", intervalHours: "last" }),
  /** Taker volume in USD by coin, in complete buckets of five minutes. */
  takerFlow: pointsKind("takerFlow", "month", { buyUsd: "sum", sellUsd: "sum" }),
  /** KRW markets by `exchange:COIN`. `usdtPrice` is the price of the coin outside Korea. */
  krwMarkets: pointsKind("krwMarkets", "month", {
    krwPrice: "last",
    usdtPrice: "last",
    change24hPct: "last",
    volume24hKrw: "last"
  }),
  /** Exchange rates by pair (`usd_krw`, `usdt_krw`) and time of the quote. */
  fxRates: pointsKind("fxRates", "month", { rate: "last" }),
  /** Implied volatility in percent per year, by `COIN:method:maturityDays`. */
  impliedVolatilities: pointsKind("impliedVolatilities", "year", { ivPct: "last" }),
  /** Market capitalisations by coin. The subject `total` is the whole market. */
  marketCaps: pointsKind("marketCaps", "month", {
    marketCapUsd: "last",
    circulatingSupply: "last",
    volume24hUsd: "last"
  }),
  /** DEX trades by coin, in complete buckets. */
  dexActivity: pointsKind("dexActivity", "month", { buyUsd: "sum", sellUsd: "sum", trades: "sum" }),
  /**
   * Daily sessions of stocks (`US:AAPL`) and indices (`index:SPX`), by the session's opening time. Prices are not
   * adjusted for splits and dividends.
   */
  equityDays: pointsKind("equityDays", "year", { ...ohlcvColumns, previousClose: "first", closedAt: "last" }),
  /** Prices of stocks and indices, sampled in regular sessions. */
  equityPrices: pointsKind("equityPrices", "month", { price: "last", volume: "last", turnover: "last" })
} as const

export const eventsKinds = {
  /** Liquidations of positions by `venue:COIN`, labelled with the side, `long` or `short`. */
  liquidations: eventsKind("liquidations", true, ["price", "sizeUsd"]),
  /** Posts about coins. The label is the author, and the document contains all other fields. */
  posts: eventsKind("posts", false, ["sentiment"]),
  /**
   * Articles about coins, symbols or other subjects. An article's label is its publisher. The article's document
   * contains all other fields.
   */
  articles: eventsKind("articles", false, ["sentiment"])
} as const

export const documentsKinds = {
  coins: documentsKind("coins"),
  /** KRW markets that exchanges opened or closed. A key has the form `exchange:COIN:opening`. */
  krwListings: documentsKind("krwListings"),
  /** The last reported state of KRW markets, by `exchange:COIN`. */
  krwTickers: documentsKind("krwTickers"),
  orderBooks: documentsKind("orderBooks"),
  /** A coin's dated futures on one venue, by `venue:COIN`. */
  futures: documentsKind("futures"),
  venueFunding: documentsKind("venueFunding"),
  venueOpenInterest: documentsKind("venueOpenInterest"),
  tickers: documentsKind("tickers"),
  /** Stocks and indices with their last quote, by keys such as `US:AAPL` and `index:SPX`. */
  equityQuotes: documentsKind("equityQuotes"),
  /**
   * The states of unavailable sources, by source. The leader of a source publishes its state for the other processes.
   */
  sourceStates: documentsKind("sourceStates"),
  /** The newest hour's derived values. */
  derivations: documentsKind("derivations"),
  /** The progress of recomputing derived data. */
  recomputations: documentsKind("recomputations")
} as const

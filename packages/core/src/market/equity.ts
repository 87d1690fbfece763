/**
 * Equities: quotes, fundamentals, earnings, ratings, insiders, filings, investor flows, market summaries.
 *
 * Money is in the stock's own currency unless a name ends in `Usd` or `Krw`. Percentages end in `Pct`.
 */
import type { Candle } from "./candle.ts"
import type { EquityCountry, EquityExchange } from "./instrument.ts"

/**
 * `pre` and `post` are hours outside the regular session in which a stock trades: in the US, and since March 2025 on a
 * second venue in Korea. A market that has none is `regular` or `closed`.
 */
export type SessionState = "pre" | "regular" | "post" | "closed"

/** A price of the hours before or after a regular session. */
export interface ExtendedPrice {
  readonly session: "pre" | "post"
  readonly time: number
  readonly price: number
}

export interface StockQuote {
  readonly symbol: string
  readonly name: string
  readonly exchange: EquityExchange
  readonly sector: string | null
  /** Instant of the last trade of a regular session: in a closed one, that of the last close. */
  readonly time: number
  readonly price: number
  /** The previous session's close, adjusted for splits since; null in a listing's first session, or where not told. */
  readonly previousClose: number | null
  /** `100 (price / previousClose - 1)`; null without a previous close. */
  readonly changePct: number | null
  /** Shares traded in the session that `time` belongs to, and their value; null where no source tells. */
  readonly volume: number
  readonly turnover: number | null
  /** Price times shares outstanding; null where no source tells. */
  readonly marketCap: number | null
  /** Earnings of the last four reported quarters a share of now, in the stock's currency; null where not told. */
  readonly eps: number | null
  /** Price over `eps`; null when that is not above 0, or not told. */
  readonly pe: number | null
  /** Book value a share of now; null where not told. */
  readonly bookValue: number | null
  /** Price over `bookValue`; null when that is not above 0, or not told. */
  readonly pb: number | null
  /** Lowest and highest price of the last 52 weeks or since the listing, adjusted for splits; null where not told. */
  readonly low52w: number | null
  readonly high52w: number | null
  readonly session: SessionState
  /** The newest price outside the regular session since it ended; null without one. */
  readonly extended: ExtendedPrice | null
  /** Share of the company held by foreigners; only Korean stocks, and null where no source tells. */
  readonly foreignSharePct: number | null
}

export interface IndexQuote {
  readonly index: string
  readonly name: string
  readonly country: EquityCountry
  readonly time: number
  readonly value: number
  readonly previousClose: number
  readonly changePct: number
}

export interface Split {
  /** First instant that trades at the new price. */
  readonly time: number
  /** New shares for one old share: 4 for a four-for-one split. */
  readonly ratio: number
}

export interface Dividend {
  /** First instant that trades without the dividend (ex-date's open). */
  readonly time: number
  /** Per share at the time. */
  readonly amount: number
}

export interface EquityHistory {
  /**
   * `time` is the opening instant of the bar within its session: a day's bar opens with the session, a
   * week's with the first session of the week; the last bar of a session may be shorter.
   */
  readonly candles: ReadonlyArray<Candle>
  /**
   * True when prices before a split or dividend are scaled to be comparable with today's, volumes inversely for splits.
   */
  readonly adjusted: boolean
  /** Those that fall in the series, oldest first. */
  readonly splits: ReadonlyArray<Split>
  readonly dividends: ReadonlyArray<Dividend>
}

/** A stock's price at an instant, as traded. */
export interface StockPrice {
  readonly symbol: string
  /** The instant of the trade. */
  readonly time: number
  readonly price: number
}

/** How a stock ended a session, as traded. */
export interface SessionClose {
  readonly symbol: string
  /** The session's closing instant. */
  readonly time: number
  readonly close: number
  /** Of the session before, adjusted for splits since; null in the first one. */
  readonly previousClose: number | null
}

/** One fiscal period's statements; null is a figure that the company does not state, or the source does not tell. */
export interface FinancialPeriod {
  /** `2025` or `2025Q4`. */
  readonly period: string
  /** Last day of the period. */
  readonly endAt: number
  readonly reportedAt: number
  readonly revenue: number | null
  readonly grossProfit: number | null
  readonly operatingIncome: number | null
  readonly netIncome: number | null
  /** Diluted earnings a share. */
  readonly eps: number | null
  readonly totalAssets: number | null
  readonly totalLiabilities: number | null
  readonly equity: number | null
  readonly cash: number | null
  readonly totalDebt: number | null
  readonly operatingCashFlow: number | null
  readonly capitalExpenditure: number | null
  readonly freeCashFlow: number | null
}

export interface Fundamentals {
  readonly symbol: string
  readonly currency: string
  /** The last four of each, oldest first, only those reported by now. */
  readonly years: ReadonlyArray<FinancialPeriod>
  readonly quarters: ReadonlyArray<FinancialPeriod>
  /**
   * Over the last four quarters where a flow is meant; null when a denominator is not above 0, or a figure is not told.
   */
  readonly ratios: {
    readonly pe: number | null
    readonly pb: number | null
    readonly ps: number | null
    readonly evToEbit: number | null
    readonly grossMarginPct: number | null
    readonly operatingMarginPct: number | null
    readonly netMarginPct: number | null
    readonly roePct: number | null
    readonly debtToEquity: number | null
    readonly dividendYieldPct: number | null
  }
}

export interface EarningsEvent {
  readonly symbol: string
  readonly name: string
  readonly period: string
  /** Local date of the announcement, `YYYY-MM-DD`: expected, or past. */
  readonly date: string
  /** Instant of the announcement, and where in the day; null where only the date is known. */
  readonly time: number | null
  readonly when: "before_open" | "in_session" | "after_close" | null
  /** Consensus estimate of diluted earnings a share; null where nobody gives one. */
  readonly epsEstimate: number | null
  /** Null while it is still to come. */
  readonly eps: number | null
  /** The first session's close against the last close before the announcement; null until it is known. */
  readonly movePct: number | null
}

export interface EarningsReport {
  /** Within the days asked for, soonest first. */
  readonly upcoming: ReadonlyArray<EarningsEvent>
  /** Of the symbol, the last eight, oldest first; empty without a symbol. */
  readonly history: ReadonlyArray<EarningsEvent>
}

export type RatingGrade = "strong_buy" | "buy" | "hold" | "sell" | "strong_sell"

export interface RatingChange {
  readonly time: number
  readonly firm: string
  readonly from: RatingGrade | null
  readonly to: RatingGrade
  /** Null where none was published with the grade. */
  readonly target: number | null
}

/** One of some stock. */
export interface StockRatingChange extends RatingChange {
  readonly symbol: string
}

export interface AnalystRatings {
  readonly symbol: string
  readonly time: number
  /** Number of analysts by grade. */
  readonly counts: Readonly<Record<RatingGrade, number>>
  /** Null while nobody publishes one. */
  readonly target: { readonly mean: number; readonly low: number; readonly high: number } | null
  /** Of the last 180 days, oldest first. */
  readonly changes: ReadonlyArray<RatingChange>
}

/** What an insider did: dealt in the market, was granted shares, exercised options, gave away, or something else. */
export type InsiderTradeKind = "buy" | "sell" | "grant" | "exercise" | "gift" | "other"

export interface InsiderTrade {
  /** Day of the trade, and when it was made known. */
  readonly time: number
  readonly filedAt: number
  readonly name: string
  readonly role: string
  readonly kind: InsiderTradeKind
  readonly shares: number
  /** Null where none was paid (grants, gifts), or none is told. */
  readonly price: number | null
}

export interface Filing {
  /** Local date, `YYYY-MM-DD`, and the instant; null where the source gives the date alone. */
  readonly date: string
  readonly time: number | null
  readonly symbol: string
  readonly company: string
  readonly title: string
  readonly url: string
  /** `earnings`, `ownership`, `capital`, `contract`, `governance`, `other`. */
  readonly kind: string
}

/**
 * Net buying of one session by kind of investor: null where the source does not tell of a kind. The four add up to 0,
 * but for the source's rounding (to a million won each).
 */
export interface InvestorFlow {
  /** Opening instant of the session. */
  readonly time: number
  readonly foreignKrw: number | null
  readonly institutionKrw: number | null
  readonly retailKrw: number | null
  /** Everybody else: corporations that are no institutions, and foreigners that reside in Korea. */
  readonly otherKrw: number | null
  /** True while the exchange may still correct it: on the evening of its session. */
  readonly provisional: boolean
}

export interface SectorMove {
  readonly sector: string
  /** Weighted by capitalisation. */
  readonly changePct: number
}

/** A country's stock market now. */
export interface EquityMarketSummary {
  readonly country: EquityCountry
  /** Of the last trade in a regular session; futures have times of their own. */
  readonly time: number
  readonly session: SessionState
  readonly indices: ReadonlyArray<IndexQuote>
  /** Of stocks with a previous close. */
  readonly breadth: { readonly advancing: number; readonly declining: number; readonly unchanged: number }
  /** Best first. */
  readonly sectors: ReadonlyArray<SectorMove>
  /** Index futures, each as of its own last trade: they trade while the cash market sleeps, and rest at weekends. */
  readonly futures: ReadonlyArray<IndexQuote>
  /** Net buying by foreigners in the current or last session, KRW; null for the US, and where no source tells. */
  readonly foreignNetKrw: number | null
}

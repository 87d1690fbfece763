/**
 * Equities: quotes, fundamentals, earnings, ratings, insider trades, filings, investor flows, market summaries.
 *
 * Money is in the stock's own currency unless a field name ends in `Usd` or `Krw`. Names of percentages end in `Pct`. A
 * value that no source reports is null.
 */
import type { Candle } from "./candle.ts"
import type { EquityCountry, EquityExchange } from "./instrument.ts"

/**
 * The state of a stock market. `pre` and `post` are trading hours outside the regular session. US markets have extended
 * hours. Korea has had a second venue with extended hours since March 2025. A market without extended hours is only
 * `regular` or `closed`.
 */
export type SessionState = "pre" | "regular" | "post" | "closed"

/** A price from the hours before or after a regular session. */
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
  /**
   * The time of the last trade in a regular session. Outside of regular sessions, `time` is the time of the last close.
   */
  readonly time: number
  readonly price: number
  /** The close of the previous session, adjusted for later splits; null in the first session of a listing. */
  readonly previousClose: number | null
  /** The price change in percent, `100 (price / previousClose - 1)`; null without a previous close. */
  readonly changePct: number | null
  /** The number of shares traded in the current or last session. */
  readonly volume: number
  readonly turnover: number | null
  readonly marketCap: number | null
  /** The earnings per current share over the last four reported quarters, in the stock's currency. */
  readonly eps: number | null
  /** The price divided by `eps`; null unless `eps` is above 0. */
  readonly pe: number | null
  readonly bookValue: number | null
  /** The price divided by the book value per current share; null unless `bookValue` is above 0. */
  readonly pb: number | null
  /** The lowest price of the last 52 weeks or since the listing, adjusted for splits. */
  readonly low52w: number | null
  readonly high52w: number | null
  readonly session: SessionState
  /** The newest price after the last regular session ended; null if there is no such price. */
  readonly extended: ExtendedPrice | null
  /** The percentage of the company that foreigners hold; null for US stocks. */
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
  /** The first time at which the stock trades at its price after the split. */
  readonly time: number
  /** The number of new shares per old share: 4 for a four-for-one split. */
  readonly ratio: number
}

export interface Dividend {
  /** The first time at which the stock trades without the dividend (the open of the ex-date). */
  readonly time: number
  /** The dividend per share, not adjusted for splits after `time`. */
  readonly amount: number
}

export interface EquityHistory {
  /**
   * The bars of the series. The `time` of a bar is the opening time of the bar. A weekly bar opens with the first
   * session of the week. The last bar of a session may be shorter.
   */
  readonly candles: ReadonlyArray<Candle>
  /** Whether prices are adjusted for splits and dividends, and volumes for splits. */
  readonly adjusted: boolean
  /** The splits within the series, oldest first. */
  readonly splits: ReadonlyArray<Split>
  readonly dividends: ReadonlyArray<Dividend>
}

/** A stock's price at one time, not adjusted for splits and dividends. */
export interface StockPrice {
  readonly symbol: string
  readonly time: number
  readonly price: number
}

/** The closing price of a stock's session, not adjusted for splits and dividends. */
export interface SessionClose {
  readonly symbol: string
  readonly time: number
  readonly close: number
  /** The close of the previous session, adjusted for later splits; null in the stock's first session. */
  readonly previousClose: number | null
}

/** The financial statements of one fiscal period. A figure that the company does not publish is null. */
export interface FinancialPeriod {
  readonly period: string
  readonly endAt: number
  readonly reportedAt: number
  readonly revenue: number | null
  readonly grossProfit: number | null
  readonly operatingIncome: number | null
  readonly netIncome: number | null
  /** The diluted earnings per share. */
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
  /** The last four reported fiscal years, oldest first. */
  readonly years: ReadonlyArray<FinancialPeriod>
  readonly quarters: ReadonlyArray<FinancialPeriod>
  /**
   * Valuation and profitability ratios over the last four quarters. A ratio is null unless its denominator is above 0.
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
  /** The local date of the announcement, `YYYY-MM-DD`, expected or past. */
  readonly date: string
  /** The time of the announcement; null if only the date is known. */
  readonly time: number | null
  readonly when: "before_open" | "in_session" | "after_close" | null
  /** The consensus estimate of diluted earnings per share. */
  readonly epsEstimate: number | null
  /** The announced earnings per share; null before the announcement. */
  readonly eps: number | null
  /**
   * The price change from the last close before the announcement to the close of the next session; null before that
   * close.
   */
  readonly movePct: number | null
}

export interface EarningsReport {
  /** The announcements within the requested days, soonest first. */
  readonly upcoming: ReadonlyArray<EarningsEvent>
  /** The symbol's last eight announcements, oldest first; empty if no symbol was requested. */
  readonly history: ReadonlyArray<EarningsEvent>
}

export type RatingGrade = "strong_buy" | "buy" | "hold" | "sell" | "strong_sell"

export interface RatingChange {
  readonly time: number
  readonly firm: string
  readonly from: RatingGrade | null
  readonly to: RatingGrade
  /** The analyst's price target, if one was published with the grade. */
  readonly target: number | null
}

/** A rating change in a list of many stocks, with the stock's symbol. */
export interface StockRatingChange extends RatingChange {
  readonly symbol: string
}

export interface AnalystRatings {
  readonly symbol: string
  readonly time: number
  readonly counts: Readonly<Record<RatingGrade, number>>
  readonly target: { readonly mean: number; readonly low: number; readonly high: number } | null
  /** The rating changes of the last 180 days, oldest first. */
  readonly changes: ReadonlyArray<RatingChange>
}

/** The kind of an insider's trade: a market purchase or sale, a grant, an exercise of options, a gift, or other. */
export type InsiderTradeKind = "buy" | "sell" | "grant" | "exercise" | "gift" | "other"

export interface InsiderTrade {
  /** The day of the insider's trade. `filedAt` is the time at which the trade was published. */
  readonly time: number
  readonly filedAt: number
  readonly name: string
  readonly role: string
  readonly kind: InsiderTradeKind
  readonly shares: number
  /** The price per share; null if no price was paid (grants, gifts) or no price is reported. */
  readonly price: number | null
}

export interface Filing {
  /** The local date of the filing, `YYYY-MM-DD`; `time` is null if the source publishes only the date. */
  readonly date: string
  readonly time: number | null
  readonly symbol: string
  readonly company: string
  readonly title: string
  readonly url: string
  /** The kind of the filing, one of `earnings`, `ownership`, `capital`, `contract`, `governance`, `other`. */
  readonly kind: string
}

/**
 * The net buying in one session by kind of investor. A value that the source does not report is null. The four values
 * add up to 0, apart from the source's rounding to a million won.
 */
export interface InvestorFlow {
  readonly time: number
  readonly foreignKrw: number | null
  readonly institutionKrw: number | null
  readonly retailKrw: number | null
  /** The net buying of corporations that are not institutions, and of foreigners who reside in Korea. */
  readonly otherKrw: number | null
  /** Whether the exchange may still correct the values, as on the evening of the session. */
  readonly provisional: boolean
}

export interface SectorMove {
  readonly sector: string
  /** The price change of the sector in percent, weighted by market capitalisation. */
  readonly changePct: number
}

/** The current stock market of a country. */
export interface EquityMarketSummary {
  readonly country: EquityCountry
  /** The time of the last trade in a regular session. Each of the `futures` has its own time. */
  readonly time: number
  readonly session: SessionState
  readonly indices: ReadonlyArray<IndexQuote>
  /** The numbers of advancing, declining and unchanged stocks. Stocks without a previous close are not counted. */
  readonly breadth: { readonly advancing: number; readonly declining: number; readonly unchanged: number }
  readonly sectors: ReadonlyArray<SectorMove>
  /** The index futures. Each future has the time of its own last trade, even while the stock market is closed. */
  readonly futures: ReadonlyArray<IndexQuote>
  /** The net buying by foreigners in the current or last session, in KRW; null for the US. */
  readonly foreignNetKrw: number | null
}

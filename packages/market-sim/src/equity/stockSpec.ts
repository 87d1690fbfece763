/**
 * The facts of a stock that the simulation starts from.
 */
import type { EquityCountry, EquityCurrency, EquityExchange } from "@tapeline/core/market"

/** A stock in a table: price in 2026, deviation of a day in percent, share of the variance that is the market's. */
export type StockRow = readonly [
  symbol: string,
  name: string,
  exchange: EquityExchange,
  sector: string,
  price: number,
  sharesMillions: number,
  dailySdPct: number,
  marketShare: number,
  /** First and last date on which it traded, where that is within the simulated years: from, or from and to. */
  lifetime?: readonly [from: string | null, to: string | null]
]

export interface StockSpec {
  readonly symbol: string
  readonly name: string
  readonly koreanName: string
  readonly country: EquityCountry
  readonly exchange: EquityExchange
  readonly currency: EquityCurrency
  readonly sector: string
  readonly price: number
  readonly shares: number
  readonly dailySd: number
  readonly marketShare: number
  /** Dates of its first and its last session; null where it trades longer than the simulated years. */
  readonly firstDay: string | null
  readonly lastDay: string | null
}

/** The facts of a stock on which the simulation is based. */
import type { EquityCountry, EquityCurrency, EquityExchange } from "@tapeline/core/market"

/** A stock in a table: price in 2026, daily standard deviation in percent, and the market's share of the variance. */
export type StockRow = readonly [
  symbol: string,
  name: string,
  exchange: EquityExchange,
  sector: string,
  price: number,
  sharesMillions: number,
  dailySdPct: number,
  marketShare: number,
  /** The first and the last trading date, if they are within the simulated years. Otherwise null or missing. */
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
  /** The dates of its first and its last session. Null if it is traded before or after the simulated years. */
  readonly firstDay: string | null
  readonly lastDay: string | null
}

/** The facts of a stock from which the simulation starts. */
import type { EquityCountry, EquityCurrency, EquityExchange } from "@tapeline/core/market"

/**
 * A row of the stock table, with values of 2026. `dailySdPct` is a standard deviation in percent, and `marketShare` is
 * the market's share of the variance.
 */
export type StockRow = readonly [
  symbol: string,
  name: string,
  exchange: EquityExchange,
  sector: string,
  price: number,
  sharesMillions: number,
  dailySdPct: number,
  marketShare: number,
  /**
   * The first and the last trading date within the simulated years. A date is null or missing if the stock trades
   * before or after the simulated years.
   */
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
  /**
   * The dates of the first and the last session. The value is null if the stock trades before or after the simulated
   * years.
   */
  readonly firstDay: string | null
  readonly lastDay: string | null
}

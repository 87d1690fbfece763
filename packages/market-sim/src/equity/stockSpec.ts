import type { EquityCountry, EquityCurrency, EquityExchange } from "@tapeline/core/market"

/**
 * A row of the stock table, with values of 2026. `marketShare` is the fraction of the price variance that moves of the
 * whole market cause.
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
  /** The first and the last trading date of a stock, or null if a date is outside the simulated years. */
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
  /** The date of the first session, or null if the first session is before the simulated years. */
  readonly firstDay: string | null
  readonly lastDay: string | null
}

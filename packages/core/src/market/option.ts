/**
 * Listed options. Prices in USD per unit of the underlying (venues that quote in coin are converted).
 */

export type OptionType = "call" | "put"

export interface OptionQuote {
  /** The venue's name of it: `BTC-27NOV26-90000-C`. */
  readonly instrument: string
  readonly type: OptionType
  readonly strike: number
  /** Best prices; null when that side of the book is empty. */
  readonly bid: number | null
  readonly ask: number | null
  readonly mark: number
  /**
   * Implied volatility of the mark, percent a year (act/365, Black-76 on the expiry's forward); null without a
   * forward, or where no volatility gives the mark.
   */
  readonly ivPct: number | null
  /** In units of the underlying (contracts times multiplier). */
  readonly openInterest: number
  readonly volume24h: number
}

export interface OptionExpiry {
  readonly expiryAt: number
  /**
   * Price of the expiry's own forward, USD: as the venue gives it (coins), or by put-call parity of its quotes
   * (stocks); null where no strike has both.
   */
  readonly forward: number | null
  /** Ascending by strike, calls before puts at the same strike. */
  readonly quotes: ReadonlyArray<OptionQuote>
}

export interface OptionChain {
  readonly time: number
  /** Coin or equity symbol. */
  readonly underlying: string
  readonly spot: number
  /** Units of the underlying per contract: 1 for coins, 100 for US stocks. Quantities here are already in units. */
  readonly multiplier: number
  /** Unexpired ones, ascending. */
  readonly expiries: ReadonlyArray<OptionExpiry>
}

export interface OptionTrade {
  readonly time: number
  readonly instrument: string
  readonly type: OptionType
  readonly strike: number
  readonly expiryAt: number
  /** The aggressor's side. */
  readonly side: "buy" | "sell"
  /** Units of the underlying. */
  readonly size: number
  /** USD paid for the whole trade. */
  readonly premiumUsd: number
  readonly ivPct: number
  /** Index price at the trade. */
  readonly spot: number
}

/**
 * How a constant-maturity volatility is told: `atm_interpolated` from the listed expiries around the maturity, at the
 * money, linear in total variance; `index` as the venue publishes its own index.
 */
export type IvMethod = "atm_interpolated" | "index"

/** Implied volatility at one maturity, sampled through time. */
export interface IvPoint {
  readonly time: number
  /** Percent a year. */
  readonly ivPct: number
}

export interface IvHistory {
  readonly method: IvMethod
  readonly maturityDays: number
  /** When the records of this method begin; null when that is not known. Before it, days are not missing but absent. */
  readonly since: number | null
  /** Oldest first. */
  readonly points: ReadonlyArray<IvPoint>
}

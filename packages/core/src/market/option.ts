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
  /** What the venue or the source values it at, between bid and ask; null where neither does. */
  readonly mark: number | null
  /**
   * Implied volatility, percent a year (act/365): `discount` times Black-76 on the expiry's forward at this volatility
   * is the mark of a European option, and what an American one is worth unless it is exercised early, so its mark is
   * that or more. Null without a forward, or where no volatility gives the mark.
   */
  readonly ivPct: number | null
  /** In units of the underlying (contracts times multiplier); null where no source tells. */
  readonly openInterest: number | null
  /** Units traded in 24 hours, or in the running or last session of a venue that closes; null where no source tells. */
  readonly volume24h: number | null
}

/** `european`: at the expiry alone; `american`: at any time. */
export type ExerciseStyle = "european" | "american"

export interface OptionExpiry {
  readonly expiryAt: number
  /**
   * Price of the expiry's own forward, USD: as the venue gives it (coins), or by put-call parity of its quotes
   * (stocks); null where no strike has both.
   */
  readonly forward: number | null
  /**
   * What a dollar at the expiry is worth now: by the parity of the quotes or from a rate; 1 where what the option is
   * settled in bears no interest (coins). Null where nobody tells.
   */
  readonly discount: number | null
  readonly exercise: ExerciseStyle
  /** Ascending by strike, calls before puts at the same strike. */
  readonly quotes: ReadonlyArray<OptionQuote>
}

export interface OptionChain {
  /** Instant of the quotes: of a venue that is closed, its last one that was open. */
  readonly time: number
  /** Coin or equity symbol. */
  readonly underlying: string
  readonly spot: number
  /** Units of the underlying per contract: 1 BTC, 10 SOL, 100 of a US stock. Quantities here are already in units. */
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

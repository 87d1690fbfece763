/**
 * Listed options. Prices are in USD per unit of the underlying (prices of venues that quote in coins are converted).
 */

export type OptionType = "call" | "put"

export interface OptionQuote {
  /** The venue's instrument name: `BTC-27NOV26-90000-C`. */
  readonly instrument: string
  readonly type: OptionType
  readonly strike: number
  /** The best prices. Null if that side of the order book is empty. */
  readonly bid: number | null
  readonly ask: number | null
  /** The mark price of the venue or the source, between bid and ask. Null if neither publishes a mark price. */
  readonly mark: number | null
  /**
   * Implied volatility, in percent per year (act/365). For a European option, the mark is `discount` times the Black-76
   * price on the expiry's forward at this volatility. For an American option, this price is its value without early
   * exercise, so its mark is at least this price. Null without a forward, or if no volatility gives the mark.
   */
  readonly ivPct: number | null
  /** In units of the underlying (contracts times multiplier). Null if no source reports it. */
  readonly openInterest: number | null
  /**
   * Units traded in 24 hours, or in the running or last session of a venue that closes. Null if no source reports it.
   */
  readonly volume24h: number | null
}

/** `european`: can be exercised only at expiry. `american`: can be exercised at any time. */
export type ExerciseStyle = "european" | "american"

export interface OptionExpiry {
  readonly expiryAt: number
  /**
   * The forward price of the expiry, in USD: as the venue publishes it (coins), or by put-call parity of its quotes
   * (stocks). Null if no strike has both quotes.
   */
  readonly forward: number | null
  /**
   * The present value of one dollar at expiry, from put-call parity or from an interest rate. 1 if the settlement asset
   * bears no interest (coins). Null if no source reports it.
   */
  readonly discount: number | null
  readonly exercise: ExerciseStyle
  /** Ascending by strike. At the same strike, calls are before puts. */
  readonly quotes: ReadonlyArray<OptionQuote>
}

export interface OptionChain {
  /** The time of the quotes. For a closed venue, the last time at which it was open. */
  readonly time: number
  /** The coin or equity symbol. */
  readonly underlying: string
  readonly spot: number
  /**
   * Units of the underlying per contract: 1 BTC, 10 SOL, 100 shares of a US stock. All quantities in this chain are in
   * units.
   */
  readonly multiplier: number
  /** Unexpired expiries, ascending. */
  readonly expiries: ReadonlyArray<OptionExpiry>
}

export interface OptionTrade {
  readonly time: number
  readonly instrument: string
  readonly type: OptionType
  readonly strike: number
  readonly expiryAt: number
  /** The side of the taker. */
  readonly side: "buy" | "sell"
  /** In units of the underlying. */
  readonly size: number
  /** The premium of the whole trade, in USD. */
  readonly premiumUsd: number
  readonly ivPct: number
  /** The index price at the time of the trade. */
  readonly spot: number
}

/**
 * The method of a constant-maturity volatility. `atm_interpolated`: at the money, interpolated between the listed
 * expiries around the maturity, linear in total variance. `index`: the venue's published index.
 */
export type IvMethod = "atm_interpolated" | "index"

/** Implied volatility at one maturity and one time. */
export interface IvPoint {
  readonly time: number
  /** In percent per year. */
  readonly ivPct: number
}

export interface IvHistory {
  readonly method: IvMethod
  readonly maturityDays: number
  /** When the records of this method begin. Null if unknown. Days before it do not count as missing. */
  readonly since: number | null
  /** Oldest first. */
  readonly points: ReadonlyArray<IvPoint>
}

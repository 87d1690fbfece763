/**
 * Listed options. Prices are in USD per unit of the underlying (prices of venues that quote in coins are converted). A
 * value that no source reports is null.
 */

export type OptionType = "call" | "put"

export interface OptionQuote {
  /** The venue's instrument name: `BTC-27NOV26-90000-C`. */
  readonly instrument: string
  readonly type: OptionType
  readonly strike: number
  /** The best bid; null if the order book has no bid. */
  readonly bid: number | null
  readonly ask: number | null
  /** The mark price of the venue or the source, between bid and ask. */
  readonly mark: number | null
  /**
   * The implied volatility, in percent per year (act/365), at which the mark of a European option is `discount` times
   * the Black-76 price on the expiry's forward. For an American option, the mark is at least this Black-76 price, which
   * excludes early exercise. `ivPct` is null without a forward, or if no volatility gives the mark.
   */
  readonly ivPct: number | null
  /** The open interest in units of the underlying (contracts times multiplier). */
  readonly openInterest: number | null
  /** The units traded in 24 hours, or in the running or last session of a venue that closes. */
  readonly volume24h: number | null
}

/** When an option can be exercised: `european` only at expiry, `american` at any time. */
export type ExerciseStyle = "european" | "american"

export interface OptionExpiry {
  readonly expiryAt: number
  /**
   * The forward price of the expiry, in USD, published by the venue for coins, and from put-call parity for stocks;
   * null if no strike has quotes of the call and the put.
   */
  readonly forward: number | null
  /** The present value of one dollar at expiry; 1 if the settlement asset bears no interest (coins). */
  readonly discount: number | null
  readonly exercise: ExerciseStyle
  /** The option quotes, ascending by strike, and at equal strikes, calls before puts. */
  readonly quotes: ReadonlyArray<OptionQuote>
}

export interface OptionChain {
  /** The time of the quotes, or for a closed venue, the last time at which the venue was open. */
  readonly time: number
  /** The coin or equity symbol on which the options are written. */
  readonly underlying: string
  readonly spot: number
  /** The units of the underlying per contract: 1 BTC, 10 SOL, 100 shares of a US stock. */
  readonly multiplier: number
  /** The unexpired expiries, ascending. */
  readonly expiries: ReadonlyArray<OptionExpiry>
}

export interface OptionTrade {
  readonly time: number
  readonly instrument: string
  readonly type: OptionType
  readonly strike: number
  readonly expiryAt: number
  readonly side: "buy" | "sell"
  /** The size of the trade in units of the underlying. */
  readonly size: number
  readonly premiumUsd: number
  readonly ivPct: number
  readonly spot: number
}

/**
 * The method of a constant-maturity volatility. `atm_interpolated` interpolates at-the-money volatility between the
 * listed expiries around the maturity, linearly in total variance. `index` is the venue's published volatility index.
 */
export type IvMethod = "atm_interpolated" | "index"

/** The implied volatility at one maturity and one time. */
export interface IvPoint {
  readonly time: number
  readonly ivPct: number
}

export interface IvHistory {
  readonly method: IvMethod
  readonly maturityDays: number
  /** The start of the records of this method, before which no days are missing; null if unknown. */
  readonly since: number | null
  readonly points: ReadonlyArray<IvPoint>
}

/**
 * Listed options. Prices are in USD per unit of the underlying (prices of venues that quote in coins are converted). A
 * value that no source reports is null.
 */

export type OptionType = "call" | "put"

export interface OptionQuote {
  /** The venue's instrument name, such as `BTC-27NOV26-90000-C`. */
  readonly instrument: string
  readonly type: OptionType
  readonly strike: number
  /** The best bid; null if the order book has no bid. */
  readonly bid: number | null
  readonly ask: number | null
  /** The mark price of the option, between bid and ask. */
  readonly mark: number | null
  /**
   * The implied volatility, in percent per year (act/365). For a European option, the mark price is `discount` times
   * the Black-76 price with this volatility and the forward price. For an American option, the mark price may be
   * higher, because the Black-76 price excludes early exercise. `ivPct` is null if there is no forward, or if no
   * volatility reproduces the mark price.
   */
  readonly ivPct: number | null
  /** The open interest in units of the underlying (contracts times multiplier). */
  readonly openInterest: number | null
  /**
   * The units traded in the last 24 hours. If the venue closes daily, `volume24h` counts the current or last session.
   */
  readonly volume24h: number | null
}

/**
 * The exercise style of an option. A `european` option can be exercised only at expiry, and an `american` option at any
 * time.
 */
export type ExerciseStyle = "european" | "american"

export interface OptionExpiry {
  readonly expiryAt: number
  /**
   * The forward price of the expiry, in USD. Coin venues publish the forward price; for stocks, it follows from
   * put-call parity. The forward price is null if no strike has quotes of both the call and the put.
   */
  readonly forward: number | null
  /** The present value of one dollar at expiry; 1 if the settlement asset is a coin, which bears no interest. */
  readonly discount: number | null
  readonly exercise: ExerciseStyle
  /** The option quotes, sorted by strike. At equal strikes, calls come before puts. */
  readonly quotes: ReadonlyArray<OptionQuote>
}

export interface OptionChain {
  /** The time of the quotes. If the venue is closed, `time` is the time at which it closed. */
  readonly time: number
  /** The coin or equity symbol on which the options are written. */
  readonly underlying: string
  readonly spot: number
  /**
   * The units of the underlying per contract: 1 BTC, 10 SOL, 100 shares of a US stock. All quantities of the chain are
   * in units of the underlying, not in contracts.
   */
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
  /** Whether the taker bought or sold the option. */
  readonly side: "buy" | "sell"
  /** The size of the trade in units of the underlying. */
  readonly size: number
  /** The premium of the whole trade, in USD. */
  readonly premiumUsd: number
  readonly ivPct: number
  /** The index price at the time of the trade, in USD. */
  readonly spot: number
}

/**
 * The method of a constant-maturity volatility. `atm_interpolated` interpolates at-the-money volatility between two
 * listed expiries, linearly in total variance. `index` is the venue's published volatility index.
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
  /** The time of the method's first record; null if unknown. Days before `since` do not count as missing. */
  readonly since: number | null
  readonly points: ReadonlyArray<IvPoint>
}

/**
 * Prices and sizes of coins.
 */

/** The price of a coin at one time, in USD. */
export interface PricePoint {
  /** The time of the price: the requested time, or that of the newest stored price at or before it. */
  readonly time: number
  readonly price: number
}

/** The prices at the ends of a coin's closed minutes. */
export interface ClosedMinutes {
  /**
   * The end of the last minute that is complete: a minute missing before it was not recorded. At most the requested
   * `until`, and the present.
   */
  readonly knownUntil: number
  /** By the end of the minute, oldest first; no point after `knownUntil`. */
  readonly points: ReadonlyArray<PricePoint>
}

/** The current market of a coin, from the same market as its candles. The 24 hours end at `time`. */
export interface Ticker {
  readonly coin: string
  readonly time: number
  readonly price: number
  /** Null if the price of 24 hours ago is unknown: the coin is younger, or was not recorded then. */
  readonly change24hPct: number | null
  /**
   * The range and the traded value of the last 24 hours, or of the coin's life if that is shorter. Null if a part was
   * not recorded and no source reports the whole, because a partial range and volume would be wrong.
   */
  readonly high24h: number | null
  readonly low24h: number | null
  readonly volume24hUsd: number | null
  /** Null if no source reports the circulating supply. */
  readonly marketCapUsd: number | null
}

/** The market as a whole, including coins that are not tracked. */
export interface TotalMarket {
  readonly time: number
  readonly marketCapUsd: number
  /** Null if the source does not report it. */
  readonly volume24hUsd: number | null
}

/**
 * Prices and sizes of coins.
 */

/** The price of a coin at an instant, USD. */
export interface PricePoint {
  /** The instant that the price is of: the one asked for, or the newest stored one at or before it. */
  readonly time: number
  readonly price: number
}

/** What closed minutes of a coin ended with. */
export interface ClosedMinutes {
  /**
   * The end of the last minute of which nothing is awaited any more: what is missing up to it was not recorded. At most
   * the `until` that was asked for, and the present.
   */
  readonly knownUntil: number
  /** By the end of the minute, oldest first; none after `knownUntil`. */
  readonly points: ReadonlyArray<PricePoint>
}

/** A coin's market now, the one that its candles are of; the 24 hours are those that end at `time`. */
export interface Ticker {
  readonly coin: string
  readonly time: number
  readonly price: number
  /** Null when no price of 24 hours ago is known: the coin is younger, or was not recorded then. */
  readonly change24hPct: number | null
  /**
   * Range and traded value of the 24 hours, or of the coin's life where that is shorter. Null where a part of them was
   * not recorded and no source tells the whole: the rest has another range, and less volume.
   */
  readonly high24h: number | null
  readonly low24h: number | null
  readonly volume24hUsd: number | null
  /** Null where nobody tells how many coins there are. */
  readonly marketCapUsd: number | null
}

/** The whole crypto market, coins that are not tracked included. */
export interface TotalMarket {
  readonly time: number
  readonly marketCapUsd: number
  /** Null where the source does not tell it. */
  readonly volume24hUsd: number | null
}

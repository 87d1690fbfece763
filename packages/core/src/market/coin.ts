/** The price of a coin at one time, in USD. */
export interface PricePoint {
  /** The time of the price: the requested time, or the time of the newest stored price before the requested time. */
  readonly time: number
  readonly price: number
}

/** A coin's price at the end of each closed minute. */
export interface ClosedMinutes {
  /**
   * The end of the last complete minute with known prices, never after the present or the requested `until`. A missing
   * minute before `knownUntil` was not recorded.
   */
  readonly knownUntil: number
  /** The price at the end of each minute up to `knownUntil`, oldest first. */
  readonly points: ReadonlyArray<PricePoint>
}

/** The current market data of a coin. Changes and volumes cover the 24 hours that end at `time`. */
export interface Ticker {
  readonly coin: string
  readonly time: number
  readonly price: number
  /** The price change of 24 hours, in percent; null if there is no recorded price of 24 hours ago. */
  readonly change24hPct: number | null
  /**
   * The highest price of the last 24 hours, or since the listing of a younger coin. The value is null if recorded data
   * is missing and no source reports the value.
   */
  readonly high24h: number | null
  readonly low24h: number | null
  readonly volume24hUsd: number | null
  /** The market capitalisation in USD; null if no source reports the circulating supply. */
  readonly marketCapUsd: number | null
}

/** The totals of the whole market, including coins that are not tracked. */
export interface TotalMarket {
  readonly time: number
  readonly marketCapUsd: number
  /** The volume of the whole market in 24 hours; null if the source does not report a volume. */
  readonly volume24hUsd: number | null
}

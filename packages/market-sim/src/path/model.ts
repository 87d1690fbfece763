import type { Draws, DriverWeights } from "../kernel/Drivers.ts"

/** The values of a bar that are known before its path is drawn. */
export interface BarEnds {
  /** The start of the bar in whole seconds since 1970; `seconds` is the length. */
  readonly start: number
  readonly seconds: number
  /** The log price at the start of the bar, which equals the close of the bar before. */
  readonly open: number
  readonly close: number
  /** The variance of the bar's log return. */
  readonly variance: number
  readonly mix: DriverWeights
  /**
   * The standardised return of the market in the bar, by which all instruments of the market divide their variance
   * alike. Different divisions would correlate the returns of different parts.
   */
  readonly marketReturn: number
  readonly previousMarketReturn: number
}

/** A planned path: the extremes of the bar, the prices between its parts, and the parts that contain the extremes. */
export interface BarPath extends BarEnds {
  readonly high: number
  readonly low: number
  /** The log prices at the ends of the bar's parts; `shares` are the parts' shares of the variance. */
  readonly points: ReadonlyArray<number>
  readonly shares: ReadonlyArray<number>
  /** The standardised returns of the market in the parts of the bar. */
  readonly marketReturns: ReadonlyArray<number>
  readonly highPart: number
  readonly lowPart: number
}

/** The traded volumes and the traded value of a bar, in whole units. */
export interface BarTrade {
  readonly volume: number
  readonly takerBuyVolume: number
  readonly value: number
  /** The units beyond half of the volume that takers buy per log point of a price rise (see `takers.ts`). */
  readonly takerBuyPerLogPoint: number
  /**
   * The units that takers still have to buy at the start of the bar; `settledTakerBuy` are bought in its last second.
   */
  readonly pendingTakerBuy: number
  readonly settledTakerBuy: number
}

export interface BarModel {
  /** Returns the expected trading activity of an interval, which depends on the time of day. */
  readonly getActivity: (start: number, seconds: number) => number
  /** Converts a log price to a displayed price monotonically, so extremes of log prices are extremes of prices. */
  readonly getPrice: (logPrice: number) => number
  /** The value of one unit of volume at price 1, in units of value. */
  readonly valueScale: number
  /** Returns the lengths of an interval's parts in order, or undefined if the interval has no parts. */
  readonly getPartLengths: (seconds: number) => ReadonlyArray<number> | undefined
  readonly getDraws: (start: number, seconds: number, mix: DriverWeights) => Draws
}

/** The bounds of a path, and whether the path must touch each bound. */
export interface Corridor {
  readonly low: number
  readonly high: number
  readonly touchesLow: boolean
  readonly touchesHigh: boolean
}

/** A bar whose volumes and value are filled in later. */
export type MutableBar = BarPath & { -readonly [K in keyof BarTrade]: BarTrade[K] }

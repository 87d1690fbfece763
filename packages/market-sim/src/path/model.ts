/** The types of a bar: its ends, its path, its trade, and the model of its instrument. */
import type { Draws, DriverWeights } from "../kernel/Drivers.ts"

/** The ends, the variance and the drivers of a bar, known before its path is drawn. */
export interface BarEnds {
  /** The start in whole seconds since 1970, and the length in seconds. */
  readonly start: number
  readonly seconds: number
  /** Log prices. The close of a bar is the open of the next one. */
  readonly open: number
  readonly close: number
  /** The variance of the bar's log return. */
  readonly variance: number
  /** The weights of the drivers in the day's returns. */
  readonly mix: DriverWeights
  /**
   * The standardised return of the market in the bar, and in the part before it. Volatility rises after the market
   * falls. All instruments of a market therefore divide their variance alike. If the shares of two instruments
   * differed, common random numbers would correlate the return of one part with that of another part.
   */
  readonly marketReturn: number
  readonly previousMarketReturn: number
}

/** A planned path: the bar's extremes, the points between its parts, and the parts that contain the extremes. */
export interface BarPath extends BarEnds {
  readonly high: number
  readonly low: number
  /** The log prices at the ends of the parts (the last is the close), and the parts' shares of the variance. */
  readonly points: ReadonlyArray<number>
  readonly shares: ReadonlyArray<number>
  /** The standardised returns of the market in the parts. */
  readonly leads: ReadonlyArray<number>
  readonly highPart: number
  readonly lowPart: number
}

/** The trade of a bar, in whole units of the instrument. */
export interface BarTrade {
  readonly volume: number
  /** The volume that takers bought, in units of volume. */
  readonly takerBuyVolume: number
  /** The traded value, in units of value. */
  readonly value: number
  /** The units that takers buy rather than sell for each log point of a rise, over half (see `takers.ts`). */
  readonly takerBuyPerLogPoint: number
  /**
   * The units that takers still have to buy at the start of the bar, after an earlier rise. `settledTakerBuy` are the
   * units that they buy at its very end.
   */
  readonly pendingTakerBuy: number
  readonly settledTakerBuy: number
}

/** The parameters of an instrument that its bars use. */
export interface BarModel {
  /** The expected trading activity of an interval, in any unit: the time-of-day profile. */
  readonly getActivity: (start: number, seconds: number) => number
  /** The displayed price of a log price. The function is monotone, so extremes stay extremes. */
  readonly getPrice: (logPrice: number) => number
  /** The value of one unit of volume at price 1, in units of value. */
  readonly valueScale: number
  /** The lengths of an interval's parts, in order. Undefined if it has no parts. */
  readonly getPartLengths: (seconds: number) => ReadonlyArray<number> | undefined
  /** The random numbers of an interval. */
  readonly getDraws: (start: number, seconds: number, mix: DriverWeights) => Draws
}

/** The bounds of a path's extremes, and whether the path must touch them. */
export interface Corridor {
  readonly low: number
  readonly high: number
  readonly touchesLow: boolean
  readonly touchesHigh: boolean
}

/** A bar without its trade, which is filled in later. */
export type MutableBar = BarPath & { -readonly [K in keyof BarTrade]: BarTrade[K] }

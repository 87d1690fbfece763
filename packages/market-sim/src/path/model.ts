import type { Draws, DriverWeights } from "../kernel/Drivers.ts"

/** The values of a bar that are known before its path is drawn. */
export interface BarEnds {
  /** The start of the bar, in whole seconds since 1970. */
  readonly start: number
  readonly seconds: number
  /** The log price at the start of the bar, which equals the close of the bar before. */
  readonly open: number
  readonly close: number
  /** The variance of the bar's log return. */
  readonly variance: number
  readonly mix: DriverWeights
  /** The return of the whole market in the bar, divided by its standard deviation. */
  readonly marketReturn: number
  readonly previousMarketReturn: number
}

/** The price path of a bar: its high, its low, and the log price at the end of each of its parts. */
export interface BarPath extends BarEnds {
  readonly high: number
  readonly low: number
  /** The log price at the end of each part of the bar. */
  readonly points: ReadonlyArray<number>
  /** The fraction of the bar's variance in each part of the bar. */
  readonly shares: ReadonlyArray<number>
  /** The market's return in each part of the bar, divided by its standard deviation. */
  readonly marketReturns: ReadonlyArray<number>
  readonly highPart: number
  readonly lowPart: number
}

/** The traded volumes and the traded value of a bar, in whole units. */
export interface BarTrade {
  readonly volume: number
  readonly takerBuyVolume: number
  readonly value: number
  /** The units that takers buy in excess of half the volume, per log point of a price increase. */
  readonly takerBuyPerLogPoint: number
  /** The units that takers still have to buy because of price moves before the bar. */
  readonly pendingTakerBuy: number
  /** The units that takers buy in the last second of the bar because of earlier price moves. */
  readonly settledTakerBuy: number
}

export interface BarModel {
  /** Returns the expected trading activity of an interval, which depends on the time of day. */
  readonly getActivity: (start: number, seconds: number) => number
  /** Converts a log price to a displayed price. A higher log price never gives a lower displayed price. */
  readonly getPrice: (logPrice: number) => number
  /** The value of one unit of volume at a price of 1, in the unit of `BarTrade.value`. */
  readonly valueScale: number
  /** Returns the lengths of an interval's parts in order, or undefined if the interval has no parts. */
  readonly getPartLengths: (seconds: number) => ReadonlyArray<number> | undefined
  readonly getDraws: (start: number, seconds: number, mix: DriverWeights) => Draws
}

/** The lowest and the highest log price that a path may reach, and whether the path must reach these prices. */
export interface Corridor {
  readonly low: number
  readonly high: number
  readonly touchesLow: boolean
  readonly touchesHigh: boolean
}

/** A bar whose volumes and value are filled in later. */
export type MutableBar = BarPath & { -readonly [K in keyof BarTrade]: BarTrade[K] }

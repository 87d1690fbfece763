/**
 * The parts of a bar: its ends, its path, its trade, and the model of the instrument that it is drawn from.
 */
import type { Draws, Mix } from "../kernel/factors.ts"

/** The ends, the variance and the drivers of a bar, known before its path is drawn. */
export interface Ends {
  /** Opening instant, whole seconds since 1970, and length in seconds. */
  readonly start: number
  readonly seconds: number
  /** Logarithms of price; a bar's close is the next bar's open. */
  readonly open: number
  readonly close: number
  /** Variance of the log return that the bar owns. */
  readonly variance: number
  /** Weights of the drivers in the day's returns. */
  readonly mix: Mix
  /**
   * Standardised return of the market in the bar, and in the part before it: volatility rises after the market falls.
   * All instruments of a market therefore divide their variance alike. If the shares of two instruments differed,
   * common random numbers would correlate the return of one part with that of another part.
   */
  readonly lead: number
  readonly before: number
}

/** A planned path: the bar's extremes, the points between its parts, and which parts hold the extremes. */
export interface Path extends Ends {
  readonly high: number
  readonly low: number
  /** Log prices at the ends of the parts (the last is the close), and their shares of the variance. */
  readonly points: ReadonlyArray<number>
  readonly shares: ReadonlyArray<number>
  /** Standardised returns of the market in the parts. */
  readonly leads: ReadonlyArray<number>
  readonly highIn: number
  readonly lowIn: number
}

/** What was traded in a bar: whole numbers of the instrument's units. */
export interface Trade {
  readonly volume: number
  /** Units of volume that were bought by takers. */
  readonly bought: number
  /** Units of value. */
  readonly value: number
  /** Units that takers buy rather than sell for each log point that the price rises, over half (see `takers.ts`). */
  readonly boughtPerRise: number
  /** What they have still to buy at the bar's start, having seen the price rise, and what they buy at its very end. */
  readonly owed: number
  readonly settled: number
}

/** What an instrument's bars need to know of it. */
export interface BarModel {
  /** Expected trading activity of an interval, in any unit: the time-of-day profile. */
  readonly activity: (start: number, seconds: number) => number
  /** The price shown for a log price: monotone, so extremes stay extremes. */
  readonly price: (logPrice: number) => number
  /** Value of one unit of volume at price 1, in units of value. */
  readonly valueScale: number
  /** Lengths of the parts of an interval, in order; undefined when it has none. */
  readonly partsOf: (seconds: number) => ReadonlyArray<number> | undefined
  /** The numbers of an interval. */
  readonly draws: (start: number, seconds: number, mix: Mix) => Draws
}

/** What a path must obey: bounds of its extremes, and whether it must touch them. */
export interface Corridor {
  readonly low: number
  readonly high: number
  readonly touchesLow: boolean
  readonly touchesHigh: boolean
}

/** A bar whose trade is still to be filled in: numbers that nobody knows yet. */
export type Draft = Path & { -readonly [K in keyof Trade]: Trade[K] }

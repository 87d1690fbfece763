/** Perpetuals and futures of a coin: funding, open interest, taker flow, positioning, liquidations, basis. */
import type { Gap } from "./series.ts"

/** The perpetual market of one coin at one time, over the recorded venues, with null for unrecorded fields. */
export interface PerpetualPoint {
  readonly time: number
  /** The funding rate of the running funding interval, as a fraction of notional; longs pay a positive rate. */
  readonly fundingRate: number | null
  /** The length of the running funding interval in hours, 1 to 24; null if and only if the funding rate is null. */
  readonly fundingIntervalHours: number | null
  /** The open interest in coins, which unlike the value in USD does not change with the price. */
  readonly openInterest: number | null
  readonly openInterestUsd: number | null
  /** The number of long accounts divided by the number of short accounts; above 0. */
  readonly longShortRatio: number | null
  /** The mark price of the perpetual, in USD. */
  readonly markPrice: number | null
  readonly indexPrice: number | null
}

/** The newest record of a perpetual, with the venues of its values. */
export interface CurrentPerpetual extends PerpetualPoint {
  /**
   * The venue of the funding rate, the settled payments, the taker flow, the account ratio, and the mark and index
   * prices; null if the source does not name the venue.
   */
  readonly fundingVenue: string | null
  /** The venues whose open interest is summed, in alphabetical order; empty if the source does not name the venues. */
  readonly openInterestVenues: ReadonlyArray<string>
}

/** The perpetual of one coin in a list of all coins. */
export type CoinPerpetual = PerpetualPoint & { readonly coin: string }

/** A settled funding payment. */
export interface FundingPayment {
  /** The settlement time as the venue stamped the payment: a full hour UTC, or some seconds later. */
  readonly time: number
  /** The funding rate of the interval that ended, as a fraction of notional. */
  readonly fundingRate: number
  /** The length of the funding interval that ended, in hours, which a venue may change between payments. */
  readonly intervalHours: number
}

/** The funding of a coin's perpetual on one venue. */
export interface VenueFunding {
  readonly venue: string
  readonly time: number
  /** The funding rate as a fraction of notional per funding interval of the venue. */
  readonly fundingRate: number
  readonly intervalHours: number
  /** The next settlement after `time`; null for a venue with continuous funding. */
  readonly nextFundingAt: number | null
}

/** The open interest of a coin's perpetual on one venue. */
export interface VenueOpenInterest {
  readonly venue: string
  readonly time: number
  /** The open interest in coins, or in `openInterestUsd`, in USD at the venue's own price. */
  readonly openInterest: number
  readonly openInterestUsd: number
}

/** The taker volume of a perpetual in one bucket `[time, time + stepMs)`, in USD. */
export interface TakerFlow {
  readonly time: number
  readonly buyUsd: number
  readonly sellUsd: number
}

/** A futures contract with an expiry. */
export interface DatedFuture {
  readonly instrument: string
  readonly time: number
  readonly expiryAt: number
  /** The mark price of the future, in USD, from which the basis `price / indexPrice - 1` is computed. */
  readonly price: number
  readonly indexPrice: number
}

/** A forced close of a `long` position by selling, or of a `short` position by buying. */
export interface Liquidation {
  readonly time: number
  readonly side: "long" | "short"
  /** The price of the bankruptcy fill, in USD per coin. */
  readonly price: number
  readonly sizeUsd: number
}

/**
 * The coverage of a list of liquidations: `whole`, or `sampled`, so that totals are lower bounds. Some venues publish
 * only one liquidation per symbol and second, and a venue may not be recorded for a time.
 */
export type LiquidationCoverage = "whole" | "sampled"

/** The liquidations in one step `[time, time + stepMs)` of an interval. */
export interface LiquidationTotals {
  readonly time: number
  readonly longUsd: number
  readonly shortUsd: number
  readonly count: number
}

/** The liquidations of a half-open interval, oldest first. */
export interface LiquidationTape {
  readonly events: ReadonlyArray<Liquidation>
  /** The total of all matching long liquidations of the interval, including those cut from `events`. */
  readonly longUsd: number
  readonly shortUsd: number
  readonly count: number
  /** Whether `events` was cut to the newest events within the limit. */
  readonly truncated: boolean
  /**
   * The totals by step, if steps were requested, otherwise empty. Steps count from the start of the interval. The last
   * step ends with the interval, and no step begins after the present. A step that overlaps a gap counts only what was
   * recorded, and a step within a gap is missing. A step without liquidations has zeros.
   */
  readonly steps: ReadonlyArray<LiquidationTotals>
  readonly coverage: LiquidationCoverage
  /** The intervals for which no venue has records and that cannot be filled later. */
  readonly gaps: ReadonlyArray<Gap>
}

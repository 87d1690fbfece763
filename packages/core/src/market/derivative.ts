/** Types for the perpetuals, futures and liquidations of coins. */
import type { Gap } from "./series.ts"

/**
 * The perpetual market of one coin at one time, combined over the recorded venues. Fields that were not recorded are
 * null.
 */
export interface PerpetualPoint {
  readonly time: number
  /**
   * The funding rate of the current funding interval, as a fraction of notional. If the funding rate is positive, longs
   * pay shorts.
   */
  readonly fundingRate: number | null
  /** The length of the current funding interval in hours, 1 to 24; null if the funding rate is null. */
  readonly fundingIntervalHours: number | null
  /** The open interest in coins. */
  readonly openInterest: number | null
  readonly openInterestUsd: number | null
  /** The number of long accounts divided by the number of short accounts; above 0. */
  readonly longShortRatio: number | null
  /** The mark price of the perpetual, in USD. */
  readonly markPrice: number | null
  readonly indexPrice: number | null
}

/**
 * The most recently recorded state of a coin's perpetual market. `fundingVenue` and `openInterestVenues` name the
 * venues that reported the values.
 */
export interface CurrentPerpetual extends PerpetualPoint {
  /**
   * The venue of the funding rate, the account ratio, the mark price and the index price. If the source does not name
   * the venue, `fundingVenue` is null. The same venue also reports the settled funding payments and the taker flow.
   */
  readonly fundingVenue: string | null
  /** The venues whose open interest is summed, in alphabetical order; empty if the source does not name the venues. */
  readonly openInterestVenues: ReadonlyArray<string>
}

/** The perpetual market of one coin, as an entry of a list. */
export type CoinPerpetual = PerpetualPoint & { readonly coin: string }

/** A settled funding payment. */
export interface FundingPayment {
  /** The venue's timestamp of the payment: a full hour UTC, or some seconds later. */
  readonly time: number
  /** The funding rate of the payment, as a fraction of notional. */
  readonly fundingRate: number
  /**
   * The length in hours of the funding interval that ended with the payment. A venue may change the length of its
   * funding intervals.
   */
  readonly intervalHours: number
}

/** The funding of a coin's perpetual on one venue. */
export interface VenueFunding {
  readonly venue: string
  readonly time: number
  /** The funding rate as a fraction of notional per funding interval of the venue. */
  readonly fundingRate: number
  readonly intervalHours: number
  /** The time of the next settlement; null for a venue with continuous funding. */
  readonly nextFundingAt: number | null
}

/** The open interest of a coin's perpetual on one venue. */
export interface VenueOpenInterest {
  readonly venue: string
  readonly time: number
  /** The open interest in coins. `openInterestUsd` is the open interest in USD at the venue's own price. */
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
  /** The mark price of the future, in USD. The basis of the future is `price / indexPrice - 1`. */
  readonly price: number
  readonly indexPrice: number
}

/** A forced close of a position. A `long` position is closed by selling, and a `short` position by buying. */
export interface Liquidation {
  readonly time: number
  readonly side: "long" | "short"
  /** The price at which the position was closed, in USD per coin. */
  readonly price: number
  readonly sizeUsd: number
}

/**
 * Whether a list of liquidations is complete. In a `sampled` list, liquidations are missing, so totals are lower
 * bounds. Some venues publish only one liquidation per symbol and second, and a venue may not be recorded for a time.
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
  /** The total of all matching long liquidations of the interval, including events that `limit` omits. */
  readonly longUsd: number
  readonly shortUsd: number
  readonly count: number
  /** Whether `events` was cut to the newest events within the limit. */
  readonly truncated: boolean
  /**
   * The totals of each step; empty if the query has no `stepMs`. The first step begins at the start of the requested
   * interval. The last step ends at the end of the requested interval. No step begins after the present. A step that
   * partly overlaps a gap counts only recorded liquidations. A step that lies completely within a gap is missing. A
   * step without liquidations has zeros.
   */
  readonly steps: ReadonlyArray<LiquidationTotals>
  readonly coverage: LiquidationCoverage
  /** The intervals that no venue recorded and that can no longer be filled. */
  readonly gaps: ReadonlyArray<Gap>
}

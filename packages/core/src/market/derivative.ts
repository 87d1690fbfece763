/**
 * Perpetuals and futures of a coin: funding, open interest, taker flow, positioning, liquidations, basis.
 */
import type { Gap } from "./series.ts"

/** The perpetual market of one coin at one instant, of the venues that are recorded. What was not recorded is null. */
export interface PerpetualPoint {
  readonly time: number
  /** Funding of the running interval as a fraction of notional: 0.0001 is 0.01 %. Above 0 longs pay. */
  readonly fundingRate: number | null
  /** Length of that interval, whole hours from 1 to 24: 8, 4, 2 or 1; null exactly when the rate is. */
  readonly fundingIntervalHours: number | null
  /** Open interest in coins, and its value in USD (the latter moves with price alone too). */
  readonly openInterest: number | null
  readonly openInterestUsd: number | null
  /** Accounts that are long over accounts that are short; above 0. */
  readonly longShortRatio: number | null
  /** Mark price of the perpetual and the spot index that it follows, USD. */
  readonly markPrice: number | null
  readonly indexPrice: number | null
}

/** The newest record of a perpetual, with the venues that its parts are of. */
export interface PerpetualNow extends PerpetualPoint {
  /**
   * Venue of the funding rate, the account ratio and both prices, and of settled payments and taker flow of the same
   * source; null if the source does not name it.
   */
  readonly fundingVenue: string | null
  /** Venues whose open interest is added up, in alphabetical order; empty if the source does not name them. */
  readonly openInterestVenues: ReadonlyArray<string>
}

/** The perpetual of one of all coins. */
export type CoinPerpetual = PerpetualPoint & { readonly coin: string }

/** One settled funding payment. */
export interface FundingPrint {
  /** Settlement instant as the venue stamped it: a full hour UTC and up to some seconds. */
  readonly time: number
  /** Fraction of notional for the interval that ended. */
  readonly fundingRate: number
  /** Length of that interval, hours; a venue may change it from one payment to the next. */
  readonly intervalHours: number
}

/** Funding of the same perpetual on one venue. */
export interface VenueFunding {
  readonly venue: string
  /** When the venue told it. */
  readonly time: number
  /** Fraction of notional per interval of this venue. */
  readonly fundingRate: number
  readonly intervalHours: number
  /** The settlement after `time`; null on a venue that pays all the time. */
  readonly nextFundingAt: number | null
}

/** Open interest of the same perpetual on one venue. */
export interface VenueOpenInterest {
  readonly venue: string
  readonly time: number
  /** Coins, and USD at the venue's own price. */
  readonly openInterest: number
  readonly openInterestUsd: number
}

/** Taker volume of a perpetual in one bucket `[time, time + stepMs)`, USD. */
export interface TakerFlow {
  readonly time: number
  readonly buyUsd: number
  readonly sellUsd: number
}

/** A dated future. */
export interface DatedFuture {
  readonly instrument: string
  readonly time: number
  readonly expiryAt: number
  /** Mark price and index price, USD; basis is their ratio less one. */
  readonly price: number
  readonly indexPrice: number
}

/** A position closed by force. `long` was liquidated by selling, `short` by buying. */
export interface Liquidation {
  readonly time: number
  readonly side: "long" | "short"
  /** Bankruptcy fill, USD per coin. */
  readonly price: number
  readonly sizeUsd: number
}

/**
 * Whether a tape holds all liquidations of its venues (`whole`) or less (`sampled`), so that its sums are lower bounds:
 * what a venue let through (one for each symbol and second, say), or what one of several venues told while another one
 * was not recorded.
 */
export type LiquidationCoverage = "whole" | "sampled"

/** What was liquidated in one step `[time, time + stepMs)` of an interval. */
export interface LiquidationSums {
  readonly time: number
  readonly longUsd: number
  readonly shortUsd: number
  readonly count: number
}

/** Liquidations of a half-open interval, oldest first. */
export interface LiquidationTape {
  readonly events: ReadonlyArray<Liquidation>
  /** Sums over ALL matching liquidations of the interval, those cut from `events` included. */
  readonly longUsd: number
  readonly shortUsd: number
  readonly count: number
  /** True when `events` was cut to the limit; then the newest ones are kept. */
  readonly truncated: boolean
  /**
   * The same sums step by step, where steps were asked for, else empty: steps count from the interval's beginning, the
   * last one ends with it, and none begins after the present. One that a gap touches counts what was recorded, one that
   * gaps hold whole is missing, one in which nothing happened is there, with zeros.
   */
  readonly steps: ReadonlyArray<LiquidationSums>
  readonly coverage: LiquidationCoverage
  /** Intervals without records, of any venue, that nothing can fill afterwards. */
  readonly gaps: ReadonlyArray<Gap>
}

import { ivAtMaturity } from "@tapeline/quant/options"
import { Effect } from "effect"
import type { Compute, ComputeError } from "../../engine/compute/Compute.ts"
import type { OptionChain } from "../../market/option.ts"
import { getDaysUntil } from "./expiry.ts"
import { findOptionAtDelta, fitSurface, type FittedSurface, getIvAtForward } from "./fittedSmile.ts"

/**
 * The main volatilities of a smile, in percent per year. Differences between volatilities are in percentage points. A
 * value is null if it lies outside the smile's quoted strikes.
 */
export interface SmilePoint {
  readonly atm: number | null
  readonly call25: number | null
  readonly put25: number | null
  /** The risk reversal: IV(25-delta call) - IV(25-delta put). */
  readonly rr25: number | null
  /** The butterfly: the mean of the 25-delta call and put volatilities, minus `atm`. */
  readonly bf25: number | null
}

/** The summary of an expiry's smile. */
export interface TermPoint extends SmilePoint {
  readonly expiryAt: number
  readonly days: number
  readonly forward: number | null
  /** The number of strikes from whose quotes the smile was fitted. */
  readonly strikeCount: number
}

const emptySmilePoint: SmilePoint = { atm: null, call25: null, put25: null, rr25: null, bf25: null }

const makeSmilePoint = (atm: number | null, call25: number | null, put25: number | null): SmilePoint => {
  const hasWings = call25 !== null && put25 !== null
  return {
    atm,
    call25,
    put25,
    rr25: hasWings ? call25 - put25 : null,
    bf25: hasWings && atm !== null ? (call25 + put25) / 2 - atm : null
  }
}

const toPercent = (volatility: number | undefined | null): number | null =>
  volatility === undefined || volatility === null ? null : 100 * volatility

/** Summarises the fitted smile of each expiry in an option chain, nearest expiry first. */
export const summariseTerm = (
  { expiries, time }: Pick<OptionChain, "expiries" | "time">,
  smiles: FittedSurface["smiles"]
): ReadonlyArray<TermPoint> =>
  expiries.map(({ expiryAt, forward }, i) => {
    const smile = smiles[i] ?? null
    return {
      expiryAt,
      days: getDaysUntil(expiryAt, time),
      forward,
      strikeCount: smile === null ? 0 : smile.quotes.strikes.length,
      ...(smile === null
        ? emptySmilePoint
        : makeSmilePoint(
          toPercent(getIvAtForward(smile)),
          toPercent(findOptionAtDelta(smile, 0.25, "call")?.iv),
          toPercent(findOptionAtDelta(smile, 0.25, "put")?.iv)
        ))
    }
  })

/** Fits a chain's smiles and summarises its expiries, nearest expiry first. */
export const readTerm = (
  compute: typeof Compute["Service"],
  chain: Pick<OptionChain, "expiries" | "time">
): Effect.Effect<ReadonlyArray<TermPoint>, ComputeError> =>
  Effect.map(fitSurface(compute, chain), ({ smiles }) => summariseTerm(chain, smiles))

/**
 * Returns the smile at a constant maturity. Total variance is interpolated between the two nearest quoted expiries. A
 * volatility of the smile is null if no expiry quotes it.
 */
export const interpolateAtMaturity = (term: ReadonlyArray<TermPoint>, days: number): SmilePoint => {
  const interpolate = (field: "atm" | "call25" | "put25"): number | null => {
    const quotedPoints = term.filter((point) => point[field] !== null && point.days > 0)
    if (quotedPoints.length === 0) return null
    return ivAtMaturity({
      days: quotedPoints.map((point) => point.days),
      ivs: quotedPoints.map((point) => point[field]!)
    }, days)
  }
  return makeSmilePoint(interpolate("atm"), interpolate("call25"), interpolate("put25"))
}

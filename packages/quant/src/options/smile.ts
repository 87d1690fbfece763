import {
  checkAscendingSeries,
  checkFinite,
  checkPositive,
  checkPositiveSeries,
  checkSameLength,
  type Series
} from "../check.ts"
import { normalCdf } from "../normal.ts"
import { getOptionSign, type OptionType, strikeFromDelta } from "./black.ts"

/** The implied volatilities of one expiry by strike, in ascending order of strikes. */
export interface Smile {
  readonly forward: number
  readonly years: number
  readonly strikes: Series
  /** The annual implied volatilities; 1.00 = 100 %. */
  readonly ivs: Series
}

function checkSmile(where: string, smile: Smile): void {
  checkPositive(where, "forward", smile.forward)
  checkPositive(where, "years", smile.years)
  checkSameLength(where, "strikes and ivs", smile.strikes.length, smile.ivs)
  checkPositiveSeries(where, "strikes", smile.strikes)
  checkPositiveSeries(where, "ivs", smile.ivs)
  checkAscendingSeries(where, "strikes", smile.strikes)
}

function lowerBound(x: Series, target: number): number {
  let low = 0
  let high = x.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (x[middle]! < target) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Implied volatility at a strike, interpolated between the quoted strikes.
 *
 * Formula: linear in total variance `iv^2 T` over log-moneyness `ln(K / F)`. Unit: 1.00 = 100 % per year. Returns null
 * outside the quoted strikes, because the smile is not extrapolated.
 * Source: Gatheral, The Volatility Surface (2006), for total variance as the quantity to interpolate.
 *
 * @throws RangeError when strikes do not ascend strictly, lengths differ, or a number is not finite and above 0.
 * @example
 * import { ivAtStrike } from "@tapeline/quant"
 * const smile = { forward: 100, years: 0.25, strikes: [90, 100, 110], ivs: [0.6, 0.5, 0.55] }
 * ivAtStrike(smile, 100) // => 0.5
 * ivAtStrike(smile, 95) // => 0.551
 * ivAtStrike(smile, 120) // => null
 */
export function ivAtStrike(smile: Smile, strike: number): number | null {
  checkSmile("ivAtStrike", smile)
  checkPositive("ivAtStrike", "strike", strike)
  const { strikes, ivs } = smile
  const j = lowerBound(strikes, strike)
  if (j === strikes.length) return null
  if (strikes[j] === strike) return ivs[j]!
  if (j === 0) return null
  const share = Math.log(strike / strikes[j - 1]!) / Math.log(strikes[j]! / strikes[j - 1]!)
  return Math.sqrt(ivs[j - 1]! ** 2 * (1 - share) + ivs[j]! ** 2 * share)
}

/** The maximum difference of two deltas that counts as rounding. */
const DELTA_ROUNDING = 1e-12

/**
 * Implied volatility at a delta.
 *
 * Formula: each strike has the undiscounted call delta `N(d1)` under its own volatility. Between the two strikes around
 * the target delta, volatility is linear in delta. A put with delta -d corresponds to the call with delta 1 - d. Unit:
 * 1.00 = 100 % per year. Returns null outside the quoted deltas. If arbitrage in the smile puts the deltas out of
 * order, the function uses the pair of strikes nearest to the forward.
 * Source: Clark, Foreign Exchange Option Pricing (2011), ch. 3.
 *
 * @throws RangeError as {@link ivAtStrike}, or when the size of delta is not inside (0, 1).
 * @example
 * import { ivAtDelta } from "@tapeline/quant"
 * const smile = { forward: 100, years: 0.25, strikes: [70, 85, 100, 115, 140], ivs: [0.7, 0.6, 0.5, 0.52, 0.58] }
 * ivAtDelta(smile, 0.25, "call") // => 0.5495
 * ivAtDelta(smile, -0.25, "put") // => 0.5974
 */
export function ivAtDelta(smile: Smile, delta: number, type: OptionType): number | null {
  checkSmile("ivAtDelta", smile)
  const sign = getOptionSign("ivAtDelta", type)
  const size = Math.abs(delta)
  if (!(size > 0 && size < 1) || (sign === 1 && delta < 0)) {
    throw new RangeError(
      `ivAtDelta: delta of a ${type} must lie inside ${sign === 1 ? "0 to 1" : "-1 to 0 (or 0 to 1)"}, got ${delta}`
    )
  }
  const callDeltaTarget = sign === 1 ? size : 1 - size
  const { strikes, ivs, forward, years } = smile
  const root = Math.sqrt(years)
  const getCallDelta = (i: number): number =>
    normalCdf(Math.log(forward / strikes[i]!) / (ivs[i]! * root) + 0.5 * ivs[i]! * root)
  let best: number | null = null
  let nearest = Infinity
  for (let i = 1; i < strikes.length; i++) {
    const left = getCallDelta(i - 1)
    const right = getCallDelta(i)
    const above = Math.max(left, right)
    const below = Math.min(left, right)
    // Because of rounding, a strike that is quoted at the target delta can seem outside the quoted deltas.
    if (callDeltaTarget > above + DELTA_ROUNDING || callDeltaTarget < below - DELTA_ROUNDING) continue
    const share = left === right ? 0 : Math.min(1, Math.max(0, (left - callDeltaTarget) / (left - right)))
    const distance = Math.abs(Math.log(strikes[i]! / forward)) + Math.abs(Math.log(strikes[i - 1]! / forward))
    if (distance >= nearest) continue
    nearest = distance
    best = ivs[i - 1]! + (ivs[i]! - ivs[i - 1]!) * share
  }
  return best
}

/** The result of {@link smileSummary}, in which a value is null if the value needs a wing that is not quoted. */
export interface SmileSummary {
  readonly atm: number | null
  readonly call25: number | null
  readonly put25: number | null
  /** The volatility of the 25-delta call minus the volatility of the 25-delta put. */
  readonly riskReversal25: number | null
  /** The mean volatility of the 25-delta call and the 25-delta put, minus the volatility at the forward. */
  readonly butterfly25: number | null
}

/**
 * At-the-money volatility, 25-delta risk reversal (skew) and butterfly of a smile.
 *
 * Formula: `atm` is the volatility at the forward by {@link ivAtStrike}. The volatilities of the 25-delta call and put
 * are interpolated by {@link ivAtDelta}. Unit: 1.00 = 100 % per year.
 * Source: Clark, Foreign Exchange Option Pricing (2011), ch. 3.
 *
 * @throws RangeError as {@link ivAtStrike}.
 * @example
 * import { smileSummary } from "@tapeline/quant"
 * const smile = { forward: 100, years: 0.25, strikes: [70, 85, 100, 115, 140], ivs: [0.7, 0.6, 0.5, 0.52, 0.58] }
 * smileSummary(smile).riskReversal25 // => -0.0479
 */
export function smileSummary(smile: Smile): SmileSummary {
  const atm = ivAtStrike(smile, smile.forward)
  const call25 = ivAtDelta(smile, 0.25, "call")
  const put25 = ivAtDelta(smile, 0.25, "put")
  const hasWings = call25 !== null && put25 !== null
  return {
    atm,
    call25,
    put25,
    riskReversal25: hasWings ? call25 - put25 : null,
    butterfly25: hasWings && atm !== null ? (call25 + put25) / 2 - atm : null
  }
}

/**
 * Strike of a delta on a smile: the strike whose own volatility gives the delta.
 *
 * Formula: {@link strikeFromDelta} at {@link ivAtDelta}. Unit: the unit of the forward. Returns null outside the quoted
 * deltas.
 * Source: {@link strikeFromDelta} and {@link ivAtDelta}.
 *
 * @throws RangeError as {@link ivAtDelta}.
 * @example
 * import { strikeAtDelta } from "@tapeline/quant"
 * const smile = { forward: 100, years: 0.25, strikes: [70, 100, 140], ivs: [0.5, 0.5, 0.5] }
 * strikeAtDelta(smile, 0.25, "call") // => 122.1247
 */
export function strikeAtDelta(smile: Smile, delta: number, type: OptionType): number | null {
  const sigma = ivAtDelta(smile, delta, type)
  return sigma === null ? null : strikeFromDelta({ forward: smile.forward, years: smile.years, sigma, delta, type })
}

/**
 * Implied volatility at a constant maturity, interpolated between expiries.
 *
 * Formula: linear in total variance: `w = iv^2 * days`, `iv(t) = sqrt(w(t) / t)`. Unit: the unit of `ivs` (fractions or
 * percent). If `targetDays` is one of `days`, the result is the volatility of that expiry. Returns null if `targetDays`
 * is outside the range of `days`.
 * Source: CBOE VIX White Paper, and the linear total variance of forward-variance curves.
 *
 * @throws RangeError when days do not ascend strictly, lengths differ, or a number is not finite and above 0.
 * @example
 * import { ivAtMaturity } from "@tapeline/quant"
 * ivAtMaturity({ days: [23, 37], ivs: [50, 52] }, 30) // => 51.24256
 * ivAtMaturity({ days: [23, 37], ivs: [50, 52] }, 7) // => null
 */
export function ivAtMaturity(
  term: { readonly days: Series; readonly ivs: Series },
  targetDays: number
): number | null {
  const { days, ivs } = term
  checkSameLength("ivAtMaturity", "days and ivs", days.length, ivs)
  checkPositiveSeries("ivAtMaturity", "days", days)
  checkPositiveSeries("ivAtMaturity", "ivs", ivs)
  checkAscendingSeries("ivAtMaturity", "days", days)
  checkPositive("ivAtMaturity", "targetDays", targetDays)
  const j = lowerBound(days, targetDays)
  if (j === days.length) return null
  if (days[j] === targetDays) return ivs[j]!
  if (j === 0) return null
  const near = ivs[j - 1]! ** 2 * days[j - 1]!
  const far = ivs[j]! ** 2 * days[j]!
  const share = (targetDays - days[j - 1]!) / (days[j]! - days[j - 1]!)
  return Math.sqrt((near + (far - near) * share) / targetDays)
}

/**
 * Rank of the current implied volatility in its range.
 *
 * Formula: `100 * (current - min) / (max - min)`, where the minimum and the maximum are taken over the history and the
 * current value. The history has, for example, 365 daily values. Unit: a number from 0 to 100. Returns null if the
 * history is empty or all values are equal.
 * Source: tastytrade, IV Rank.
 *
 * @throws RangeError when a value is not finite.
 * @example
 * import { ivRank } from "@tapeline/quant"
 * ivRank(20, [30, 10, 11, 15, 17]) // => 50
 */
export function ivRank(current: number, history: Series): number | null {
  checkFinite("ivRank", "current", current)
  let min = current
  let max = current
  for (let i = 0; i < history.length; i++) {
    checkFinite("ivRank", `history[${i}]`, history[i]!)
    min = Math.min(min, history[i]!)
    max = Math.max(max, history[i]!)
  }
  return history.length > 0 && max > min ? (100 * (current - min)) / (max - min) : null
}

/**
 * Percentile of the current implied volatility.
 *
 * Formula: `100 * (days strictly below the current value) / (all days)`. Unit: a number from 0 to 100. Returns null for
 * an empty history.
 * Source: tastytrade, IV Percentile.
 *
 * @throws RangeError when a value is not finite.
 * @example
 * import { ivPercentile } from "@tapeline/quant"
 * ivPercentile(20, [30, 10, 11, 15, 17]) // => 80
 */
export function ivPercentile(current: number, history: Series): number | null {
  checkFinite("ivPercentile", "current", current)
  let below = 0
  for (let i = 0; i < history.length; i++) {
    checkFinite("ivPercentile", `history[${i}]`, history[i]!)
    if (history[i]! < current) below++
  }
  return history.length === 0 ? null : (100 * below) / history.length
}

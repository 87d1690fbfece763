import {
  ascendingSeries,
  notNegative,
  notNegativeSeries,
  positive,
  positiveSeries,
  sameLength,
  type Series
} from "../check.ts"
import { normalPdf } from "../normal.ts"
import { optionSign, type OptionType } from "./black.ts"

/** Open interest of one expiry by strike, strikes ascending. */
export interface OpenInterest {
  readonly strikes: Series
  readonly callOi: Series
  readonly putOi: Series
}

/**
 * What holders are paid in total if the expiry settles at each listed strike.
 *
 * Formula: `pain(s) = multiplier * sum(callOi max(0, s - K) + putOi max(0, K - s))`. Unit: currency. One sweep up for the
 * calls and one down for the puts, O(n).
 * Source: the worked table of maximum-pain.com, How to calculate max pain.
 *
 * @throws RangeError when strikes do not ascend strictly, lengths differ, or open interest is negative or not finite.
 * @example
 * import { painByStrike } from "@tapeline/quant"
 * painByStrike({ strikes: [95, 100, 105], callOi: [9, 45, 25], putOi: [21, 33, 5] }, 100) // => [21500, 7000, 31500]
 */
export function painByStrike(chain: OpenInterest, multiplier = 1): Float64Array {
  const { strikes, callOi, putOi } = chain
  sameLength("maxPain", "strikes, callOi and putOi", strikes.length, callOi, putOi)
  positiveSeries("maxPain", "strikes", strikes)
  ascendingSeries("maxPain", "strikes", strikes)
  notNegativeSeries("maxPain", "callOi", callOi)
  notNegativeSeries("maxPain", "putOi", putOi)
  positive("maxPain", "multiplier", multiplier)
  const n = strikes.length
  const pain = new Float64Array(n)
  let held = 0
  let paid = 0
  for (let i = 0; i < n; i++) {
    if (i > 0) paid += held * (strikes[i]! - strikes[i - 1]!)
    pain[i] = paid
    held += callOi[i]!
  }
  held = 0
  paid = 0
  for (let i = n - 1; i >= 0; i--) {
    if (i < n - 1) paid += held * (strikes[i + 1]! - strikes[i]!)
    pain[i] = (pain[i]! + paid) * multiplier
    held += putOi[i]!
  }
  return pain
}

/**
 * Max pain: the listed strike at which holders are paid least.
 *
 * Formula: the strike of the least {@link painByStrike}; a tie goes to the lower strike. Unit: that of the strikes. Null
 * for an empty chain or one without open interest.
 * Source: as {@link painByStrike}.
 *
 * @throws RangeError as {@link painByStrike}.
 * @example
 * import { maxPain } from "@tapeline/quant"
 * maxPain({ strikes: [95, 100, 105], callOi: [9, 45, 25], putOi: [21, 33, 5] }) // => 100
 */
export function maxPain(chain: OpenInterest): number | null {
  const pain = painByStrike(chain)
  let total = 0
  let best = 0
  for (let i = 0; i < pain.length; i++) {
    total += chain.callOi[i]! + chain.putOi[i]!
    if (pain[i]! < pain[best]!) best = i
  }
  return total > 0 ? chain.strikes[best]! : null
}

/**
 * Put/call ratio, of open interest or of volume (give one or the other, never a mixture).
 *
 * Formula: `sum(puts) / sum(calls)`. Unit: none. Null when there are no calls.
 * Source: CBOE, put/call ratios.
 *
 * @throws RangeError when a value is negative or not finite.
 * @example
 * import { putCallRatio } from "@tapeline/quant"
 * putCallRatio([21, 33, 5], [9, 45, 25]) // => 0.74684
 */
export function putCallRatio(puts: Series, calls: Series): number | null {
  notNegativeSeries("putCallRatio", "puts", puts)
  notNegativeSeries("putCallRatio", "calls", calls)
  let put = 0
  let call = 0
  for (let i = 0; i < puts.length; i++) put += puts[i]!
  for (let i = 0; i < calls.length; i++) call += calls[i]!
  return call > 0 ? put / call : null
}

/**
 * Gamma exposure per 1 % move.
 *
 * Formula: `sum(sign * gamma * oi * multiplier * spot^2 * 0.01)`, calls +, puts -. Unit: currency of the spot per 1 % move.
 * The sign is an assumption: dealers are taken to be long the calls and short the puts that customers hold.
 * Source: S. Perfiliev, How to Calculate Gamma Exposure (2022); SqueezeMetrics, Gamma Exposure (2017) for the sign.
 *
 * @throws RangeError when gamma or oi is negative, or multiplier or spot is not above 0.
 * @example
 * import { gexPer1Pct } from "@tapeline/quant"
 * gexPer1Pct({ options: [{ type: "call", gamma: 0.038, oi: 62000 }], multiplier: 100, spot: 520 }) // => 637062400
 */
export function gexPer1Pct(input: {
  readonly options: ReadonlyArray<{ readonly type: OptionType; readonly gamma: number; readonly oi: number }>
  readonly multiplier?: number | undefined
  readonly spot: number
}): number {
  const { options, multiplier = 1, spot } = input
  positive("gexPer1Pct", "multiplier", multiplier)
  positive("gexPer1Pct", "spot", spot)
  let sum = 0
  for (const { type, gamma, oi } of options) {
    notNegative("gexPer1Pct", "gamma", gamma)
    notNegative("gexPer1Pct", "oi", oi)
    sum += optionSign("gexPer1Pct", type) * gamma * oi
  }
  return sum * multiplier * spot * spot * 0.01
}

/** An option whose gamma is recomputed as the spot moves. */
export interface GammaOption {
  readonly type: OptionType
  readonly strike: number
  readonly years: number
  readonly sigma: number
  readonly oi: number
}

/** Arguments of {@link gexProfile} and {@link gammaFlip}. */
export interface GexProfileInput {
  readonly options: ReadonlyArray<GammaOption>
  readonly multiplier?: number | undefined
  readonly spot: number
  /** Bounds of the grid as multiples of spot; 0.8 and 1.2. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** Points of the grid; 161, a quarter of a percent apart. */
  readonly points?: number | undefined
}

/**
 * Gamma exposure on a grid of spots, every gamma recomputed at each with its own volatility (sticky strike).
 *
 * Formula: {@link gexPer1Pct} with Black-76 gammas at rate 0. Unit: currency per 1 % move. Expired options and options
 * without volatility have no gamma.
 * Source: S. Perfiliev (2022), "gamma profile".
 *
 * @throws RangeError when a number is not finite or out of bounds (strike, spot, multiplier above 0; the rest not below 0; from below to; at least 2 points).
 * @example
 * import { gexProfile } from "@tapeline/quant"
 * const options = [{ type: "call" as const, strike: 100, years: 0.1, sigma: 0.5, oi: 10 }]
 * const { spots, gex } = gexProfile({ options, spot: 100, points: 3 })
 * spots // => [80, 100, 120]
 * gex[1] // => 25.1526
 */
export function gexProfile(input: GexProfileInput): { readonly spots: Float64Array; readonly gex: Float64Array } {
  const { options, multiplier = 1, spot, from = 0.8, to = 1.2, points = 161 } = input
  positive("gexProfile", "multiplier", multiplier)
  positive("gexProfile", "spot", spot)
  positive("gexProfile", "from", from)
  positive("gexProfile", "to", to)
  if (!(from < to)) throw new RangeError(`gexProfile: from (${from}) must be below to (${to})`)
  if (!Number.isInteger(points) || points < 2) {
    throw new RangeError(`gexProfile: points must be a whole number of at least 2, got ${points}`)
  }
  const spots = new Float64Array(points)
  const gex = new Float64Array(points)
  for (let j = 0; j < points; j++) spots[j] = spot * (from + ((to - from) * j) / (points - 1))
  for (const { type, strike, years, sigma, oi } of options) {
    positive("gexProfile", "strike", strike)
    notNegative("gexProfile", "years", years)
    notNegative("gexProfile", "sigma", sigma)
    notNegative("gexProfile", "oi", oi)
    const sign = optionSign("gexProfile", type)
    const v = sigma * Math.sqrt(years)
    if (v === 0 || oi === 0) continue
    for (let j = 0; j < points; j++) {
      const d1 = Math.log(spots[j]! / strike) / v + 0.5 * v
      // gamma * spot^2 = n(d1) * spot / v
      gex[j] = gex[j]! + sign * oi * multiplier * ((normalPdf(d1) * spots[j]!) / v) * 0.01
    }
  }
  return { spots, gex }
}

/**
 * Gamma flip: the spot nearest to the present one at which gamma exposure changes sign.
 *
 * Formula: zero crossings of {@link gexProfile} between neighbouring grid points, by linear interpolation. Unit: that of
 * spot. Null when there is none on the grid.
 * Source: S. Perfiliev (2022), "zero gamma level".
 *
 * @throws RangeError as {@link gexProfile}.
 * @example
 * import { gammaFlip } from "@tapeline/quant"
 * const leg = { years: 0.1, sigma: 0.5, oi: 10 }
 * gammaFlip({ options: [{ type: "put", strike: 90, ...leg }, { type: "call", strike: 110, ...leg }], spot: 100 }) // => 98.2627
 * gammaFlip({ options: [{ type: "call", strike: 110, ...leg }], spot: 100 }) // => null
 */
export function gammaFlip(input: GexProfileInput): number | null {
  const { spots, gex } = gexProfile(input)
  let flip: number | null = null
  for (let j = 1; j < spots.length; j++) {
    const before = gex[j - 1]!
    const after = gex[j]!
    if (!(before < 0 && after >= 0) && !(before > 0 && after <= 0)) continue
    const at = spots[j - 1]! + ((spots[j]! - spots[j - 1]!) * before) / (before - after)
    if (flip === null || Math.abs(at - input.spot) < Math.abs(flip - input.spot)) flip = at
  }
  return flip
}

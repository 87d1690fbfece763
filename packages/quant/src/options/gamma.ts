import { checkInteger, checkNotNegative, checkPositive } from "../check.ts"
import { getOptionSign, type OptionType } from "./black.ts"

/**
 * Gamma exposure of open interest per 1 % move of the spot.
 *
 * Formula: `sum(sign * gamma * oi * multiplier * spot^2 * 0.01)`, with sign +1 for calls and -1 for puts. Unit:
 * currency of the spot per 1 % move. If `gamma` refers to a future instead of the spot, as in {@link black76},
 * `forward` must be the price of the future. The gamma of a future is multiplied by `(forward / spot)^2`, because a
 * future moves by the same percentage as the spot. The signs are an assumption: dealers are long calls and short puts.
 * Source: Perfiliev, How to Calculate Gamma Exposure (2022); SqueezeMetrics, Gamma Exposure (2017) for the sign.
 *
 * @throws RangeError when gamma or oi is negative, or forward, multiplier or spot is not above 0.
 * @example
 * import { gexPer1Pct } from "@tapeline/quant"
 * gexPer1Pct({ options: [{ type: "call", gamma: 0.038, oi: 62000 }], multiplier: 100, spot: 520 }) // => 637062400
 * gexPer1Pct({ options: [{ type: "put", gamma: 0.01, oi: 10, forward: 110 }], spot: 100 }) // => -12.1
 */
export function gexPer1Pct(input: {
  readonly options: ReadonlyArray<{
    readonly type: OptionType
    readonly gamma: number
    readonly oi: number
    /** The price of the future to which `gamma` refers. If `forward` is undefined, `gamma` refers to the spot. */
    readonly forward?: number | undefined
  }>
  readonly multiplier?: number | undefined
  readonly spot: number
}): number {
  const { options, multiplier = 1, spot } = input
  checkPositive("gexPer1Pct", "multiplier", multiplier)
  checkPositive("gexPer1Pct", "spot", spot)
  let sum = 0
  for (const { type, gamma, oi, forward = spot } of options) {
    checkNotNegative("gexPer1Pct", "gamma", gamma)
    checkNotNegative("gexPer1Pct", "oi", oi)
    checkPositive("gexPer1Pct", "forward", forward)
    sum += getOptionSign("gexPer1Pct", type) * gamma * oi * (forward / spot) ** 2
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
  /**
   * The current price of the future on which the option is written. The future moves by the same percentage as the
   * spot. By default, the price of the future is the spot.
   */
  readonly forward?: number | undefined
}

/** The arguments of {@link gexProfile} and {@link gammaFlip}. */
export interface GexProfileInput {
  readonly options: ReadonlyArray<GammaOption>
  readonly multiplier?: number | undefined
  readonly spot: number
  /** The bounds of the grid as multiples of `spot`; 0.8 and 1.2 by default. */
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** The number of points of the grid; 161 by default. */
  readonly points?: number | undefined
}

/**
 * The contribution of one option to the total gamma exposure. The contribution at a spot is
 * `sign * exp(scale + log(spot) - d1^2 / 2)`, where `d1 = log(spot) / v + shift`.
 */
interface ExposureTerm {
  readonly sign: 1 | -1
  readonly scale: number
  readonly v: number
  readonly shift: number
}

/**
 * The total gamma exposure, represented as `value * exp(power)`. The sign of `value` is correct even if the exposure
 * underflows to 0.
 */
interface Exposure {
  readonly value: number
  readonly power: number
}

/** The minimum exponent of a gamma exposure. An exposure below e^-700 counts as zero. */
const MIN_POWER = -700

function makeTerms(where: string, { options, multiplier = 1, spot }: GexProfileInput): ReadonlyArray<ExposureTerm> {
  checkPositive(where, "multiplier", multiplier)
  checkPositive(where, "spot", spot)
  const list: Array<ExposureTerm> = []
  for (const { type, strike, years, sigma, oi, forward = spot } of options) {
    checkPositive(where, "strike", strike)
    checkPositive(where, "forward", forward)
    checkNotNegative(where, "years", years)
    checkNotNegative(where, "sigma", sigma)
    checkNotNegative(where, "oi", oi)
    const sign = getOptionSign(where, type)
    const v = sigma * Math.sqrt(years)
    if (v === 0 || oi === 0) continue
    // Formula: gamma * F^2 = n(d1) * F / v, with F = spot' * forward / spot for a grid point spot'.
    const carry = forward / spot
    const scale = Math.log((0.01 * oi * multiplier * carry) / (v * Math.sqrt(2 * Math.PI)))
    list.push({ sign, scale, v, shift: Math.log(carry / strike) / v + 0.5 * v })
  }
  return list
}

function computeExposure(list: ReadonlyArray<ExposureTerm>, spot: number): Exposure {
  const log = Math.log(spot)
  const power = ({ scale, v, shift }: ExposureTerm): number => scale + log - 0.5 * (log / v + shift) ** 2
  let maxPower = -Infinity
  for (const term of list) maxPower = Math.max(maxPower, power(term))
  let value = 0
  if (maxPower > -Infinity) { for (const term of list) value += term.sign * Math.exp(power(term) - maxPower) }
  return { value, power: maxPower }
}

function makeSpotGrid(where: string, { spot, from = 0.8, to = 1.2, points = 161 }: GexProfileInput): Float64Array {
  checkPositive(where, "from", from)
  checkPositive(where, "to", to)
  if (!(from < to)) throw new RangeError(`${where}: from (${from}) must be below to (${to})`)
  checkInteger(where, "points", points, 2)
  return Float64Array.from({ length: points }, (_, j) => spot * (from + ((to - from) * j) / (points - 1)))
}

/**
 * Gamma exposure on a grid of spots. The gamma of each option is recomputed at each spot with the option's own
 * volatility (sticky strike).
 *
 * Formula: {@link gexPer1Pct} with Black-76 gammas at rate 0. The future of an option moves by the same percentage as
 * the spot. Unit: currency per 1 % move. Expired options and options without volatility have no gamma.
 * Source: Perfiliev (2022), "gamma profile"; Black (1976) for the future.
 *
 * @throws RangeError when a number is not finite or out of bounds (strike, forward, spot, multiplier above 0; the
 * others not below 0; from below to; at least 2 points).
 * @example
 * import { gexProfile } from "@tapeline/quant"
 * const options = [{ type: "call" as const, strike: 100, years: 0.1, sigma: 0.5, oi: 10 }]
 * const { spots, gex } = gexProfile({ options, spot: 100, points: 3 })
 * spots // => [80, 100, 120]
 * gex[1] // => 25.1526
 */
export function gexProfile(input: GexProfileInput): { readonly spots: Float64Array; readonly gex: Float64Array } {
  const list = makeTerms("gexProfile", input)
  const spots = makeSpotGrid("gexProfile", input)
  const gex = spots.map((spot) => {
    const { value, power } = computeExposure(list, spot)
    return value === 0 ? 0 : value * Math.exp(power)
  })
  return { spots, gex }
}

/**
 * Finds the spot between `from` and `to` at which the gamma exposure changes sign, by bisection down to the last digit.
 */
function findCrossing(list: ReadonlyArray<ExposureTerm>, from: number, to: number, sign: number): number {
  let low = from
  let high = to
  for (;;) {
    const middle = low + 0.5 * (high - low)
    if (middle <= low || middle >= high) return middle
    const { value } = computeExposure(list, middle)
    if (value === 0) return middle
    if (value * sign > 0) low = middle
    else high = middle
  }
}

/**
 * Gamma flip: of all spots at which gamma exposure changes sign, the spot nearest to the current spot.
 *
 * Formula: bisection between neighbouring grid points of {@link gexProfile} with different signs. Unit: the unit of
 * spot. Returns null if gamma exposure does not change its sign. An exposure that vanishes (below e^-700) does not
 * count as a change of sign. Two sign changes between neighbouring grid points are not found.
 * Source: Perfiliev (2022), "zero gamma level".
 *
 * @throws RangeError as {@link gexProfile}.
 * @example
 * import { gammaFlip } from "@tapeline/quant"
 * const leg = { years: 0.1, sigma: 0.5, oi: 10 }
 * const [put, call] = [{ type: "put" as const, strike: 90, ...leg }, { type: "call" as const, strike: 110, ...leg }]
 * gammaFlip({ options: [put, call], spot: 100 }) // => 98.2627
 * gammaFlip({ options: [call], spot: 100 }) // => null
 */
export function gammaFlip(input: GexProfileInput): number | null {
  const list = makeTerms("gammaFlip", input)
  let flip: number | null = null
  let previousSpot = NaN
  let sign = 0
  for (const spot of makeSpotGrid("gammaFlip", input)) {
    const { value, power } = computeExposure(list, spot)
    if (power < MIN_POWER) sign = 0
    if (power < MIN_POWER || value === 0) continue
    if (value * sign < 0) {
      const crossingSpot = findCrossing(list, previousSpot, spot, sign)
      if (flip === null || Math.abs(crossingSpot - input.spot) < Math.abs(flip - input.spot)) flip = crossingSpot
    }
    previousSpot = spot
    sign = Math.sign(value)
  }
  return flip
}

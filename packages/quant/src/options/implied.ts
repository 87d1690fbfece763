import { checkFinite, checkNotNegative, checkPositive } from "../check.ts"
import { erfcx, normalCdf, normalPdf } from "../normal.ts"
import { getOptionSign, type OptionType } from "./black.ts"

const MAX_STEPS = 100

/**
 * Volatility implied by the price of a European option (Black-Scholes-Merton).
 *
 * Method: put-call parity converts the price to that of the out-of-the-money option. Jaeckel's normalised form of the
 * price is `b = price / sqrt(F K)`, with `x = -|ln(F / K)|`. A bracketed Newton iteration solves for
 * `s = sigma sqrt(T)`. Below the inflection point sqrt(2 |x|), the objective of the iteration is 1 / ln(b). Above the
 * inflection point, the objective is the distance of the price to its upper bound. Unit: 1.00 = 100 % per year. The
 * precision of the result is limited only by the precision of the price. Returns null at expiry, and if the price is
 * not between the discounted intrinsic value and the upper bound.
 * Source: Jaeckel, By Implication (2006) and Let's Be Rational (2015), for the normalised form and the objectives.
 *
 * @throws RangeError when spot or strike is not above 0, price or years is negative, or anything is not finite.
 * @example
 * import { impliedVolatility } from "@tapeline/quant"
 * impliedVolatility({ price: 1.25, spot: 10, strike: 10, years: 0.5, rate: 0.05, type: "call" }) // => 0.4042
 * impliedVolatility({ price: 1, spot: 12, strike: 10, years: 0.5, type: "call" }) // => null
 */
export function impliedVolatility(input: {
  readonly price: number
  readonly spot: number
  readonly strike: number
  readonly years: number
  readonly rate?: number | undefined
  readonly dividend?: number | undefined
  readonly type: OptionType
}): number | null {
  const { price, spot, strike, years, rate = 0, dividend = 0, type } = input
  checkNotNegative("impliedVolatility", "price", price)
  checkPositive("impliedVolatility", "spot", spot)
  checkPositive("impliedVolatility", "strike", strike)
  checkNotNegative("impliedVolatility", "years", years)
  checkFinite("impliedVolatility", "rate", rate)
  checkFinite("impliedVolatility", "dividend", dividend)
  const sign = getOptionSign("impliedVolatility", type)
  if (years === 0) return null
  const asset = spot * Math.exp(-dividend * years)
  const cash = strike * Math.exp(-rate * years)
  const intrinsic = Math.max(0, sign * (asset - cash))
  const x = -Math.abs(Math.log(spot / strike) + (rate - dividend) * years)
  const s = solveNormalisedRoot((price - intrinsic) / Math.sqrt(asset * cash), x)
  return s === null ? null : s / Math.sqrt(years)
}

/**
 * Volatility implied by the price of a European option on a future (Black-76).
 *
 * Method: {@link impliedVolatility} with the forward as the spot and the rate as the dividend yield. The price is
 * discounted at `rate`, which defaults to 0. Unit: 1.00 = 100 % per year.
 * Source: {@link impliedVolatility}.
 *
 * @throws RangeError as {@link impliedVolatility}.
 * @example
 * import { impliedVolatility76 } from "@tapeline/quant"
 * impliedVolatility76({ price: 2.4, forward: 100, strike: 100, years: 1 / 365, type: "call" }) // => 1.14951
 */
export function impliedVolatility76(input: {
  readonly price: number
  readonly forward: number
  readonly strike: number
  readonly years: number
  readonly rate?: number | undefined
  readonly type: OptionType
}): number | null {
  const { forward, rate = 0, ...rest } = input
  return impliedVolatility({ ...rest, spot: forward, rate, dividend: rate })
}

/** Returns the normalised Black price of an out-of-the-money option for an `x` of at most 0. */
function computeNormalisedPrice(x: number, s: number): number {
  const h = x / s
  const t = 0.5 * s
  if (h + t > 0) return Math.exp(0.5 * x) * normalCdf(h + t) - Math.exp(-0.5 * x) * normalCdf(h - t)
  // The common factor of the two terms underflows to 0 long before rounding errors dominate the difference of the
  // terms.
  return 0.5 * Math.exp(-0.5 * (h * h + t * t)) * (erfcx(-(h + t) * Math.SQRT1_2) - erfcx(-(h - t) * Math.SQRT1_2))
}

function solveNormalisedRoot(target: number, x: number): number | null {
  const bound = Math.exp(0.5 * x)
  if (!(target > 0) || !(target < bound)) return null
  const inflection = Math.sqrt(-2 * x)
  const low = target < computeNormalisedPrice(x, inflection)
  let below = low ? 0 : inflection
  let above = low ? inflection : Math.max(1, 2 * inflection)
  if (!low) {
    while (computeNormalisedPrice(x, above) < target) {
      below = above
      above *= 2
      if (above > 1e3) return null
    }
  }
  const logTarget = Math.log(target)
  const logGap = Math.log(bound - target)
  const near = target < 0.5 * bound
  let s = low ? inflection : below > 0 ? below : Math.min(above, 2.5 * target)
  for (let step = 0; step < MAX_STEPS; step++) {
    const b = computeNormalisedPrice(x, s)
    if (b === target) return s
    if (b > target) above = Math.min(above, s)
    else below = Math.max(below, s)
    const slope = normalPdf(x / s) * Math.exp(-0.125 * s * s)
    let next: number
    if (low) {
      const log = Math.log(b)
      next = s + ((1 / logTarget - 1 / log) * -b * log * log) / slope
    } else if (near) next = s + (target - b) / slope
    else next = s + ((Math.log(bound - b) - logGap) * (bound - b)) / slope
    // If the Newton step is outside the bracket or not a number, the bracket is halved.
    if (!(next > below && next < above)) next = 0.5 * (below + above)
    if (Math.abs(next - s) <= 2 * Number.EPSILON * s) return next
    s = next
  }
  return s
}

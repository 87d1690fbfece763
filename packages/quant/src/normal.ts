/** The standard normal distribution, accurate to the last bits in the tails too. */

import { within } from "./check.ts"

const INVERSE_SQRT_PI = 0.5641895835477562869
const INVERSE_SQRT_2PI = 0.39894228040143267794

/**
 * Complementary error function scaled by its decay.
 *
 * Formula: `erfcx(x) = exp(x^2) erfc(x)`. Unit: none. Relative error about 1e-16 for x above 0; x below -26 overflows to Infinity.
 * Source: W. J. Cody, Rational Chebyshev Approximations for the Error Function, Math. Comp. 23 (1969).
 *
 * @example
 * import { erfcx } from "@tapeline/quant"
 * erfcx(0) // => 1
 * erfcx(10) // => 0.05614099274382259
 */
export function erfcx(x: number): number {
  if (x < 0) return 2 * Math.exp(x * x) - erfcx(-x)
  if (x <= 0.46875) return Math.exp(x * x) * (1 - erfSmall(x))
  return x <= 4 ? erfcxMiddle(x) : erfcxLarge(x)
}

/**
 * Complementary error function.
 *
 * Formula: `erfc(x) = 2 / sqrt(pi) * integral of exp(-t^2) from x to infinity`. Unit: none. Relative error below 1e-15.
 * Source: W. J. Cody (1969), as {@link erfcx}.
 *
 * @example
 * import { erfc } from "@tapeline/quant"
 * erfc(1) // => 0.15729920705028513
 * erfc(20) * 1e176 // => 0.539586561160791
 */
export function erfc(x: number): number {
  const size = Math.abs(x)
  if (size <= 0.46875) return 1 - erfSmall(x)
  if (size > 27) return x < 0 ? 2 : 0
  const tail = decay(size) * (size <= 4 ? erfcxMiddle(size) : erfcxLarge(size))
  return x < 0 ? 2 - tail : tail
}

/** exp(-x^2), with the square split so that its rounding error does not reach the exponent. */
function decay(x: number): number {
  const head = Math.trunc(x * 16) / 16
  return Math.exp(-head * head) * Math.exp(-(x - head) * (x + head))
}

/** erf for |x| up to 0.46875. */
function erfSmall(x: number): number {
  const y = x * x
  const top = (((1.85777706184603153e-1 * y + 3.16112374387056560) * y + 1.13864154151050156e2) * y + 3.77485237685302021e2) * y +
    3.20937758913846947e3
  const bottom = (((y + 2.36012909523441209e1) * y + 2.44024637934444173e2) * y + 1.28261652607737228e3) * y +
    2.84423683343917062e3
  return (x * top) / bottom
}

/** erfcx for 0.46875 to 4. */
function erfcxMiddle(x: number): number {
  let top = 2.15311535474403846e-8 * x + 5.64188496988670089e-1
  top = top * x + 8.88314979438837594
  top = top * x + 6.61191906371416295e1
  top = top * x + 2.98635138197400131e2
  top = top * x + 8.81952221241769090e2
  top = top * x + 1.71204761263407058e3
  top = top * x + 2.05107837782607147e3
  top = top * x + 1.23033935479799725e3
  let bottom = x + 1.57449261107098347e1
  bottom = bottom * x + 1.17693950891312499e2
  bottom = bottom * x + 5.37181101862009858e2
  bottom = bottom * x + 1.62138957456669019e3
  bottom = bottom * x + 3.29079923573345963e3
  bottom = bottom * x + 4.36261909014324716e3
  bottom = bottom * x + 3.43936767414372164e3
  bottom = bottom * x + 1.23033935480374942e3
  return top / bottom
}

/** erfcx above 4. */
function erfcxLarge(x: number): number {
  const y = 1 / (x * x)
  let top = 1.63153871373020978e-2 * y + 3.05326634961232344e-1
  top = top * y + 3.60344899949804439e-1
  top = top * y + 1.25781726111229246e-1
  top = top * y + 1.60837851487422766e-2
  top = top * y + 6.58749161529837803e-4
  let bottom = y + 2.56852019228982242
  bottom = bottom * y + 1.87295284992346725
  bottom = bottom * y + 5.27905102951428412e-1
  bottom = bottom * y + 6.05183413124413191e-2
  bottom = bottom * y + 2.33520497626869185e-3
  return (INVERSE_SQRT_PI - (y * top) / bottom) / x
}

/**
 * Density of the standard normal distribution.
 *
 * Formula: `exp(-x^2 / 2) / sqrt(2 pi)`. Unit: none.
 * Source: definition.
 *
 * @example
 * import { normalPdf } from "@tapeline/quant"
 * normalPdf(0) // => 0.3989422804014327
 */
export function normalPdf(x: number): number {
  return INVERSE_SQRT_2PI * Math.exp(-0.5 * x * x)
}

/**
 * Cumulative distribution function of the standard normal distribution.
 *
 * Formula: `N(x) = erfc(-x / sqrt(2)) / 2`. Unit: 0 to 1. Relative error below 2e-15 in both tails, to the smallest normal number.
 * Source: W. J. Cody (1969), as {@link erfcx}.
 *
 * @example
 * import { normalCdf } from "@tapeline/quant"
 * normalCdf(0) // => 0.5
 * normalCdf(-1.959963984540054) // => 0.025
 */
export function normalCdf(x: number): number {
  const size = Math.abs(x)
  const y = size * Math.SQRT1_2
  if (y <= 0.46875) return 0.5 * (1 + erfSmall(x * Math.SQRT1_2))
  if (size > 38.6) return x > 0 ? 1 : 0
  // The exponent is taken from x itself: rounding x / sqrt(2) first would cost x^2 times as much.
  const head = Math.trunc(size * 16) / 16
  const exponential = Math.exp(-0.5 * head * head) * Math.exp(-0.5 * (size - head) * (size + head))
  const tail = 0.5 * exponential * (y <= 4 ? erfcxMiddle(y) : erfcxLarge(y))
  return x > 0 ? 1 - tail : tail
}

/**
 * Quantile of the standard normal distribution, the inverse of {@link normalCdf}.
 *
 * Formula: x with `N(x) = p`. Unit: none. `-Infinity` at 0, `Infinity` at 1. Relative error about 1e-15.
 * Source: M. J. Wichura, Algorithm AS 241: The Percentage Points of the Normal Distribution (1988).
 *
 * @throws RangeError when p is outside [0, 1].
 * @example
 * import { normalInverse } from "@tapeline/quant"
 * normalInverse(0.975) // => 1.959963984540054
 */
export function normalInverse(p: number): number {
  within("normalInverse", "p", p, 0, 1)
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    const top = ((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r + 6.7265770927008700853e4) * r +
      4.5921953931549871457e4) * r + 1.3731693765509461125e4) * r + 1.9715909503065514427e3) * r + 1.3314166789178437745e2) * r +
      3.3871328727963666080
    const bottom = ((((((5.2264952788528545610e3 * r + 2.8729085735721942674e4) * r + 3.9307895800092710610e4) * r +
      2.1213794301586595867e4) * r + 5.3941960214247511077e3) * r + 6.8718700749205790830e2) * r + 4.2313330701600911252e1) * r + 1
    return (q * top) / bottom
  }
  const tail = q < 0 ? p : 1 - p
  if (tail === 0) return q < 0 ? -Infinity : Infinity
  const root = Math.sqrt(-Math.log(tail))
  const size = root <= 5 ? tailNear(root - 1.6) : tailFar(root - 5)
  return q < 0 ? -size : size
}

function tailNear(r: number): number {
  const top = ((((((7.74545014278341407640e-4 * r + 2.27238449892691845833e-2) * r + 2.41780725177450611770e-1) * r +
    1.27045825245236838258) * r + 3.64784832476320460504) * r + 5.76949722146069140550) * r + 4.63033784615654529590) * r +
    1.42343711074968357734
  const bottom = ((((((1.05075007164441684324e-9 * r + 5.47593808499534494600e-4) * r + 1.51986665636164571966e-2) * r +
    1.48103976427480074590e-1) * r + 6.89767334985100004550e-1) * r + 1.67638483018380384940) * r + 2.05319162663775882187) * r + 1
  return top / bottom
}

function tailFar(r: number): number {
  const top = ((((((2.01033439929228813265e-7 * r + 2.71155556874348757815e-5) * r + 1.24266094738807843860e-3) * r +
    2.65321895265761230930e-2) * r + 2.96560571828504891230e-1) * r + 1.78482653991729133580) * r + 5.46378491116411436990) * r +
    6.65790464350110377720
  const bottom = ((((((2.04426310338993978564e-15 * r + 1.42151175831644588870e-7) * r + 1.84631831751005468180e-5) * r +
    7.86869131145613259100e-4) * r + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1) * r + 5.99832206555887937690e-1) * r + 1
  return top / bottom
}

/** The standard normal distribution, accurate to the last bits even in the tails. */

import { checkWithin } from "./check.ts"

const INVERSE_SQRT_PI = 0.5641895835477563
const INVERSE_SQRT_2PI = 0.3989422804014327

/**
 * Scaled complementary error function.
 *
 * Formula: `erfcx(x) = exp(x^2) erfc(x)`. Unit: none. The relative error is about 1e-16 for x above 0. For x below -26,
 * the result overflows to Infinity.
 * Source: Cody, Rational Chebyshev Approximations for the Error Function, Mathematics of Computation 23 (1969).
 *
 * @example
 * import { erfcx } from "@tapeline/quant"
 * erfcx(0) // => 1
 * erfcx(10) // => 0.056140992743823
 */
export function erfcx(x: number): number {
  if (x < 0) return 2 * Math.exp(x * x) - erfcx(-x)
  if (x <= 0.46875) return Math.exp(x * x) * (1 - erfSmall(x))
  return x <= 4 ? erfcxMiddle(x) : erfcxLarge(x)
}

/**
 * Complementary error function.
 *
 * Formula: `erfc(x) = 2 / sqrt(pi) * integral of exp(-t^2) from x to infinity`. Unit: none. The relative error is below
 * 1e-15.
 * Source: Cody (1969), as {@link erfcx}.
 *
 * @example
 * import { erfc } from "@tapeline/quant"
 * erfc(1) // => 0.157299207050285
 * erfc(20) * 1e176 // => 5.39586561160790
 */
export function erfc(x: number): number {
  const size = Math.abs(x)
  if (size <= 0.46875) return 1 - erfSmall(x)
  if (size > 27) return x < 0 ? 2 : 0
  const tail = decay(size) * (size <= 4 ? erfcxMiddle(size) : erfcxLarge(size))
  return x < 0 ? 2 - tail : tail
}

/** Returns exp(-x^2) from two factors, so that the rounding error of the square does not reach the exponent. */
function decay(x: number): number {
  const head = Math.trunc(x * 16) / 16
  return Math.exp(-head * head) * Math.exp(-(x - head) * (x + head))
}

/** Returns erf(x) for |x| up to 0.46875. */
function erfSmall(x: number): number {
  const y = x * x
  const top = (((0.18577770618460315 * y + 3.1611237438705655) * y + 113.86415415105016) * y + 377.485237685302) * y +
    3209.3775891384694
  const bottom = (((y + 23.601290952344122) * y + 244.02463793444417) * y + 1282.6165260773723) * y +
    2844.236833439171
  return (x * top) / bottom
}

/** Returns erfcx(x) for x from 0.46875 to 4. */
function erfcxMiddle(x: number): number {
  let top = 2.1531153547440383e-8 * x + 0.5641884969886701
  top = top * x + 8.883149794388377
  top = top * x + 66.11919063714163
  top = top * x + 298.6351381974001
  top = top * x + 881.952221241769
  top = top * x + 1712.0476126340707
  top = top * x + 2051.0783778260716
  top = top * x + 1230.3393547979972
  let bottom = x + 15.744926110709835
  bottom = bottom * x + 117.6939508913125
  bottom = bottom * x + 537.1811018620099
  bottom = bottom * x + 1621.3895745666903
  bottom = bottom * x + 3290.7992357334597
  bottom = bottom * x + 4362.619090143247
  bottom = bottom * x + 3439.3676741437216
  bottom = bottom * x + 1230.3393548037495
  return top / bottom
}

/** Returns erfcx(x) for x above 4. */
function erfcxLarge(x: number): number {
  const y = 1 / (x * x)
  let top = 0.016315387137302097 * y + 0.30532663496123236
  top = top * y + 0.36034489994980445
  top = top * y + 0.12578172611122926
  top = top * y + 0.016083785148742275
  top = top * y + 0.0006587491615298378
  let bottom = y + 2.568520192289822
  bottom = bottom * y + 1.8729528499234673
  bottom = bottom * y + 0.5279051029514285
  bottom = bottom * y + 0.06051834131244132
  bottom = bottom * y + 0.0023352049762686918
  return (INVERSE_SQRT_PI - (y * top) / bottom) / x
}

/**
 * Density of the standard normal distribution.
 *
 * Formula: `exp(-x^2 / 2) / sqrt(2 pi)`. Unit: none.
 * Source: definition of the normal density.
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
 * Formula: `N(x) = erfc(-x / sqrt(2)) / 2`. Unit: a number from 0 to 1. The relative error is below 2e-15 in both
 * tails, down to the smallest normal number.
 * Source: Cody (1969), as {@link erfcx}.
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
  // Rounding x / sqrt(2) before the exponent is computed would multiply the rounding error by x^2.
  const head = Math.trunc(size * 16) / 16
  const exponential = Math.exp(-0.5 * head * head) * Math.exp(-0.5 * (size - head) * (size + head))
  const tail = 0.5 * exponential * (y <= 4 ? erfcxMiddle(y) : erfcxLarge(y))
  return x > 0 ? 1 - tail : tail
}

/**
 * Quantile of the standard normal distribution, the inverse of {@link normalCdf}.
 *
 * Formula: x with `N(x) = p`. Unit: none. The result is `-Infinity` for p = 0 and `Infinity` for p = 1. The relative
 * error is about 1e-15.
 * Source: Wichura, Algorithm AS 241: The Percentage Points of the Normal Distribution (1988).
 *
 * @throws RangeError when p is outside [0, 1].
 * @example
 * import { normalInverse } from "@tapeline/quant"
 * normalInverse(0.975) // => 1.959963984540054
 */
export function normalInverse(p: number): number {
  checkWithin("normalInverse", "p", p, 0, 1)
  const q = p - 0.5
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q
    const top = ((((((2509.0809287301227 * r + 33430.57558358813) * r + 67265.7709270087) * r +
                      45921.95393154987) * r + 13731.69376550946) * r + 1971.5909503065513) * r + 133.14166789178438) *
        r +
      3.3871328727963665
    const bottom = ((((((5226.495278852854 * r + 28729.085735721943) * r + 39307.89580009271) * r +
                      21213.794301586597) * r + 5394.196021424751) * r + 687.1870074920579) * r + 42.31333070160091) *
        r + 1
    return (q * top) / bottom
  }
  const tail = q < 0 ? p : 1 - p
  if (tail === 0) return q < 0 ? -Infinity : Infinity
  const root = Math.sqrt(-Math.log(tail))
  const size = root <= 5 ? tailNear(root - 1.6) : tailFar(root - 5)
  return q < 0 ? -size : size
}

function tailNear(r: number): number {
  const top = ((((((0.0007745450142783414 * r + 0.022723844989269184) * r + 0.2417807251774506) * r +
                    1.2704582524523684) * r + 3.6478483247632045) * r + 5.769497221460691) * r + 4.630337846156546) *
      r +
    1.4234371107496835
  const bottom = ((((((1.0507500716444169e-9 * r + 0.0005475938084995345) * r + 0.015198666563616457) * r +
                    0.14810397642748008) * r + 0.6897673349851) * r + 1.6763848301838038) * r + 2.053191626637759) * r +
    1
  return top / bottom
}

function tailFar(r: number): number {
  const top = ((((((2.0103343992922881e-7 * r + 2.7115555687434876e-5) * r + 0.0012426609473880784) * r +
                    0.026532189526576124) * r + 0.29656057182850487) * r + 1.7848265399172913) * r +
        5.463784911164114) * r +
    6.657904643501103
  const bottom = ((((((2.0442631033899397e-15 * r + 1.421511758316446e-7) * r + 1.8463183175100548e-5) * r +
                    0.0007868691311456133) * r + 0.014875361290850615) * r + 0.1369298809227358) * r +
        0.599832206555888) * r + 1
  return top / bottom
}

import { checkFinite, checkInteger, type Series } from "./check.ts"

/** The coefficients of Lanczos's series for g = 7 and nine terms (Godfrey, 2001). */
const lanczos = [
  0.99999999999980993,
  676.5203681218851,
  -1259.1392167224028,
  771.32342877765313,
  -176.61502916214059,
  12.507343278686905,
  -0.13857109526572012,
  9.9843695780195716e-6,
  1.5056327351493116e-7
] as const

/** Returns the logarithm of the gamma function for x above 0.5 (Lanczos, 1964). */
function logGamma(x: number): number {
  const at = x - 1
  let sum: number = lanczos[0]
  for (let i = 1; i < lanczos.length; i++) sum += lanczos[i]! / (at + i)
  const t = at + 7.5
  return 0.5 * Math.log(2 * Math.PI) + (at + 0.5) * Math.log(t) - t + Math.log(sum)
}

/** The value that replaces 0 in a denominator of Lentz's method. */
const TINY = 1e-300

/** Returns the continued fraction of the incomplete beta function for x below (a + 1) / (a + b + 2). */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1
  let d = 1 / (Math.abs(1 - ((a + b) * x) / (a + 1)) < TINY ? TINY : 1 - ((a + b) * x) / (a + 1))
  let h = d
  for (let m = 1; m < 1000; m++) {
    let change = 1
    for (
      const factor of [
        (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m)),
        (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
      ]
    ) {
      d = 1 + factor * d
      c = 1 + factor / c
      d = 1 / (Math.abs(d) < TINY ? TINY : d)
      c = Math.abs(c) < TINY ? TINY : c
      change = d * c
      h *= change
    }
    if (Math.abs(change - 1) < 1e-15) break
  }
  return h
}

function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b
}

/**
 * Two-sided p-value of a t statistic: the probability of a t statistic at least as far from 0 if the true mean is 0.
 *
 * Formula: `I(df / (df + t^2); df / 2, 1 / 2)`, where I is the regularised incomplete beta function. Unit: a number
 * from 0 to 1.
 * Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.1; Press et al., Numerical Recipes, 6.4, for
 * the continued fraction.
 *
 * @throws RangeError when t is not finite, or df is not a whole number of at least 1.
 * @example
 * import { studentTwoSided } from "@tapeline/quant"
 * studentTwoSided(2.0860, 20) // => 0.05
 */
export function studentTwoSided(t: number, df: number): number {
  checkFinite("studentTwoSided", "t", t)
  checkInteger("studentTwoSided", "df", df, 1)
  return incompleteBeta(df / (df + t * t), df / 2, 0.5)
}

/**
 * p-values adjusted for the number of tests, by the false discovery rate.
 *
 * Formula: for m ordered values, `min over j >= i of min(1, m p(j) / j)`. If all adjusted values of at most q are
 * called significant, the expected share of false discoveries is at most q. Unit: a number from 0 to 1. The results are
 * in the given order, and each result is at least its own p-value.
 * Source: Benjamini and Hochberg, Controlling the False Discovery Rate (1995).
 *
 * @throws RangeError when a value is not from 0 to 1.
 * @example
 * import { benjaminiHochberg } from "@tapeline/quant"
 * benjaminiHochberg([0.01, 0.04, 0.03, 0.005]) // => [0.02, 0.04, 0.04, 0.02]
 */
export function benjaminiHochberg(p: Series): Float64Array {
  const m = p.length
  const order = Array.from({ length: m }, (_, i) => i)
  for (const i of order) {
    if (!(p[i]! >= 0 && p[i]! <= 1)) throw new RangeError(`benjaminiHochberg: p[${i}] must be from 0 to 1, got ${p[i]}`)
  }
  order.sort((a, b) => p[a]! - p[b]!)
  const out = new Float64Array(m)
  let runningMin = 1
  for (let rank = m; rank >= 1; rank--) {
    const i = order[rank - 1]!
    // Takes the maximum, because rounding must not make an adjusted value smaller than its own p-value.
    runningMin = Math.min(runningMin, Math.max(p[i]!, (m * p[i]!) / rank))
    out[i] = runningMin
  }
  return out
}

import { assert } from "@effect/vitest"
import { dayMs } from "@tapeline/core"

export const yearMs = 365 * dayMs

/** Computes the normal distribution by a separate series: G. Marsaglia, Evaluating the Normal Distribution (2004). */
export const normalCdf = (x: number): number => {
  if (Math.abs(x) > 8) return x > 0 ? 1 : 0
  let [sum, term] = [x, x]
  for (let i = 3; Math.abs(term) > 1e-17; i += 2) sum += term *= x * x / i
  return 0.5 + sum * Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI)
}
export type OptionKind = "call" | "put"
export const computeBlackPrice = (
  forward: number,
  strike: number,
  years: number,
  sigma: number,
  type: OptionKind
): number => {
  const v = sigma * Math.sqrt(years)
  const d1 = Math.log(forward / strike) / v + v / 2
  const one = type === "call" ? 1 : -1
  return one * (forward * normalCdf(one * d1) - strike * normalCdf(one * (d1 - v)))
}
export const computeSlope = (f: (x: number) => number, x: number, h: number): number => (f(x + h) - f(x - h)) / (2 * h)
export const computeSecondDerivative = (f: (x: number) => number, x: number, h: number): number =>
  (f(x + h) - 2 * f(x) + f(x - h)) / (h * h)
export const assertNear = (actual: number | null, expected: number, tolerance: number, description: string): void => {
  assert.isNotNull(actual, description)
  assert.isAtMost(
    Math.abs(actual - expected),
    tolerance * Math.max(1e-9, Math.abs(expected)),
    `${description}: ${actual}, ${expected}`
  )
}

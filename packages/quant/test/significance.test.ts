import { benjaminiHochberg, normalCdf, studentTwoSided } from "@tapeline/quant"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { assertHolds, assertNear, findCounterexample } from "./propertyTesting.ts"

it("Student's t matches the published 5 and 1 percent points and the closed forms", () => {
  // The expected values are from Abramowitz and Stegun, table 26.10.
  for (
    const [df, five, one] of [[1, 12.706, 63.657], [2, 4.303, 9.925], [10, 2.228, 3.169], [20, 2.086, 2.845]] as const
  ) {
    expect(studentTwoSided(five, df)).toBeCloseTo(0.05, 4)
    expect(studentTwoSided(-one, df)).toBeCloseTo(0.01, 4)
  }
  // Student's t distribution has closed forms for one and two degrees of freedom, and approaches the normal
  // distribution.
  for (const t of [1e-3, 0.5, 1, 3, 40, 1e6]) {
    assertNear("df 1", studentTwoSided(t, 1), (2 / Math.PI) * Math.atan(1 / t), 1e-12)
    assertNear("df 2", studentTwoSided(t, 2), 2 / (2 + t * t) / (1 + t / Math.sqrt(2 + t * t)), 1e-12)
  }
  expect(studentTwoSided(1.5, 1e5)).toBeCloseTo(2 * normalCdf(-1.5), 5)
  expect(studentTwoSided(0, 7)).toBe(1)
  expect(() => studentTwoSided(NaN, 7)).toThrow(RangeError)
  expect(() => studentTwoSided(1, 0.5)).toThrow(RangeError)
})

it("Student's t equals the integral of its density", () => {
  for (const [t, df] of [[0.7, 3], [2, 5], [1.1, 29], [4, 364]] as const) {
    // The integral of the density without the normalising constant, as a midpoint sum over x = tan(angle).
    const mass = (from: number): number => {
      let sum = 0
      const [low, steps] = [Math.atan(from), 200_000]
      const width = (Math.PI / 2 - low) / steps
      for (let i = 0; i < steps; i++) {
        const x = Math.tan(low + (i + 0.5) * width)
        sum += (1 + (x * x) / df) ** (-(df + 1) / 2) * (1 + x * x) * width
      }
      return sum
    }
    expect(studentTwoSided(t, df)).toBeCloseTo(mass(t) / mass(0), 8)
  }
})

it("benjaminiHochberg rejects the same hypotheses as the step-up rule", () => {
  const counterexample = findCounterexample(
    1000,
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 40 }),
      fc.double({ min: 0.001, max: 0.999, noNaN: true }),
      (p, q) => {
        const adjusted = benjaminiHochberg(p)
        const sorted = [...p].sort((a, b) => a - b)
        // All hypotheses with a p-value up to `bound` are rejected, where `bound` is the largest p(k) that is at most k
        // q / m.
        let bound = -1
        for (const [i, value] of sorted.entries()) if (value * p.length <= (i + 1) * q * (1 - 1e-12)) bound = value
        for (const [i, value] of p.entries()) {
          assertHolds(adjusted[i]! >= value, () => "an adjusted p-value is below its p-value")
          if (value <= bound) assertHolds(adjusted[i]! <= q, () => `${value} is rejected at ${q}`)
        }
        const isNearTie = sorted.some((value, i) => Math.abs(value * p.length - (i + 1) * q) <= 1e-9)
        if (isNearTie) return
        for (const [i, value] of p.entries()) {
          assertHolds((value <= bound) === (adjusted[i]! <= q), () => `${value} at ${q}`)
        }
      }
    )
  )
  expect(counterexample).toBeUndefined()
  expect(() => benjaminiHochberg([0.1, 1.1])).toThrow(RangeError)
})

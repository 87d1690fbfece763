/** Compares the normal distribution with integer arithmetic of 120 digits. */
import { erfc, erfcx, normalCdf, normalInverse, seededRandom } from "@tapeline/quant"
import { describe, expect, it } from "vitest"
import { scaleRuns, seed } from "./propertyTesting.ts"

const ONE = 10n ** 120n

/** Converts x to a fixed-point number. x must have at most 40 binary places. */
const toFixed = (x: number): bigint => BigInt(x * 2 ** 40) * (ONE / 2n ** 40n)

function arctan(q: bigint): bigint {
  let term = ONE / q
  let sum = term
  for (let k = 3n, sign = -1n; term !== 0n; k += 2n, sign = -sign) {
    term /= q * q
    sum += (sign * term) / k
  }
  return sum
}

function root(x: bigint): bigint {
  const target = x * ONE
  let guess = ONE
  for (let i = 0; i < 500; i++) {
    const next = (guess + target / guess) / 2n
    if (next === guess || next === guess + 1n) return guess
    guess = next
  }
  throw new Error("no root")
}

const SQRT_PI = root(4n * (4n * arctan(5n) - arctan(239n)))

/** Computes erfc by the Maclaurin series of erf. With 120 digits, cancellation is harmless up to x = 10. */
function exactErfc(x: number): number {
  const X = toFixed(x)
  const square = (X * X) / ONE
  let term = X
  let sum = X
  for (let k = 1n; term !== 0n; k++) {
    term = (-term * square) / ONE / k
    sum += term / (2n * k + 1n)
  }
  // The division must keep 17 significant digits of the small difference.
  return Number(((ONE - (2n * sum * ONE) / SQRT_PI) * 10n ** 60n) / ONE) / 1e60
}

const random = seededRandom(seed)
const draw = (limit: number): number => Math.round(random() * limit * 2 ** 40) / 2 ** 40

describe("normal distribution", () => {
  it("has an erfc with a relative error below 1e-15 up to 8, including tails", () => {
    for (let i = 0; i < scaleRuns(3000); i++) {
      const x = draw(8)
      expect(Math.abs(erfc(x) / exactErfc(x) - 1), `x = ${x}`).toBeLessThan(1e-15)
      expect(Math.abs(erfc(-x) - (2 - exactErfc(x)))).toBeLessThan(5e-16)
    }
  })

  it("has a normalCdf equal to half of erfc, up to the rounding of x = y sqrt(2)", () => {
    for (let i = 0; i < scaleRuns(3000); i++) {
      const y = draw(7)
      expect(Math.abs(normalCdf(-y * Math.SQRT2) / (exactErfc(y) / 2) - 1)).toBeLessThan(1e-15 * (1 + y * y))
    }
  })

  it("has an erfcx equal to erfc without its decay", () => {
    for (let i = 0; i < scaleRuns(3000); i++) {
      const x = draw(20)
      expect(Math.abs((erfcx(x) * Math.exp(-x * x)) / erfc(x) - 1)).toBeLessThan(1e-13)
    }
  })

  it("has a normalInverse that inverts normalCdf", () => {
    for (let i = 0; i < scaleRuns(20000); i++) {
      const p = Math.exp(-random() * 600)
      const x = normalInverse(p)
      expect(Math.abs(normalCdf(x) / p - 1)).toBeLessThan(2e-15 * (1 + x * x))
    }
    expect(normalInverse(0)).toBe(-Infinity)
    expect(normalInverse(1)).toBe(Infinity)
    expect(() => normalInverse(1.1)).toThrow(RangeError)
  })

  it("represents the smallest probabilities, and saturates without errors", () => {
    expect(normalCdf(-37.5)).toBeGreaterThan(0)
    expect(normalCdf(-40)).toBe(0)
    expect(normalCdf(-Infinity)).toBe(0)
    expect(normalCdf(Infinity)).toBe(1)
    expect(erfc(Infinity)).toBe(0)
    expect(erfc(-Infinity)).toBe(2)
  })
})

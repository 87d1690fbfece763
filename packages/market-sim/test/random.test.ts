import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apportion, apportionWithin, balance } from "../src/kernel/apportion.ts"
import { stationaryNoise } from "../src/kernel/noise.ts"
import { derive, normal, normalDistribution, normalQuantile, streamKey, uniform } from "../src/kernel/random.ts"
import { besselBelow, bridgeExtremePlace, bridgeMinimum, farthestFromExtreme } from "../src/path/bridge.ts"
import { full, property } from "./support/counts.ts"
import {
  autocorrelation,
  correlation,
  distributionDistance,
  excessKurtosis,
  mean,
  variance
} from "./support/statistics.ts"

const key = streamKey("random", "test")
const count = full ? 100_000 : 20_000
const sample = (draw: (i: number) => number): Array<number> => Array.from({ length: count }, (_, i) => draw(i))
/** Kolmogorov's bound at a level that a correct sample exceeds once in 10,000 times. */
const bound = 2.3 / Math.sqrt(count)

describe("counter-based numbers", () => {
  it("are uniform along slots and along addresses, and do not depend on their neighbours", () => {
    for (
      const draw of [
        (i: number) => uniform(key, i),
        (i: number) => uniform(derive(key, i, 0), 0),
        (i: number) => uniform(derive(key, 7, i), 3),
        (i: number) => uniform(streamKey(i, "seed"), 0)
      ]
    ) {
      const numbers = sample(draw)
      expect(distributionDistance(numbers, (x) => x)).toBeLessThan(bound)
      for (const lag of [1, 2, 3]) expect(Math.abs(autocorrelation(numbers, lag))).toBeLessThan(4 / Math.sqrt(count))
    }
    const one = sample((i) => uniform(derive(key, i, 0), 0))
    const other = sample((i) => uniform(derive(key, i, 0), 1))
    expect(Math.abs(correlation(one, other))).toBeLessThan(4 / Math.sqrt(count))
  })

  it("make normal ones", () => {
    const numbers = sample((i) => normal(key, i))
    expect(distributionDistance(numbers, normalDistribution)).toBeLessThan(bound)
    expect(Math.abs(excessKurtosis(numbers))).toBeLessThan(0.15)
    for (const p of [1e-9, 0.01, 0.3, 0.5, 0.9, 0.999999]) {
      expect(normalDistribution(normalQuantile(p))).toBeCloseTo(p, 6)
    }
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963985, 6)
  })
})

describe("Brownian bridges", () => {
  it("have the minimum of theirs: P(min < m) = exp(-2 (a - m) (b - m) / variance)", () => {
    const [a, b, v] = [0.3, -0.2, 1.7]
    const minima = sample((i) => bridgeMinimum(a, b, v, -Infinity, uniform(key, i)))
    expect(distributionDistance(minima, (m) => m >= b ? 1 : Math.exp(-2 * (a - m) * (b - m) / v))).toBeLessThan(bound)
    const floored = sample((i) => bridgeMinimum(a, b, v, -1, uniform(key, i)))
    const below = Math.exp(-2 * (a + 1) * (b + 1) / v)
    expect(
      distributionDistance(
        floored,
        (m) => m >= b ? 1 : m <= -1 ? 0 : (Math.exp(-2 * (a - m) * (b - m) / v) - below) / (1 - below)
      )
    ).toBeLessThan(bound)
  })

  it("reach it at a place of the right law: uniform when both ends are equally near to nothing", () => {
    const places = sample((i) =>
      bridgeExtremePlace(0.01, 0.01, 1e-4, normal(key, 3 * i), uniform(key, 3 * i + 1), uniform(key, 3 * i + 2))
    )
    expect(mean(places)).toBeCloseTo(0.5, 1)
    const lopsided = sample((i) =>
      bridgeExtremePlace(0.2, 2, 1, normal(key, 3 * i), uniform(key, 3 * i + 1), uniform(key, 3 * i + 2))
    )
    expect(mean(lopsided)).toBeLessThan(0.2)
    expect([...places, ...lopsided].every((place) => place >= 0 && place <= 1)).toBe(true)
  })

  it("stray from a touched extreme as an excursion does: its maximum has mean sqrt(pi / 2), variance pi^2/6 - pi/2", () => {
    const heights = sample((i) => farthestFromExtreme(0, 0, 1, 0, Infinity, uniform(key, i)))
    expect(mean(heights)).toBeCloseTo(Math.sqrt(Math.PI / 2), 1)
    expect(variance(heights)).toBeCloseTo(Math.PI ** 2 / 6 - Math.PI / 2, 1)
    const heightsBetween = sample((i) => farthestFromExtreme(0.4, 0.9, 0.7, 0.6, Infinity, uniform(key, i)))
    expect(
      distributionDistance(heightsBetween, (y) => y < 0.9 ? 0 : besselBelow(y, 0.4, 0.7) * besselBelow(y, 0.9, 0.6))
    )
      .toBeLessThan(bound + 1e-3)
  })
})

describe("stationary noise", () => {
  it("has mean 0 and variance 1, moves little at once and forgets in the end", () => {
    const at = (time: number) => stationaryNoise(key, time, 1_000, 1_024_000)
    const numbers = sample((i) => at(i * 700_001))
    expect(mean(numbers)).toBeCloseTo(0, 1)
    expect(variance(numbers)).toBeGreaterThan(0.9)
    expect(variance(numbers)).toBeLessThan(1.1)
    const steps = sample((i) => at(i * 5_000))
    expect(autocorrelation(steps, 1)).toBeGreaterThan(0.95)
    expect(Math.abs(autocorrelation(numbers, 5))).toBeLessThan(0.05)
  })
})

describe("apportioning", () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 7 })

  it("gives whole parts that add up", () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 1e12 }), (weights, total) => {
        const sum = weights.reduce((a, b) => a + b, 0)
        const shares = weights.map((weight) => sum > 0 ? weight / sum : 1 / weights.length)
        const parts = apportion(total, shares)
        expect(parts.reduce((a, b) => a + b, 0)).toBe(total)
        expect(parts.every((part) => Number.isInteger(part) && part >= 0)).toBe(true)
      }),
      property(1000)
    )
  })

  it("keeps to capacities and bounds", () => {
    fc.assert(
      fc.property(amounts, fc.double({ min: 0, max: 1, noNaN: true }), (capacity, fill) => {
        const room = capacity.reduce((a, b) => a + b, 0)
        const total = Math.round(room * fill)
        const wanted = balance(total, capacity.map((c) => c / 2), capacity.map(() => 0), capacity)
        const parts = apportionWithin(total, wanted, capacity)
        expect(parts.reduce((a, b) => a + b, 0)).toBe(total)
        parts.forEach((part, i) => {
          expect(part).toBeGreaterThanOrEqual(0)
          expect(part).toBeLessThanOrEqual(capacity[i]!)
          expect(Math.abs(part - wanted[i]!)).toBeLessThanOrEqual(1 + 1e-6)
        })
      }),
      property(1000)
    )
  })
})

import { isFullRun } from "@tapeline/testing/fullRun"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { apportion, apportionWithCapacities, balanceWithinBounds } from "../src/kernel/apportion.ts"
import { stationaryNoise } from "../src/kernel/noise.ts"
import { deriveKey, drawNormal, drawUniform, makeStreamKey, normalCdf, normalQuantile } from "../src/kernel/random.ts"
import {
  drawBridgeMinimum,
  drawExtremePosition,
  drawFarthestDistance,
  getBesselProbability
} from "../src/path/bridge.ts"
import { makePropertyOptions } from "./support/counts.ts"
import {
  computeAutocorrelation,
  computeCorrelation,
  computeDistributionDistance,
  computeExcessKurtosis,
  computeMean,
  computeVariance
} from "./support/statistics.ts"

const key = makeStreamKey("random", "test")
const count = isFullRun ? 100_000 : 20_000
const sample = (draw: (i: number) => number): Array<number> => Array.from({ length: count }, (_, i) => draw(i))
/** Kolmogorov's bound, which a correct sample exceeds once in 10,000 times. */
const bound = 2.3 / Math.sqrt(count)

describe("counter-based numbers", () => {
  it("are uniform along slots and addresses, and independent of their neighbours", () => {
    for (
      const draw of [
        (i: number) => drawUniform(key, i),
        (i: number) => drawUniform(deriveKey(key, i, 0), 0),
        (i: number) => drawUniform(deriveKey(key, 7, i), 3),
        (i: number) => drawUniform(makeStreamKey(i, "seed"), 0)
      ]
    ) {
      const numbers = sample(draw)
      expect(computeDistributionDistance(numbers, (x) => x)).toBeLessThan(bound)
      for (const lag of [1, 2, 3]) {
        expect(Math.abs(computeAutocorrelation(numbers, lag))).toBeLessThan(4 / Math.sqrt(count))
      }
    }
    const one = sample((i) => drawUniform(deriveKey(key, i, 0), 0))
    const other = sample((i) => drawUniform(deriveKey(key, i, 0), 1))
    expect(Math.abs(computeCorrelation(one, other))).toBeLessThan(4 / Math.sqrt(count))
  })

  it("give normal variates", () => {
    const numbers = sample((i) => drawNormal(key, i))
    expect(computeDistributionDistance(numbers, normalCdf)).toBeLessThan(bound)
    expect(Math.abs(computeExcessKurtosis(numbers))).toBeLessThan(0.15)
    for (const p of [1e-9, 0.01, 0.3, 0.5, 0.9, 0.999999]) {
      expect(normalCdf(normalQuantile(p))).toBeCloseTo(p, 6)
    }
    expect(normalQuantile(0.975)).toBeCloseTo(1.959963985, 6)
  })
})

describe("Brownian bridges", () => {
  it("have the minimum distribution P(min < m) = exp(-2 (a - m) (b - m) / variance)", () => {
    const [a, b, v] = [0.3, -0.2, 1.7]
    const minima = sample((i) => drawBridgeMinimum(a, b, v, -Infinity, drawUniform(key, i)))
    expect(computeDistributionDistance(minima, (m) => m >= b ? 1 : Math.exp(-2 * (a - m) * (b - m) / v))).toBeLessThan(
      bound
    )
    const bridgeMinimums = sample((i) => drawBridgeMinimum(a, b, v, -1, drawUniform(key, i)))
    const below = Math.exp(-2 * (a + 1) * (b + 1) / v)
    expect(
      computeDistributionDistance(
        bridgeMinimums,
        (m) => m >= b ? 1 : m <= -1 ? 0 : (Math.exp(-2 * (a - m) * (b - m) / v) - below) / (1 - below)
      )
    ).toBeLessThan(bound)
  })

  it("reach their minimum halfway on average if both ends are equally near, and earlier near the first end", () => {
    const positions = sample((i) =>
      drawExtremePosition(
        0.01,
        0.01,
        1e-4,
        drawNormal(key, 3 * i),
        drawUniform(key, 3 * i + 1),
        drawUniform(key, 3 * i + 2)
      )
    )
    expect(computeMean(positions)).toBeCloseTo(0.5, 1)
    const asymmetricPositions = sample((i) =>
      drawExtremePosition(0.2, 2, 1, drawNormal(key, 3 * i), drawUniform(key, 3 * i + 1), drawUniform(key, 3 * i + 2))
    )
    expect(computeMean(asymmetricPositions)).toBeLessThan(0.2)
    expect([...positions, ...asymmetricPositions].every((position) => position >= 0 && position <= 1)).toBe(true)
  })

  it("have the maximum of an excursion: mean sqrt(pi / 2), variance pi^2/6 - pi/2", () => {
    const heights = sample((i) => drawFarthestDistance(0, 0, 1, 0, Infinity, drawUniform(key, i)))
    expect(computeMean(heights)).toBeCloseTo(Math.sqrt(Math.PI / 2), 1)
    expect(computeVariance(heights)).toBeCloseTo(Math.PI ** 2 / 6 - Math.PI / 2, 1)
    const heightsBetween = sample((i) => drawFarthestDistance(0.4, 0.9, 0.7, 0.6, Infinity, drawUniform(key, i)))
    expect(
      computeDistributionDistance(
        heightsBetween,
        (y) => y < 0.9 ? 0 : getBesselProbability(y, 0.4, 0.7) * getBesselProbability(y, 0.9, 0.6)
      )
    )
      .toBeLessThan(bound + 1e-3)
  })
})

describe("stationary noise", () => {
  it("has mean 0, variance 1, high autocorrelation at short lags and none at long lags", () => {
    const at = (time: number) => stationaryNoise(key, time, 1_000, 1_024_000)
    const numbers = sample((i) => at(i * 700_001))
    expect(computeMean(numbers)).toBeCloseTo(0, 1)
    expect(computeVariance(numbers)).toBeGreaterThan(0.9)
    expect(computeVariance(numbers)).toBeLessThan(1.1)
    const steps = sample((i) => at(i * 5_000))
    expect(computeAutocorrelation(steps, 1)).toBeGreaterThan(0.95)
    expect(Math.abs(computeAutocorrelation(numbers, 5))).toBeLessThan(0.05)
  })
})

describe("apportionment", () => {
  const amounts = fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1, maxLength: 7 })

  it("returns integer parts that add up to the total", () => {
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 1e12 }), (weights, total) => {
        const sum = weights.reduce((a, b) => a + b, 0)
        const shares = weights.map((weight) => sum > 0 ? weight / sum : 1 / weights.length)
        const parts = apportion(total, shares)
        expect(parts.reduce((a, b) => a + b, 0)).toBe(total)
        expect(parts.every((part) => Number.isInteger(part) && part >= 0)).toBe(true)
      }),
      makePropertyOptions(1000)
    )
  })

  it("respects capacities and bounds", () => {
    fc.assert(
      fc.property(amounts, fc.double({ min: 0, max: 1, noNaN: true }), (capacity, fill) => {
        const totalCapacity = capacity.reduce((a, b) => a + b, 0)
        const total = Math.round(totalCapacity * fill)
        const shares = balanceWithinBounds(total, capacity.map((c) => c / 2), capacity.map(() => 0), capacity)
        const parts = apportionWithCapacities(total, shares, capacity)
        expect(parts.reduce((a, b) => a + b, 0)).toBe(total)
        parts.forEach((part, i) => {
          expect(part).toBeGreaterThanOrEqual(0)
          expect(part).toBeLessThanOrEqual(capacity[i]!)
          expect(Math.abs(part - shares[i]!)).toBeLessThanOrEqual(1 + 1e-6)
        })
      }),
      makePropertyOptions(1000)
    )
  })
})

import {
  beta,
  correlation,
  correlationMatrix,
  ewmaVolatility,
  fundingZ,
  garmanKlass,
  normalDraw,
  parkinson,
  quantile,
  realisedVolatility,
  seededRandom,
  volatilityCone,
  yangZhang,
  zScore
} from "@tapeline/quant"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { assertHolds, assertNear, findCounterexample } from "./propertyTesting.ts"
import { randomBars } from "./randomBars.ts"

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true, noDefaultInfinity: true })
/**
 * Generates returns that are multiples of 0.001. The squares of much smaller returns would underflow and violate the
 * tested properties.
 */
const thousandths = (limit: number) => fc.integer({ min: -limit, max: limit }).map((x) => x / 1000)

describe("volatility measures", () => {
  it("recover the volatility of a finely simulated price from ranges", () => {
    const random = seededRandom(5)
    const columns: Record<"open" | "high" | "low" | "close", number[]> = { open: [], high: [], low: [], close: [] }
    let x = 0
    for (let day = 0; day < 600; day++) {
      const open = x
      let high = x
      let low = x
      for (let i = 0; i < 500; i++) {
        x += (normalDraw(random) * 0.6) / Math.sqrt(365 * 500)
        high = Math.max(high, x)
        low = Math.min(low, x)
      }
      columns.open.push(Math.exp(open))
      columns.high.push(Math.exp(high))
      columns.low.push(Math.exp(low))
      columns.close.push(Math.exp(x))
    }
    const estimates = [
      parkinson(columns.high, columns.low, 365),
      garmanKlass(columns, 365),
      yangZhang(columns, 365),
      realisedVolatility(columns.close, 365)
    ]
    for (const estimate of estimates) {
      expect(estimate).toBeGreaterThan(0.6 * 0.9)
      expect(estimate).toBeLessThan(0.6 * 1.1)
    }
  })

  it("do not depend on the currency, and grow with the root of the periods", () => {
    expect(findCounterexample(
      1000,
      fc.property(fc.integer(), between(0.01, 100), (at, k) => {
        const b = randomBars(seededRandom(at), 40)
        const scaled = {
          open: b.open.map((x) => x * k),
          high: b.high.map((x) => x * k),
          low: b.low.map((x) => x * k),
          close: b.close.map((x) => x * k)
        }
        for (const f of [garmanKlass, yangZhang]) assertNear(f.name, f(b, 365)!, f(scaled, 365)!, 1e-9)
        assertNear("root", realisedVolatility(b.close, 1460)!, 2 * realisedVolatility(b.close, 365)!, 1e-12)
        assertNear(
          "ewma of the last alone",
          ewmaVolatility(b.close, 1, 0)[39]!,
          Math.abs(Math.log(b.close[39]! / b.close[38]!)),
          1e-12
        )
      })
    )).toBeUndefined()
    expect(realisedVolatility([1, 2], 365)).toBeNull()
    expect(realisedVolatility([5, 5, 5], 365)).toBe(0)
    expect(() => realisedVolatility([1, 0, 1], 365)).toThrow(/prices\[1\]/)
    expect(() => garmanKlass({ open: [1], high: [1], low: [1], close: [2] }, 365)).toThrow(/not a valid bar/)
    expect(parkinson([], [], 365)).toBeNull()
  })

  it("have ordered cone quartiles, and a current value equal to that of the last window", () => {
    const { close } = randomBars(seededRandom(3), 200)
    for (const point of volatilityCone(close, [7, 30, 90], 365)) {
      expect([point.min, point.p25, point.median, point.p75, point.max].toSorted((a, b) => a - b)).toEqual([
        point.min,
        point.p25,
        point.median,
        point.p75,
        point.max
      ])
      expect(point.current).toBeCloseTo(realisedVolatility(close.slice(-point.window - 1), 365)!, 12)
    }
    expect(volatilityCone([1, 2, 3], [7], 365)).toEqual([])
    expect(quantile([], 0.5)).toBeNull()
  })

  it("include a correlation that is bounded, symmetric and independent of scale, and beta as its slope", () => {
    expect(
      findCounterexample(
        2000,
        fc.property(
          fc.array(fc.tuple(thousandths(1000), thousandths(1000)), { minLength: 3, maxLength: 60 }),
          between(0.5, 10),
          (pairs, k) => {
            const x = pairs.map((p) => p[0])
            const y = pairs.map((p) => p[1])
            const c = correlation(x, y)
            if (c === null) return
            assertHolds(c >= -1 && c <= 1, () => `${c}`)
            assertNear("symmetric", correlation(y, x)!, c, 1e-9)
            assertNear("scale", correlation(x.map((v) => v * k), y) ?? NaN, c, 1e-6)
            assertNear("beta", beta(x.map((v) => v * k), x)!, k, 1e-9)
          }
        )
      )
    ).toBeUndefined()
    expect(correlation([1, 1, 1], [1, 2, 3])).toBeNull()
    expect(correlationMatrix([[1, 2], [1, 1]])).toEqual([[1, null], [null, null]])
    expect(beta([1, 2], [3, 3])).toBeNull()
    expect(zScore(1, [0.1, 0.1, 0.1])).toBeNull()
    expect(fundingZ(1, [])).toBeNull()
    expect(fundingZ(3, [...Array.from({ length: 90 }, () => 0), ...Array.from({ length: 90 }, (_, i) => i % 2)]))
      .toBeCloseTo(4.972, 3)
  })
})

import { realisedVolatility, seededRandom, volatilityCone, volatilityError } from "@tapeline/quant"
import { describe, expect, it } from "vitest"

const normals = (seed: number): () => number => {
  const random = seededRandom(seed)
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

const pricesOf = (returns: ReadonlyArray<number>): Array<number> => {
  const prices = [100]
  for (const r of returns) prices.push(prices.at(-1)! * Math.exp(r))
  return prices
}

describe("volatilityCone", () => {
  it("equals the volatilities of separate windows, also after shocks and in flat stretches", () => {
    const normal = normals(5)
    const returns = Array.from({ length: 400 }, (_, i) => i >= 150 && i < 220 ? 0 : (i === 140 ? 3 : 0.01) * normal())
    const prices = pricesOf(returns)
    for (const window of [2, 7, 30, 60]) {
      const perWindow = Array.from(
        { length: returns.length - window + 1 },
        (_, start) => realisedVolatility(prices.slice(start, start + window + 1), 365)!
      )
      const current = perWindow.at(-1)!
      perWindow.sort((a, b) => a - b)
      const [point] = volatilityCone(prices, [window], 365)
      expect(point!.min).toBeCloseTo(0, 6)
      expect(point!.max).toBeCloseTo(perWindow.at(-1)!, 9)
      expect(point!.current).toBeCloseTo(current, 9)
      expect(point!.n).toBe(perWindow.length)
      expect(point!.median).toBeCloseTo(
        (perWindow[(perWindow.length - 1) >> 1]! + perWindow[perWindow.length >> 1]!) / 2,
        7
      )
    }
  })

  it("is exactly 0 for equal prices", () => {
    const [point] = volatilityCone([1, 5, 2, 2, 2, 2, 2, 2, 2], [3], 365)
    expect(point!.current).toBe(0)
  })
})

describe("volatilityError", () => {
  /**
   * Returns the standard deviation of the volatility over many samples (`realised`), and the mean of the estimated
   * errors (`estimated`). Both results are fractions of the volatility.
   */
  const spread = (draw: (normal: () => number) => number, n: number) => {
    const normal = normals(11)
    const samples = Array.from({ length: 2_000 }, () => pricesOf(Array.from({ length: n }, () => 0.01 * draw(normal))))
    const estimates = samples.map((prices) => realisedVolatility(prices, 1)!)
    const mean = estimates.reduce((sum, x) => sum + x, 0) / estimates.length
    const sd = Math.sqrt(estimates.reduce((sum, x) => sum + (x - mean) ** 2, 0) / estimates.length)
    return {
      realised: sd / mean,
      estimated: samples.reduce((sum, prices) => sum + volatilityError(prices)!, 0) / samples.length
    }
  }

  it("is 1 / sqrt(2 n) for normal returns", () => {
    const { estimated, realised } = spread((normal) => normal(), 288)
    expect(realised).toBeCloseTo(1 / Math.sqrt(576), 2)
    expect(Math.abs(estimated / realised - 1)).toBeLessThan(0.06)
  })

  it("is larger for fat tails, in line with the spread of samples", () => {
    // A mixture of a narrow and a wide normal distribution, whose kurtosis is 3 (0.9 + 0.1 * 81) / (0.9 + 0.1 * 9)^2 =
    // 8.33.
    const { estimated, realised } = spread((normal) => (normal() > 1.2815515655 ? 3 : 1) * normal(), 288)
    expect(realised).toBeGreaterThan(0.07)
    expect(Math.abs(estimated / realised - 1)).toBeLessThan(0.15)
  })

  it("is null for a constant series or a single return", () => {
    expect(volatilityError([5, 5, 5])).toBeNull()
    expect(volatilityError([1, 2])).toBeNull()
    expect(() => volatilityError([1, 0, 1])).toThrow(/prices\[1\]/)
  })
})

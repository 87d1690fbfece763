/**
 * No coin and no basket of coins may predict another coin, so returns must correlate only within the same interval. A
 * correlation that grows with the interval's length would mean that one coin follows the other (Epps, JASA 74, 1979; Lo
 * & MacKinlay, Review of Financial Studies 3, 1990).
 */
import { dayMs } from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import { describe, expect, it } from "vitest"
import { makeWorld } from "../src/world.ts"
import { computeMean, computeVariance } from "./support/statistics.ts"

const seeds = Array.from({ length: isFullRun ? 40 : 12 }, (_, i) => `lead-lag ${i}`)
const coins = isFullRun ? ["BTC", "ETH", "SOL", "XRP", "DOGE", "LINK", "AAVE", "TAO"] : ["BTC", "ETH", "DOGE", "TAO"]
const days = isFullRun ? 60 : 20
const firstDay = Date.parse("2026-02-01") / dayMs
const stepsPerDay = 288

type Returns = Float64Array

/** The five-minute returns of each coin in each world, divided by the coin's typical daily standard deviation. */
const worlds: ReadonlyArray<ReadonlyArray<Returns>> = seeds.map((seed) => {
  const world = makeWorld(seed, 8192)
  return coins.map((coin) => {
    const market = world.coin(coin)!
    const returns = new Float64Array(days * stepsPerDay)
    let last = market.logPrice(firstDay * dayMs)
    for (let day = 0; day < days; day++) {
      market.getFiveMinuteCloses(firstDay + day).forEach((close, i) => {
        returns[day * stepsPerDay + i] = (close - last) / market.spec.dailySd
        last = close
      })
    }
    return returns
  })
})

const inSteps = (returns: Returns, length: number): Returns => {
  const steps = new Float64Array(returns.length / length)
  returns.forEach((value, i) => {
    steps[Math.floor(i / length)]! += value
  })
  return steps
}

const combine = (weights: ReadonlyArray<number>, returns: ReadonlyArray<Returns>): Returns =>
  returns[0]!.map((_, t) => weights.reduce((sum, weight, i) => sum + weight * returns[i]![t]!, 0))

const crossCorrelation = (x: Returns, y: Returns, lag: number): number => {
  let [xy, xx, yy] = [0, 0, 0]
  for (let i = lag; i < x.length; i++) {
    xy += x[i - lag]! * y[i]!
    xx += x[i - lag]! ** 2
    yy += y[i]! ** 2
  }
  return xy / Math.sqrt(xx * yy)
}

/**
 * Returns the mean of a value over the worlds, with the standard error that follows from the differences between
 * worlds.
 */
const estimate = (statistic: (returns: ReadonlyArray<Returns>) => number) => {
  const values = worlds.map(statistic)
  return { mean: computeMean(values), error: Math.sqrt(computeVariance(values) / (values.length - 1)) }
}

const pairs = coins.flatMap((_, i) => coins.map((_, j) => [i, j] as const)).filter(([i, j]) => i !== j)
const spreads = pairs.filter(([i, j]) => i < j).map(([i, j]) => coins.map((_, k) => k === i ? 1 : k === j ? -1 : 0))
const equalWeights = coins.map(() => 1)

const scales = [
  ["5 minutes", 1],
  ["15 minutes", 3],
  ["30 minutes", 6],
  ["1 hour", 12],
  ["4 hours", 48],
  ["1 day", stepsPerDay]
] as const
/**
 * The allowed distance between a mean and its expectation, in standard errors. The tolerance is high, because the test
 * compares about forty means.
 */
const tolerance = 4

describe.each(scales)("returns of %s", (_, length) => {
  it.each([1, 2])("do not predict the returns of other coins %i steps later", (lag) => {
    const pairwise = estimate((returns) => {
      const steps = returns.map((one) => inSteps(one, length))
      return computeMean(pairs.map(([i, j]) => crossCorrelation(steps[i]!, steps[j]!, lag)))
    })
    const basket = estimate((returns) => {
      const steps = returns.map((one) => inSteps(one, length))
      return computeMean(
        coins.map((_, i) => crossCorrelation(combine(coins.map((_, k) => k === i ? 0 : 1), steps), steps[i]!, lag))
      )
    })
    expect(Math.abs(pairwise.mean)).toBeLessThan(tolerance * pairwise.error)
    expect(Math.abs(basket.mean)).toBeLessThan(tolerance * basket.error)
  })

  it("do not predict the next change of the spread between two coins", () => {
    const { error, mean: average } = estimate((returns) =>
      computeMean(spreads.map((weights) => {
        const steps = inSteps(combine(weights, returns), length)
        return crossCorrelation(steps, steps, 1)
      }))
    )
    expect(Math.abs(average)).toBeLessThan(tolerance * error)
  })
})

describe("variance ratios", () => {
  const ratioOf = (returns: Returns, short: number, long: number): number => {
    const squares = (length: number) => inSteps(returns, length).reduce((sum, value) => sum + value ** 2, 0)
    return squares(long) / squares(short)
  }
  const lengths = [[1, 12], [12, 48], [12, stepsPerDay]] as const

  it.each(lengths)("are 1 for spreads (from %i to %i times five minutes)", (short, long) => {
    const ratio = estimate((returns) =>
      computeMean(spreads.map((weights) => ratioOf(combine(weights, returns), short, long)))
    )
    expect(Math.abs(ratio.mean - 1)).toBeLessThan(tolerance * ratio.error)
  })

  it.each(lengths)("are 1 for an equal-weight index (from %i to %i times five minutes)", (short, long) => {
    const ratio = estimate((returns) => ratioOf(combine(equalWeights, returns), short, long))
    expect(Math.abs(ratio.mean - 1)).toBeLessThan(tolerance * ratio.error)
  })
})

it("coins correlate as closely over five minutes as over a day", () => {
  const correlation = (returns: ReadonlyArray<Returns>, length: number) => {
    const steps = returns.map((one) => inSteps(one, length))
    return computeMean(pairs.map(([i, j]) => crossCorrelation(steps[i]!, steps[j]!, 0)))
  }
  /** Returns how much higher the correlation of long intervals is than the correlation of short intervals. */
  const gain = (short: number, long: number) =>
    estimate((returns) => correlation(returns, long) - correlation(returns, short))
  const hour = gain(1, 12)
  const day = gain(12, stepsPerDay)
  expect(Math.abs(hour.mean)).toBeLessThan(0.02)
  // The usual run covers twenty days, so the mean has a standard error of 0.04. Only the full run has a strict limit.
  expect(Math.abs(day.mean)).toBeLessThan(isFullRun ? 0.05 : 0.1)
})

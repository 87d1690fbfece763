/**
 * Prices over months must be a random walk, in which the variance of a return grows in proportion to its time. The
 * estimator is from Lo & MacKinlay, Review of Financial Studies 1, 1988.
 */
import { isFullRun } from "@tapeline/testing/fullRun"
import { describe, expect, it } from "vitest"
import { makeWorld } from "../src/world.ts"
import { computeMean, computeVariance } from "./support/statistics.ts"

const dayMs = 86_400_000
const from = Date.parse("2020-01-01") / dayMs
const to = Date.parse("2027-01-01") / dayMs

const varianceRatio = (p: ReadonlyArray<number>, q: number): number => {
  const count = p.length - 1
  const drift = (p[count]! - p[0]!) / count
  const squares = (lag: number): number => {
    let sum = 0
    for (let i = lag; i <= count; i++) sum += (p[i]! - p[i - lag]! - lag * drift) ** 2
    return sum
  }
  const one = squares(1) / (count - 1)
  return squares(q) / (q * (count - q + 1) * (1 - q / count)) / one
}

type DailyPath = ReadonlyArray<number>

/**
 * Daily prices of every fourth coin that has no peg. Many worlds are needed, because the coins of one world move
 * together.
 */
const worlds: ReadonlyArray<ReadonlyArray<DailyPath>> = Array.from(
  { length: isFullRun ? 100 : 6 },
  (_, i) =>
    makeWorld(i + 1).markets
      .filter(({ spec }, k) => !spec.isStablecoin && k % 4 === 0)
      .map((market) => {
        const first = Math.max(from, market.listedAt / dayMs)
        return Array.from({ length: to - first + 1 }, (_, i) => market.logPrice((first + i) * dayMs))
      })
)

/** Returns the log price differences of neighbouring coins over the period in which both coins exist. */
const spreadsOf = (paths: ReadonlyArray<DailyPath>): ReadonlyArray<DailyPath> =>
  paths.slice(1).map((path, i) => {
    const other = paths[i]!
    const length = Math.min(path.length, other.length)
    const recent = other.slice(other.length - length)
    return path.slice(path.length - length).map((price, k) => price - recent[k]!)
  })

/** Returns the mean path of the coins that have prices in all tested years. */
const indexOf = (paths: ReadonlyArray<DailyPath>): DailyPath => {
  const completePaths = paths.filter((path) => path.length === to - from + 1)
  return completePaths[0]!.map((_, i) => computeMean(completePaths.map((path) => path[i]!)))
}

describe("daily closes", () => {
  // The mean variance ratio at 256 days has a standard error of 0.1 over 6 worlds and of 0.025 over 100 worlds.
  it.each([64, 128, 256])("have a variance ratio near 1 at %i days", (days) => {
    const ratio = computeMean(worlds.flatMap((paths) => paths.map((path) => varianceRatio(path, days))))
    expect(ratio).toBeGreaterThan(isFullRun ? 0.9 : 0.8)
    expect(ratio).toBeLessThan(isFullRun ? 1.1 : 1.25)
  })

  // Spreads correlate less with each other than coins do, so the mean over spreads has a smaller error.
  it.each([5, 20, 64, 128, 256])("give spreads a variance ratio of 0.9 to 1.1 at %i days", (days) => {
    const ratio = computeMean(worlds.flatMap((paths) => spreadsOf(paths).map((path) => varianceRatio(path, days))))
    expect(ratio).toBeGreaterThan(0.9)
    expect(ratio).toBeLessThan(1.1)
  })

  it.each([2, 5, 20, 64])(
    "give an equal-weight index a variance ratio of 1 at %i days, within four standard errors",
    (days) => {
      const ratios = worlds.map((paths) => varianceRatio(indexOf(paths), days))
      const error = Math.sqrt(computeVariance(ratios) / (ratios.length - 1))
      expect(Math.abs(computeMean(ratios) - 1)).toBeLessThan(4 * error)
    }
  )

  it("stay within the range that their daily deviation implies over years", () => {
    for (
      const { spec, logPrice } of [1, 2].flatMap((seed) =>
        makeWorld(seed).markets.map((market) => ({ spec: market.spec, logPrice: (t: number) => market.logPrice(t) }))
      )
    ) {
      for (const year of [2022, 2024, 2026, 2028, 2032]) {
        const distanceFromPrice = Math.abs(logPrice(Date.UTC(year, 6, 1)) - Math.log(spec.price))
        const sd = spec.dailySd * Math.sqrt(365 * Math.abs(year + 0.5 - 2026) + 60)
        expect(distanceFromPrice).toBeLessThan(4 * sd + 0.6 * Math.abs(year - 2026) + 0.01)
      }
    }
  })
})

describe("hourly closes", () => {
  const days = isFullRun ? 800 : 150
  const hours = 24 * days
  const coins = isFullRun ? ["BTC", "ETH", "XRP", "DOGE", "LINK", "LTC"] : ["BTC", "XRP"]
  const firstDay = Date.parse("2023-01-01") / dayMs

  /** Returns the mean hourly return of a position that bets on a return of the price to its EMA(200). */
  const measureFading = (logPrice: (time: number) => number): number => {
    const prices = Array.from({ length: hours }, (_, i) => logPrice(firstDay * dayMs + i * 3_600_000))
    let average = Math.exp(prices[0]!)
    let square = 0
    let earned = 0
    for (let i = 1; i < hours - 1; i++) {
      average += (Math.exp(prices[i]!) - average) * 2 / 201
      const distance = prices[i]! - Math.log(average)
      square += (distance ** 2 - square) * (i < 200 ? 1 / i : 1 / 1_000)
      if (i < 400) continue
      earned -= Math.max(-4, Math.min(4, distance / Math.sqrt(square))) * Math.expm1(prices[i + 1]! - prices[i]!)
    }
    return earned / (hours - 401)
  }

  it("give no return to a strategy that trades against their distance from EMA(200)", () => {
    const worlds = Array.from({ length: isFullRun ? 16 : 6 }, (_, i) => {
      const world = makeWorld(`fade ${i}`, 1_024)
      return computeMean(coins.map((coin) => measureFading(world.coin(coin)!.logPrice.bind(world.coin(coin)))))
    })
    const error = Math.sqrt(computeVariance(worlds) / (worlds.length - 1))
    expect(Math.abs(computeMean(worlds))).toBeLessThan((isFullRun ? 3 : 4) * error)
  })
})

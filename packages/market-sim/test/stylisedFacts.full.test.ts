/**
 * Tests known properties of returns (R. Cont, "Empirical properties of asset returns", Quantitative Finance 1, 2001).
 */
import type { Candle, Timeframe } from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import { describe, expect, it } from "vitest"
import { makeWorld, type World } from "../src/world.ts"
import {
  computeAutocorrelation,
  computeCorrelation,
  computeExcessKurtosis,
  computeLaggedCorrelation,
  computeLogReturns,
  computeMean,
  computeVariance
} from "./support/statistics.ts"

const now = Date.parse("2027-01-01")
const worlds = (isFullRun ? [1, 2, 3, 4, 5, 6] : [1, 2, 3]).map((seed) => makeWorld(seed))
const coins = isFullRun ? ["BTC", "LINK", "DOGE"] : ["BTC", "LINK"]
const bars: Readonly<Record<"5m" | "1h" | "1d", number>> = {
  "5m": isFullRun ? 40_000 : 10_000,
  "1h": isFullRun ? 20_000 : 8_000,
  "1d": 2_000
}

const samples = new Map<string, ReadonlyArray<Candle>>()
const candlesOf = (world: World, coin: string, timeframe: Timeframe, count: number): ReadonlyArray<Candle> => {
  const key = `${world.seed} ${coin} ${timeframe} ${count}`
  const known = samples.get(key) ?? world.coin(coin)!.lastCandles(timeframe, count, now - 1)
  samples.set(key, known)
  return known
}

const average = (timeframe: "5m" | "1h" | "1d", statistic: (candles: ReadonlyArray<Candle>) => number): number =>
  computeMean(
    worlds.flatMap((world) => coins.map((coin) => statistic(candlesOf(world, coin, timeframe, bars[timeframe]))))
  )

const absolute = (x: ReadonlyArray<number>): Array<number> => x.map(Math.abs)

describe.each(["5m", "1h", "1d"] as const)("returns of %s", (timeframe) => {
  it("have fat tails", () => {
    const kurtosis = average(timeframe, (candles) => computeExcessKurtosis(computeLogReturns(candles)))
    expect(kurtosis).toBeGreaterThan(2)
    expect(kurtosis).toBeLessThan(60)
  })

  it("have no linear autocorrelation", () => {
    for (const lag of [1, 2, 5]) {
      expect(Math.abs(average(timeframe, (candles) => computeAutocorrelation(computeLogReturns(candles), lag))))
        .toBeLessThan(0.03)
    }
  })

  it("cluster in size, with a slow decay", () => {
    const at = (lag: number) =>
      average(timeframe, (candles) => computeAutocorrelation(absolute(computeLogReturns(candles)), lag))
    expect(at(1)).toBeGreaterThan(0.12)
    expect(at(5)).toBeGreaterThan(0.05)
    expect(at(5)).toBeLessThan(at(1))
    if (timeframe !== "1d") {
      expect(at(20)).toBeGreaterThan(0.08)
      // An exponential decay that fits the autocorrelation at the first lags would be far lower at lag 60.
      expect(at(60)).toBeGreaterThan(0.03)
    }
  })

  it("make volatility rise more after falls than after rises (leverage effect)", () => {
    const effect = average(timeframe, (candles) => {
      const returns = computeLogReturns(candles)
      return computeMean([1, 2, 3].map((lag) => computeLaggedCorrelation(returns, absolute(returns), lag)))
    })
    expect(effect).toBeLessThan(-0.01)
  })

  it("correlate in size with volume", () => {
    const link = average(
      timeframe,
      (candles) =>
        computeCorrelation(absolute(computeLogReturns(candles)), candles.map(({ volume }) => Math.log(volume + 1)))
    )
    expect(link).toBeGreaterThan(0.25)
  })
})

describe("scales", () => {
  it("agree: variance is proportional to time, and ranges give the same variance as closes", () => {
    const dailyVariance = (timeframe: Timeframe, perDay: number): number =>
      computeMean(
        worlds.flatMap((world) =>
          coins.map((coin) =>
            computeVariance(computeLogReturns(candlesOf(world, coin, timeframe, 400 * perDay))) * perDay
          )
        )
      )
    const daily = dailyVariance("1d", 1)
    expect(dailyVariance("4h", 6) / daily).toBeGreaterThan(0.85)
    expect(dailyVariance("4h", 6) / daily).toBeLessThan(1.15)
    expect(dailyVariance("1h", 24) / daily).toBeGreaterThan(0.85)
    expect(dailyVariance("1h", 24) / daily).toBeLessThan(1.15)
    // Parkinson's estimator is unbiased for Brownian motion, so the test passes only if bars have the ranges of
    // Brownian motion.
    const parkinson = average(
      "1d",
      (candles) =>
        computeMean(candles.map(({ high, low }) => Math.log(high / low) ** 2)) /
        (4 * Math.LN2 * computeVariance(computeLogReturns(candles)))
    )
    expect(parkinson).toBeGreaterThan(0.9)
    expect(parkinson).toBeLessThan(1.1)
  })

  it("have thinner tails at longer intervals (aggregational Gaussianity)", () => {
    expect(average("5m", (candles) => computeExcessKurtosis(computeLogReturns(candles))))
      .toBeGreaterThan(average("1d", (candles) => computeExcessKurtosis(computeLogReturns(candles))))
  })
})

describe("coins", () => {
  const pair = (timeframe: Timeframe, count: number, one: string, other: string): number =>
    computeMean(worlds.map((world) =>
      computeCorrelation(
        computeLogReturns(candlesOf(world, one, timeframe, count)),
        computeLogReturns(candlesOf(world, other, timeframe, count))
      )
    ))

  /** Returns the correlation of the daily returns of two coins, averaged over the worlds. */
  const daily = (one: string, other: string): number =>
    computeMean(worlds.map((world) => {
      const returns = (coin: string) => {
        const market = world.coin(coin)!
        return Array.from(
          { length: 1_000 },
          (_, i) => market.logPrice(now - i * 86_400_000) - market.logPrice(now - (i + 1) * 86_400_000)
        )
      }
      return computeCorrelation(returns(one), returns(other))
    }))

  it("correlate with each other, and more within a sector", () => {
    const acrossSectors = computeMean([daily("DOGE", "AAVE"), daily("PEPE", "ARB"), daily("WIF", "UNI")])
    const within = computeMean([daily("DOGE", "SHIB"), daily("PEPE", "WIF"), daily("UNI", "AAVE")])
    expect(daily("BTC", "ETH")).toBeGreaterThan(0.65)
    expect(acrossSectors).toBeGreaterThan(0.3)
    expect(within).toBeGreaterThan(acrossSectors + 0.08)
  })

  it("correlate at every scale, down to five minutes", () => {
    const hourly = pair("1h", 4000, "BTC", "ETH")
    const fineCorrelation = pair("5m", 8000, "BTC", "ETH")
    expect(hourly).toBeGreaterThan(0.6)
    expect(fineCorrelation).toBeGreaterThan(0.5)
    expect(fineCorrelation).toBeLessThan(daily("BTC", "ETH") + 0.1)
    expect(pair("5m", 8000, "BTC", "SOL")).toBeGreaterThan(0.4)
  })

  it("have plausible prices in 2026", () => {
    for (const world of worlds) {
      const price = (coin: string) => world.coin(coin)!.price(Date.parse("2026-11-20T12:00Z"))
      expect(price("BTC")).toBeGreaterThan(35_000)
      expect(price("BTC")).toBeLessThan(250_000)
      for (const stable of ["USDT", "USDC", "DAI"]) expect(Math.abs(price(stable) - 1)).toBeLessThan(0.005)
    }
  })
})

describe("regimes", () => {
  it("are of every kind, last from days to weeks, and have the returns of their names", () => {
    const valuesByName = new Map<string, Array<number>>()
    const lengths: Array<number> = []
    for (const world of worlds) {
      const market = world.coin("BTC")!
      let time = Date.parse("2022-01-01")
      while (time < now) {
        const regime = market.regime(time)
        const change = Math.log(market.price(regime.to) / market.price(regime.from))
        valuesByName.set(regime.label, [...(valuesByName.get(regime.label) ?? []), change])
        lengths.push((regime.to - regime.from) / 86_400_000)
        time = regime.to
      }
    }
    expect([...valuesByName.keys()].sort()).toEqual(["panic", "range", "trend_down", "trend_up"])
    expect(computeMean(valuesByName.get("trend_up")!)).toBeGreaterThan(0.04)
    expect(computeMean(valuesByName.get("panic")!)).toBeLessThan(-0.1)
    expect(computeMean(valuesByName.get("range")!.map(Math.abs))).toBeLessThan(
      computeMean(valuesByName.get("trend_up")!.map(Math.abs))
    )
    expect(Math.max(...lengths)).toBeLessThanOrEqual(24)
    expect(computeMean(lengths)).toBeGreaterThan(5)
  })
})

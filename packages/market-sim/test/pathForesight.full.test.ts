/** Data about trades up to a time must not predict later prices better than the earlier price changes do. */
import { dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { isFullRun } from "@tapeline/testing/fullRun"
import { describe, expect, it } from "vitest"
import { getDexActivity } from "../src/token/dexTrades.ts"
import { makeWorld } from "../src/world.ts"
import {
  computeCorrelation,
  computeMean,
  computePartialSurprise,
  computeRankSurprise,
  computeVariance
} from "./support/statistics.ts"

const worlds = (isFullRun ? ["a", "b", "c", "d", "e", "f"] : ["a", "b"]).map((seed) => makeWorld(seed))
const first = Date.parse("2026-01-01")

/** The observed data of `[from, cut)`, the price change in `[from, cut)`, and the price change in `[cut, to)`. */
interface Sample {
  readonly observed: Array<number>
  readonly past: Array<number>
  readonly after: Array<number>
}

const sampleOf = (): Sample => ({ observed: [], past: [], after: [] })
const surprise = ({ after, past, observed }: Sample): number => computePartialSurprise(observed, past, after)

const second = minuteMs / 60
const week = 7 * dayMs

describe("taker buying", () => {
  it.each(
    [
      ["a minute", minuteMs, 25 * second, 8 * hourMs],
      ["five minutes", 5 * minuteMs, minuteMs, 2 * dayMs],
      ["five minutes", 5 * minuteMs, 100 * second, 2 * dayMs],
      ["five minutes", 5 * minuteMs, 4 * minuteMs, 2 * dayMs],
      ["a quarter of an hour", 15 * minuteMs, 5 * minuteMs, week],
      ["an hour", hourMs, 15 * minuteMs, 4 * week],
      ["an hour", hourMs, 20 * minuteMs, 4 * week],
      ["an hour", hourMs, 45 * minuteMs, 4 * week],
      ["an hour", hourMs, hourMs - 10 * second, 6 * week],
      ["four hours", 4 * hourMs, hourMs, 36 * week],
      ["four hours", 4 * hourMs, 170 * minuteMs, 36 * week],
      ["a day", dayMs, 6 * hourMs, 60 * week],
      ["a day", dayMs, 13 * hourMs + 7 * minuteMs, 60 * week]
    ] as const
  )("in the first part of %s (%i ms, cut at %i) does not predict the rest", (_, lengthMs, cutMs, spanMs) => {
    const sample = sampleOf()
    for (const world of worlds) {
      for (const coin of ["BTC", "SOL"]) {
        const market = world.coin(coin)!
        for (let time = first; time < first + (isFullRun ? spanMs : spanMs / 2); time += lengthMs) {
          const cutTime = time + cutMs
          const totals = market.totals(time, cutTime)
          if (totals === undefined || totals.volume === 0) continue
          sample.observed.push(totals.takerBuyVolume / totals.volume)
          sample.past.push(market.logPrice(cutTime) - market.logPrice(time))
          sample.after.push(market.logPrice(time + lengthMs) - market.logPrice(cutTime))
        }
      }
    }
    expect(surprise(sample)).toBeLessThan(3.3)
  })

  it("in an hour does not predict the next hour", () => {
    const sample = sampleOf()
    for (let seed = 0; seed < (isFullRun ? 80 : 6); seed++) {
      const world = makeWorld(`hours ${seed}`, 8192)
      for (const coin of ["BTC", "TAO"]) {
        const candles = world.coin(coin)!.candles("1h", first, first + 8 * week, first + 8 * week)
        for (let i = 1; i < candles.length; i++) {
          const { close, open, takerBuyVolume, volume } = candles[i - 1]!
          sample.observed.push(takerBuyVolume! / volume)
          sample.past.push(Math.log(close / open))
          sample.after.push(Math.log(candles[i]!.close / candles[i]!.open))
        }
      }
    }
    expect(surprise(sample)).toBeLessThan(3.3)
  })

  // The test subtracts the mean over all coins from the volume share and from the next return, because the common part
  // is noise.
  it("in an hour does not predict a coin's return relative to other coins in the next hour", () => {
    const observedShares: Array<number> = []
    const after: Array<number> = []
    for (let seed = 0; seed < (isFullRun ? 40 : 4); seed++) {
      const world = makeWorld(`hours ${seed}`, 8192)
      const coins = ["BTC", "ETH", "SOL", "XRP", "DOGE", "LINK", "AAVE", "TAO"].map((coin) => {
        const market = world.coin(coin)!
        return market.candles("1h", first, first + 8 * week, first + 8 * week).map((candle) => ({
          bought: candle.takerBuyVolume! / candle.volume,
          rise: Math.log(candle.close / candle.open) / market.spec.dailySd
        }))
      })
      for (let i = 1; i < coins[0]!.length; i++) {
        const meanBoughtShare = computeMean(coins.map((hours) => hours[i - 1]!.bought))
        const meanRise = computeMean(coins.map((hours) => hours[i]!.rise))
        for (const hours of coins) {
          observedShares.push(hours[i - 1]!.bought - meanBoughtShare)
          after.push(hours[i]!.rise - meanRise)
        }
      }
    }
    expect(computeRankSurprise(observedShares, after)).toBeLessThan(3.3)
  })

  it("correlates with the price change of its interval", () => {
    const market = worlds[0]!.coin("BTC")!
    const link = (spanMs: number): number => {
      const sample = sampleOf()
      for (let i = 0; i < 2_000; i++) {
        const time = first - (i + 1) * spanMs
        const { close, open, takerBuyVolume, volume } = market.totals(time, time + spanMs)!
        sample.observed.push(takerBuyVolume / volume)
        sample.past.push(0)
        sample.after.push(Math.log(close / open))
      }
      return surprise(sample) / Math.sqrt(2_000)
    }
    expect(link(5 * minuteMs)).toBeGreaterThan(0.3)
    expect(link(hourMs)).toBeGreaterThan(0.2)
    expect(link(dayMs)).toBeGreaterThan(0.08)
  })

  it("in 15 minutes of a stock does not predict the next 45 minutes", () => {
    const sample = sampleOf()
    for (const world of worlds) {
      for (const symbol of ["AAPL", "NVDA", "JPM", "XOM"]) {
        const { market } = world.equities.getStock(symbol)!
        const bySession = new Map<number, Array<{ open: number; close: number; share: number }>>()
        for (const candle of market.getLastCandles("15m", 26 * 60, Date.parse("2026-11-20T22:00Z"), false)) {
          const day = Math.floor(candle.time / dayMs)
          const { close, open } = candle
          const share = candle.takerBuyVolume! / candle.volume
          bySession.set(day, [...(bySession.get(day) ?? []), { open, close, share }])
        }
        for (const candles of bySession.values()) {
          for (let i = 0; i + 3 < candles.length; i += 4) {
            const { close, open, share } = candles[i]!
            sample.observed.push(share)
            sample.past.push(Math.log(close / open))
            sample.after.push(Math.log(candles[i + 3]!.close / close))
          }
        }
      }
    }
    expect(surprise(sample)).toBeLessThan(3.3)
  })
})

describe("flows that follow the price", () => {
  it("on decentralised exchanges, in perpetuals and from liquidations do not predict the rest of the hour", () => {
    const dex = sampleOf()
    const perpetual = sampleOf()
    const forced = sampleOf()
    for (const world of worlds) {
      for (const coin of ["BTC", "SOL"]) {
        const market = world.coin(coin)!
        const key = world.getKey(`dex ${coin}`)
        for (let time = first; time < first + (isFullRun ? 4 : 2) * week; time += hourMs) {
          const cutTime = time + 20 * minuteMs
          const pastMove = market.logPrice(cutTime) - market.logPrice(time)
          const after = market.logPrice(time + hourMs) - market.logPrice(cutTime)
          const add = (sample: Sample, one: number, other: number): void => {
            sample.observed.push((one - other) / (one + other + 1))
            sample.past.push(pastMove)
            sample.after.push(after)
          }
          const trades = getDexActivity(market, time, hourMs, cutTime, key)
          add(dex, trades.buyUsd, trades.sellUsd)
          const flow = world.derivatives.takerFlow(market, time, cutTime)
          add(perpetual, flow.buyUsd, flow.sellUsd)
          const tape = world.liquidations.tape(market, time, cutTime, 0, 0)
          add(forced, tape.shortUsd, tape.longUsd)
        }
      }
    }
    expect(surprise(dex)).toBeLessThan(3.3)
    expect(surprise(perpetual)).toBeLessThan(3.3)
    expect(surprise(forced)).toBeLessThan(3.3)
  })

  it("from liquidations in two minutes do not predict the next three minutes", () => {
    const sample = sampleOf()
    for (const world of worlds) {
      const market = world.coin("BTC")!
      for (let time = first; time < first + (isFullRun ? 2 : 1) * week; time += 5 * minuteMs) {
        const cutTime = time + 2 * minuteMs
        const { longUsd, shortUsd } = world.liquidations.tape(market, time, cutTime, 0, 0)
        if (longUsd + shortUsd === 0) continue
        sample.observed.push((shortUsd - longUsd) / (longUsd + shortUsd))
        sample.past.push(market.logPrice(cutTime) - market.logPrice(time))
        sample.after.push(market.logPrice(time + 5 * minuteMs) - market.logPrice(cutTime))
      }
    }
    expect(surprise(sample)).toBeLessThan(3.3)
  })
})

describe("daily returns", () => {
  const from = Date.parse("2020-06-01")
  const days = (Date.parse("2025-12-31") - from) / dayMs
  const markets = Array.from({ length: isFullRun ? 400 : 60 }, (_, seed) => {
    const world = makeWorld(`months ${seed}`, 4096)
    return { market: world.coin("BTC")!, derivatives: world.derivatives }
  })

  it("have a mean of 0 after a large fall and after a large rise", () => {
    const sums = markets.map(({ market }) => {
      const prices = Array.from({ length: days }, (_, day) => market.logPrice(from + day * dayMs))
      // The mean drift of the tested years is subtracted from the path.
      const drift = (prices.at(-1)! - prices[0]!) / (days - 1)
      const path = prices.map((price, day) => price - drift * day)
      const sum = { fall: 0, rise: 0 }
      for (const [lookbackDays, horizonDays, minDeviations] of [[1, 5, 2.5], [2, 5, 2], [3, 7, 2.5]] as const) {
        for (let i = 100; i + horizonDays < days; i++) {
          let squares = 0
          for (let k = i - 90; k < i - 10; k++) squares += (path[k]! - path[k - 1]!) ** 2
          const sd = Math.sqrt(squares / 80)
          const move = (path[i]! - path[i - lookbackDays]!) / (sd * Math.sqrt(lookbackDays))
          if (Math.abs(move) <= minDeviations) continue
          sum[move < 0 ? "fall" : "rise"] += (path[i + horizonDays]! - path[i]!) / (sd * Math.sqrt(horizonDays))
          i += horizonDays - 1
        }
      }
      return sum
    })
    for (const side of ["fall", "rise"] as const) {
      const after = sums.map((sum) => sum[side])
      expect(Math.abs(computeMean(after)) / Math.sqrt(computeVariance(after) / after.length)).toBeLessThan(3.3)
    }
  })

  it("are not predicted by volatility or by funding", () => {
    const volatilities: Array<number> = []
    const funded: Array<number> = []
    const after: Array<number> = []
    const horizonDays = 3
    for (const { derivatives, market } of markets.slice(0, isFullRun ? 400 : 30)) {
      for (let time = from + 8 * hourMs; time < from + (days - 5) * dayMs; time += horizonDays * dayMs) {
        const volatility = market.volatility(time)
        const move = market.logPrice(time + horizonDays * dayMs) - market.logPrice(time)
        volatilities.push(Math.log(volatility))
        funded.push(derivatives.fundingRate(market, time))
        // The returns are divided by the volatility instead of ranked, because price falls raise the volatility and so
        // skew the returns.
        after.push((move - horizonDays * market.spec.growth / 365) / volatility)
      }
    }
    expect(Math.abs(computeCorrelation(volatilities, after)) * Math.sqrt(after.length)).toBeLessThan(3.3)
    expect(Math.abs(computeCorrelation(funded, after)) * Math.sqrt(after.length)).toBeLessThan(3.3)
  })
})

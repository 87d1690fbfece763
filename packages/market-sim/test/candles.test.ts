import { type Candle, dayMs, durationMs, mergeCandles, minuteMs, type Timeframe } from "@tapeline/core/market"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { coinSpecs } from "../src/coin/coins.ts"
import { getWholeDaySegment, makeCoinSeries } from "../src/coin/coinSeries.ts"
import type { BarModel } from "../src/path/model.ts"
import { makeSeriesCache, Series } from "../src/path/Series.ts"
import { makeWorld } from "../src/world.ts"
import { makePropertyOptions } from "./support/counts.ts"

const world = makeWorld("candles")
const day = (date: string): number => Date.parse(date)
const anyCoin = fc.constantFrom(...coinSpecs.map(({ coin }) => coin))
const anyTime = fc.integer({ min: day("2024-06-01"), max: day("2027-12-31") })
const coarse: ReadonlyArray<Timeframe> = ["15m", "1h", "4h", "1d"]
const far = day("2030-01-01")

const sumOf = (time: number, parts: ReadonlyArray<Candle>): Candle => {
  const [first, ...rest] = parts
  return mergeCandles(time, [first!, ...rest], true)
}

describe("candles", () => {
  it("equal the merged 5m candles on every timeframe, to the last digit", () => {
    fc.assert(
      fc.property(anyCoin, anyTime, (coin, time) => {
        const market = world.coin(coin)!
        const from = Math.floor(time / dayMs) * dayMs
        const fineCandles = market.candles("5m", from, from + dayMs, far)
        expect(fineCandles).toHaveLength(288)
        for (const timeframe of coarse) {
          const length = durationMs[timeframe]
          const candles = market.candles(timeframe, from, from + dayMs, far)
          expect(candles).toHaveLength(dayMs / length)
          for (const candle of candles) {
            expect(candle).toEqual(
              sumOf(candle.time, fineCandles.filter(({ time }) => time >= candle.time && time < candle.time + length))
            )
          }
        }
      }),
      makePropertyOptions(100)
    )
  })

  it("are possible: open, close and mean price lie between low and high; taker volume is within volume", () => {
    fc.assert(
      fc.property(anyCoin, anyTime, (coin, time) => {
        const market = world.coin(coin)!
        // Volume and value are multiples of a small unit: the usual volume of five minutes in USD, divided by 2^18.
        const rounding = market.spec.dailyVolumeUsd / 288 / 2 ** 18
        for (const timeframe of ["5m", ...coarse] as const) {
          const parts = durationMs[timeframe] / durationMs["5m"]
          for (const candle of market.lastCandles(timeframe, 30, time)) {
            expect(candle.low).toBeLessThanOrEqual(Math.min(candle.open, candle.close))
            expect(candle.high).toBeGreaterThanOrEqual(Math.max(candle.open, candle.close))
            expect(candle.low).toBeGreaterThan(0)
            expect(candle.takerBuyVolume).toBeLessThanOrEqual(candle.volume)
            expect(candle.takerBuyVolume).toBeGreaterThanOrEqual(0)
            if (candle.closed) {
              expect(candle.quoteVolume).toBeLessThanOrEqual(candle.high * candle.volume + rounding * parts)
              expect(candle.quoteVolume).toBeGreaterThanOrEqual(candle.low * candle.volume - rounding * parts)
            }
          }
        }
      }),
      makePropertyOptions(100)
    )
  })

  it("are contiguous: each opens at the close of the previous one", () => {
    fc.assert(
      fc.property(anyCoin, anyTime, fc.constantFrom("5m" as const, ...coarse), (coin, time, timeframe) => {
        const candles = world.coin(coin)!.lastCandles(timeframe, 50, time)
        for (let i = 1; i < candles.length; i++) {
          expect(candles[i]!.open).toBe(candles[i - 1]!.close)
          expect(candles[i]!.time).toBe(candles[i - 1]!.time + durationMs[timeframe])
        }
      }),
      makePropertyOptions(100)
    )
  })

  it("contain the price at every instant of their interval, and open and close at it", () => {
    fc.assert(
      fc.property(anyCoin, anyTime, (coin, time) => {
        const market = world.coin(coin)!
        const price = market.price(time)
        for (const timeframe of ["5m", ...coarse] as const) {
          const start = Math.floor(time / durationMs[timeframe]) * durationMs[timeframe]
          const [candle] = market.candles(timeframe, start, start + 1, far)
          expect(price).toBeLessThanOrEqual(candle!.high)
          expect(price).toBeGreaterThanOrEqual(candle!.low)
          expect(market.price(start)).toBe(candle!.open)
          expect(market.price(start + durationMs[timeframe])).toBe(candle!.close)
        }
      }),
      makePropertyOptions(500)
    )
  })

  it("grow towards their closed values while open, and never exceed them", () => {
    fc.assert(
      fc.property(anyCoin, anyTime, fc.constantFrom("5m" as const, ...coarse), (coin, time, timeframe) => {
        const market = world.coin(coin)!
        const length = durationMs[timeframe]
        const start = Math.floor(time / length) * length
        const at = (now: number): Candle => market.candles(timeframe, start, start + 1, now)[0]!
        const endOfCandle = at(start + length)
        expect(endOfCandle.closed).toBe(true)
        let before = at(start)
        for (const part of [0.001, 0.2, 0.45, 0.7, 0.95, 0.9999]) {
          const now = start + Math.floor(length * part)
          const open = at(now)
          expect(open.closed).toBe(false)
          expect(open.open).toBe(endOfCandle.open)
          expect(open.close).toBe(market.price(now))
          for (const later of [open, endOfCandle]) {
            expect(later.high).toBeGreaterThanOrEqual(before.high)
            expect(later.low).toBeLessThanOrEqual(before.low)
            expect(later.volume).toBeGreaterThanOrEqual(before.volume)
            expect(later.quoteVolume).toBeGreaterThanOrEqual(before.quoteVolume)
            expect(later.takerBuyVolume!).toBeGreaterThanOrEqual(before.takerBuyVolume!)
          }
          before = open
        }
      }),
      makePropertyOptions(200)
    )
  })

  it("never open after the present, and include the running candle", () => {
    fc.assert(
      fc.property(anyCoin, anyTime, fc.constantFrom("5m" as const, ...coarse), (coin, now, timeframe) => {
        const candles = world.coin(coin)!.candles(timeframe, now - 3 * dayMs, now + 3 * dayMs, now)
        const last = candles.at(-1)!
        expect(last.time).toBeLessThanOrEqual(now)
        expect(last.time).toBeGreaterThan(now - durationMs[timeframe])
        expect(last.closed).toBe(false)
        expect(candles.slice(0, -1).every(({ closed }) => closed)).toBe(true)
      }),
      makePropertyOptions(100)
    )
  })

  it("compute few hours for a whole day", () => {
    const { model } = makeCoinSeries("hours", coinSpecs[0]!, 0, makeSeriesCache(16)).series
    const hours = new Set<number>()
    const getDraws: BarModel["getDraws"] = (start, seconds, mix) => {
      if (seconds === 3_600) hours.add(start)
      return model.bars.getDraws(start, seconds, mix)
    }
    const series = new Series({ ...model, bars: { ...model.bars, getDraws } }, makeSeriesCache(16))
    const days = 200
    for (let i = 0; i < days; i++) {
      const bar = series.getSegment(20_000 + i, getWholeDaySegment(20_000 + i), 0)
      expect(bar.high).toBeGreaterThan(bar.low)
    }
    expect(hours.size / days).toBeLessThan(12)
  })

  it("begin at the listing", () => {
    const sui = world.coin("SUI")!
    const candles = sui.candles("1d", sui.listedAt - 10 * dayMs, sui.listedAt + 3 * dayMs, far)
    expect(candles[0]!.time).toBe(sui.listedAt)
    expect(sui.totals(sui.listedAt - 2 * dayMs, sui.listedAt)).toBeUndefined()
  })

  it("add up to the totals of any interval of whole 5 minutes", () => {
    fc.assert(
      fc.property(anyCoin, anyTime, fc.integer({ min: 1, max: 2000 }), (coin, time, minutes) => {
        const market = world.coin(coin)!
        const from = Math.floor(time / (5 * minuteMs)) * 5 * minuteMs
        const to = from + minutes * 5 * minuteMs
        const { closed: _, time: __, ...sum } = sumOf(from, market.candles("5m", from, to, far))
        expect(market.totals(from, to)).toEqual(sum)
      }),
      makePropertyOptions(60)
    )
  })
})

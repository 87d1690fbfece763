import { assert, describe, it } from "@effect/vitest"
import { type Candle, type FundingPayment, hourMs, type PerpetualPoint, stepsFromEvents } from "@tapeline/core"
import { isFullRun } from "@tapeline/testing/fullRun"
import * as fc from "fast-check"
import { rankFunding } from "../../src/analysis/derivatives/fundingRank.ts"
import {
  estimateEntries,
  findOpenPositions,
  getCoveragePct,
  leverageWeights,
  mergeIntoLevels
} from "../../src/analysis/derivatives/liquidationMap.ts"
import { mergeGaps, omittedGapsNote, toGapRows } from "../../src/market/resultRows.ts"

const start = Date.UTC(2026, 0, 5)
const parameters = { seed: 20_260_105, numRuns: isFullRun ? 5_000 : 200 }

const print = (i: number, fundingRate: number, intervalHours = 8): FundingPayment => ({
  time: start + i * intervalHours * hourMs + 7,
  fundingRate,
  intervalHours
})

describe("the rank of a funding rate", () => {
  it("has a null z-score for constant rates, and is null for fewer than 30 payments", () => {
    const flat = Array.from({ length: 90 }, (_, i) => print(i, 0.0001))
    const end = flat.at(-1)!.time + hourMs
    const { percentile, percentileCount, zScore, zScoreCount } = rankFunding(0.0002, 8, flat, end)
    assert.deepStrictEqual([zScore, zScoreCount, percentile, percentileCount], [null, 90, 100, 90])
    const rankOfFewPayments = rankFunding(0.0002, 8, flat.slice(-29), end)
    assert.deepStrictEqual(
      [rankOfFewPayments.zScore, rankOfFewPayments.percentile, rankOfFewPayments.percentileCount],
      [null, null, 29]
    )
  })

  it("excludes its own payment, and compares with at most 90 payments (z-score) and 90 days (percentile)", () => {
    const prints = Array.from({ length: 300 }, (_, i) => print(i, i % 2 === 0 ? 0.0001 : 0.0003))
    // The last payment is of the record's own minute, although its timestamp is some seconds later.
    const end = Math.floor(prints.at(-1)!.time / hourMs) * hourMs
    const rank = rankFunding(0.0003, 8, [print(-1, 99), ...prints.slice(0, -1), {
      ...prints.at(-1)!,
      fundingRate: 99
    }], end)
    const sd = Math.sqrt((90 / 89) * 0.0001 ** 2)
    assert.closeTo(rank.zScore!, 0.0001 / sd, 1e-9)
    assert.deepStrictEqual([rank.zScoreCount, rank.percentileCount], [90, 270])
    assert.closeTo(rank.percentile!, 50, 1e-9)
  })

  it("does not depend on the payment interval for equal rates per 8 hours", () => {
    const rates = Array.from({ length: 40 }, (_, i) => 0.0001 * Math.sin(i))
    const fullRank = rankFunding(0.0002, 8, rates.map((rate, i) => print(i, rate)), start + 1e10)
    const mixedIntervals = rates.map((rate, i) => ({
      ...print(i, rate),
      ...i % 2 === 0 ? {} : { fundingRate: rate / 2, intervalHours: 4 }
    }))
    assert.closeTo(rankFunding(0.0001, 4, mixedIntervals, start + 1e10).zScore!, fullRank.zScore!, 1e-9)
  })
})

const gap = fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 9 })).map(([from, length]) => ({ from, to: from + length }))

describe("merged gaps of several series", () => {
  it("cover exactly the times that any input gap covers, and do not adjoin one another", () => {
    fc.assert(
      fc.property(fc.array(gap), fc.array(gap), (a, b) => {
        const united = mergeGaps(a, b)
        const containsTime = (gaps: ReadonlyArray<{ from: number; to: number }>, time: number): boolean =>
          gaps.some(({ from, to }) => from <= time && time < to)
        for (let time = 0; time < 70; time++) {
          assert.strictEqual(containsTime(united, time), containsTime([...a, ...b], time))
        }
        for (const [i, { from }] of united.slice(1).entries()) assert.isAbove(from, united[i]!.to)
      }),
      parameters
    )
  })
})

describe("gaps in a result", () => {
  it("are limited to the newest 200, with a note about the omitted gaps", () => {
    const gaps = Array.from({ length: 201 }, (_, i) => ({ from: start + i * hourMs, to: start + i * hourMs + 1 }))
    assert.deepStrictEqual([toGapRows(gaps).length, omittedGapsNote(gaps).length], [200, 1])
    assert.strictEqual(toGapRows(gaps)[0]!.from, new Date(start + hourMs).toISOString())
    assert.deepStrictEqual([toGapRows(gaps.slice(1)).length, omittedGapsNote(gaps.slice(1))], [200, []])
  })
})

describe("liquidation steps", () => {
  it("count each event once, and omit steps that a gap covers entirely", () => {
    const event = fc.record({
      time: fc.nat(99),
      side: fc.constantFrom("long" as const, "short" as const),
      sizeUsd: fc.nat(1000)
    })
    fc.assert(
      fc.property(fc.array(event), fc.integer({ min: 1, max: 40 }), fc.nat(120), (events, stepMs, now) => {
        const steps = stepsFromEvents(events, { from: 0, to: 100, stepMs }, [], now)
        const knownEvents = events.filter(({ time }) => time < steps.length * stepMs)
        assert.strictEqual(steps.reduce((sum, { count }) => sum + count, 0), knownEvents.length)
        assert.strictEqual(
          steps.reduce((sum, { longUsd, shortUsd }) => sum + longUsd + shortUsd, 0),
          knownEvents.reduce((sum, { sizeUsd }) => sum + sizeUsd, 0)
        )
        assert.isTrue(steps.every(({ time }, i) => time === i * stepMs && time <= now && time < 100))
      }),
      parameters
    )
    const times = stepsFromEvents([], { from: 0, to: 25, stepMs: 10 }, [{ from: 8, to: 25 }], 30)
    assert.deepStrictEqual(times.map(({ time }) => time), [0])
  })
})

const candle = (hour: number, low: number, high: number): Candle => ({
  time: start + hour * hourMs,
  open: low,
  close: high,
  high,
  low,
  volume: 10,
  quoteVolume: 5 * (low + high),
  takerBuyVolume: null,
  closed: true
})

const record = (hour: number, openInterest: number | null): PerpetualPoint => ({
  time: start + hour * hourMs,
  fundingRate: null,
  fundingIntervalHours: null,
  openInterest,
  openInterestUsd: null,
  longShortRatio: null,
  markPrice: null,
  indexPrice: null
})

describe("the liquidation map", () => {
  it("adds each rise in open interest at the hour's VWAP, and skips hours without records", () => {
    const candles = [candle(0, 90, 110), candle(1, 100, 110), candle(2, 100, 120), candle(3, 100, 100)]
    const points = [record(0, 50), record(1, 60), record(2, 55), record(3, null), record(4, 70)]
    const { entries, knownHours } = estimateEntries(points, candles)
    assert.deepStrictEqual(entries, [{ time: start + hourMs, price: 100, coins: 10 }])
    assert.strictEqual(knownHours, 2)
    assert.strictEqual(estimateEntries(points, candles.slice(1)).knownHours, 1)
  })

  it("clears the levels that the price crossed (hand-computed, one entry at 100)", () => {
    const entries = [{ time: start + hourMs, price: 100, coins: 10 }]
    const levels = findOpenPositions(entries, [candle(0, 1, 1000)], [100])
    assert.lengthOf(levels, 2 * leverageWeights.length)
    assert.closeTo(getCoveragePct(levels, 10)!, 100, 1e-9)
    const ten = levels.filter(({ leverage }) => leverage === 10).map(({ price, side }) => [side, price] as const)
    assert.closeTo(new Map(ten).get("long")!, 90 / 0.995, 1e-9)
    assert.closeTo(new Map(ten).get("short")!, 110 / 1.005, 1e-9)
    const positionsAfterFall = findOpenPositions(entries, [candle(0, 1, 1000), candle(1, 90, 101)], [100])
    assert.deepStrictEqual(positionsAfterFall.filter(({ side }) => side === "long").map(({ leverage }) => leverage), [
      5
    ])
    assert.deepStrictEqual(positionsAfterFall.filter(({ side }) => side === "short").map(({ leverage }) => leverage), [
      5,
      10,
      25,
      50
    ])
    assert.deepStrictEqual(findOpenPositions(entries, [], [1000]).map(({ side }) => side), Array(5).fill("long"))
  })

  it("never restores a cleared level, and preserves total size and side when it merges levels", () => {
    const walkArbitrary = fc.array(fc.tuple(fc.integer({ min: 95, max: 105 }), fc.nat(6)), {
      minLength: 2,
      maxLength: 40
    })
    fc.assert(
      fc.property(walkArbitrary, fc.nat(), (hours, knownCount) => {
        const candles = hours.map(([low, range], i) => candle(i, low, low + range))
        const entries = hours.slice(0, -1).map(([low], i) => ({
          time: start + (i + 1) * hourMs,
          price: low,
          coins: i + 1
        }))
        const n = 1 + (knownCount % candles.length)
        const earlyCandles = candles.slice(0, n)
        const entriesUntil = (end: number) => entries.filter(({ time }) => time <= start + end * hourMs)
        const earlierPositions = findOpenPositions(entriesUntil(n - 1), earlyCandles, [earlyCandles.at(-1)!.close])
        const price = candles.at(-1)!.close
        const now = findOpenPositions(entriesUntil(n - 1), candles, [price])
        const key = (one: typeof now[number]): string => JSON.stringify(one)
        const earlierKeys = new Set(earlierPositions.map(key))
        assert.isTrue(now.every((one) => earlierKeys.has(key(one))))
        const levels = mergeIntoLevels(now, price)
        const usd = now.reduce((sum, { coins, price }) => sum + coins * price, 0)
        assert.closeTo(levels.reduce((sum, level) => sum + level.usd, 0), usd, 1e-6 * (1 + usd))
        for (const level of levels) assert.isTrue(level.side === "long" ? level.price < price : level.price > price)
      }),
      parameters
    )
  })
})

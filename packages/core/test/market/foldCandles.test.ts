import { assert, describe, it } from "@effect/vitest"
import {
  afterLastHole,
  bucketStart,
  type Candle,
  countMissingCandles,
  dayMs,
  durationMs,
  foldCandles,
  hourMs,
  minuteMs
} from "@tapeline/core/market"
import * as fc from "fast-check"
import { getGapAdjustedCloses } from "../../src/analysis/signals/candleColumns.ts"

const step = 5 * minuteMs
const start = Date.UTC(2026, 0, 5)

const candle = (i: number, takerBuyVolume: number | null = 1): Candle => ({
  time: start + i * step,
  open: 100 + i,
  high: 102 + i,
  low: 99 + i,
  close: 101 + i,
  volume: 2,
  quoteVolume: 200,
  takerBuyVolume,
  closed: true
})
const hourOf = (count = 12): ReadonlyArray<Candle> => Array.from({ length: count }, (_, i) => candle(i))
const later = { until: start + dayMs }

describe("candles folded from 5-minute candles", () => {
  it("have the first open, the last close, the extremes and the sums", () => {
    assert.deepStrictEqual(foldCandles(hourOf(), "1h", later), [{
      time: start,
      open: 100,
      high: 113,
      low: 99,
      close: 112,
      volume: 24,
      quoteVolume: 2_400,
      takerBuyVolume: 12,
      closed: true
    }])
  })

  it("are absent if the first, a middle or the last part is missing", () => {
    for (const missing of [0, 5, 11]) {
      assert.deepStrictEqual(foldCandles(hourOf().filter((_, i) => i !== missing), "1h", later), [])
    }
  })

  it("do not require parts from before the listing or after the delisting", () => {
    const fineCandles = hourOf()
    const [listed] = foldCandles(fineCandles.slice(4), "1h", { ...later, listedAt: start + 4 * step })
    assert.strictEqual(listed!.open, 104)
    const [delisted] = foldCandles(fineCandles.slice(0, 7), "1h", { ...later, delistedAt: start + 7 * step })
    assert.deepStrictEqual([delisted!.close, delisted!.closed], [107, true])
  })

  it("include the running interval, unless one of its parts so far is missing", () => {
    const until = start + 40 * minuteMs
    const parts = hourOf(8)
    assert.deepStrictEqual(foldCandles(parts, "1h", { until }).map(({ close, closed }) => [close, closed]), [[
      108,
      false
    ]])
    assert.deepStrictEqual(foldCandles(parts.filter((_, i) => i !== 3), "1h", { until }), [])
    // An interval with a missing 5-minute candle has no candle after the interval's end.
    assert.deepStrictEqual(foldCandles(parts, "1h", { until: start + hourMs }), [])
  })

  it("omit the running interval if its next part is later than the allowed lag", () => {
    const parts = hourOf(4)
    const openAt = (minutes: number, lagMs?: number) =>
      foldCandles(parts, "1h", { until: start + minutes * minuteMs, ...(lagMs === undefined ? {} : { lagMs }) }).length
    assert.deepStrictEqual([20, 25, 29, 30, 59].map((minutes) => openAt(minutes)), [1, 1, 1, 0, 0])
    assert.deepStrictEqual([20, 24, 25].map((minutes) => openAt(minutes, 0)), [1, 1, 0])
    assert.deepStrictEqual([44, 45].map((minutes) => openAt(minutes, 20 * minuteMs)), [1, 0])
  })

  it("close at a delisting within their interval, and not before", () => {
    const delistedAt = start + 40 * minuteMs
    const closedAt = (until: number, parts = hourOf(8)) =>
      foldCandles(parts, "1h", { until, delistedAt }).map(({ closed }) => closed)
    assert.deepStrictEqual(closedAt(delistedAt), [true])
    assert.deepStrictEqual(closedAt(delistedAt + 5 * minuteMs), [true])
    assert.deepStrictEqual(closedAt(start + 2 * hourMs), [true])
    assert.deepStrictEqual(closedAt(delistedAt - 5 * minuteMs, hourOf(7)), [false])
    assert.deepStrictEqual(closedAt(delistedAt, hourOf(7)), [])
  })

  it("have a taker volume only if every part has one", () => {
    const fineCandles = hourOf().map((part, i) => i === 6 ? candle(6, null) : part)
    assert.isNull(foldCandles(fineCandles, "1h", later)[0]!.takerBuyVolume)
  })

  it("exist for exactly the intervals without a missing part", () => {
    const missing = fc.uniqueArray(fc.integer({ min: 0, max: 2 * 288 - 1 }), { maxLength: 12 })
    fc.assert(fc.property(missing, fc.constantFrom("15m", "1h", "4h", "1d"), (removedIndexes, timeframe) => {
      const fineCandles = Array.from({ length: 2 * 288 }, (_, i) => candle(i)).filter((_, i) =>
        !removedIndexes.includes(i)
      )
      const folded = foldCandles(fineCandles, timeframe, { until: start + 2 * dayMs })
      const incompleteBuckets = new Set(removedIndexes.map((i) => bucketStart(timeframe, start + i * step)))
      assert.strictEqual(folded.length, 2 * dayMs / durationMs[timeframe] - incompleteBuckets.size)
      for (const { time } of folded) assert.isFalse(incompleteBuckets.has(time))
    }))
  })
})

describe("holes among candles", () => {
  const candlesWithGap = [0, 1, 2, 5, 6, 8, 9, 10].map((i) => candle(i))

  it("are counted between the first and the last candle", () => {
    assert.strictEqual(countMissingCandles(candlesWithGap, step), 3)
    assert.strictEqual(countMissingCandles([], step), 0)
  })

  it("exclude all candles before the last hole from afterLastHole", () => {
    assert.deepStrictEqual(afterLastHole(candlesWithGap, step).map(({ open }) => open), [108, 109, 110])
    assert.deepStrictEqual(afterLastHole(candlesWithGap.slice(0, 3), step), candlesWithGap.slice(0, 3))
  })

  it("are excluded from returns", () => {
    const closes = getGapAdjustedCloses(candlesWithGap, step)
    // Only these pairs of closes are adjacent: 0-1, 1-2, 5-6, 8-9 and 9-10.
    assert.strictEqual(closes.length, 6)
    assert.closeTo(closes[3]! / closes[2]!, 107 / 106, 1e-12)
    assert.deepStrictEqual(getGapAdjustedCloses(candlesWithGap.slice(0, 3), step), [101, 102, 103])
  })
})

import { type Candle, dayMs, durationMs, hourMs, type IvPoint } from "@tapeline/core"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { chooseView, getPlans } from "../../src/analysis/options/strategies.ts"
import { findEdgeWindows, summariseEdges } from "../../src/analysis/options/volatilityEdge.ts"

const start = Date.UTC(2024, 0, 1)
const days = 420

/** Returns a pseudorandom number in [0, 1) that depends only on the index. */
const noise = (i: number, stream: number): number => {
  const x = Math.sin(i * 12.9898 + stream * 78.233) * 43_758.5453
  return x - Math.floor(x)
}

const candleAt = (time: number, i: number, stream: number): Candle => {
  const close = 100 * Math.exp(0.5 * Math.sin(i / 37 + stream) + 0.05 * noise(i, stream))
  return {
    time,
    open: close,
    high: close,
    low: close,
    close,
    volume: 1,
    quoteVolume: close,
    takerBuyVolume: null,
    closed: true
  }
}

const world = fc.record({
  stream: fc.integer({ min: 0, max: 1_000 }),
  fwdDays: fc.constantFrom(3, 7, 14, 30),
  daily: fc.boolean(),
  /** The minute of the day at which volatilities are recorded. */
  minute: fc.integer({ min: 0, max: 1_439 }),
  /** The fraction of days without a recorded volatility. */
  unread: fc.constantFrom(0, 0.05, 0.3),
  unrecorded: fc.constantFrom(0, 0.02, 0.2),
  /** The number of days by which the first result is older than the second result. */
  before: fc.integer({ min: 0, max: 200 })
}).map(({ before, daily, fwdDays, minute, stream, unread, unrecorded }) => {
  const timeframe: "1d" | "4h" = daily ? "1d" : "4h"
  const stepMs = durationMs[timeframe]
  const points = Array.from({ length: days }, (_, i): IvPoint => ({
    time: start + i * dayMs + minute * 60_000,
    ivPct: 30 + 40 * noise(i, stream + 1)
  })).filter((_, i) => noise(i, stream + 2) >= unread)
  const candles = Array.from({ length: (days * dayMs) / stepMs }, (_, i) => candleAt(start + i * stepMs, i, stream))
    .filter((_, i) => noise(i, stream + 3) >= unrecorded)
  return {
    points,
    candles,
    timeframe,
    stepMs,
    fwdDays,
    from: start + 100 * dayMs,
    cutTime: start + (days - before) * dayMs
  }
})

const runs = isFullRun ? 400 : 40
const counterexample = <T>(property: fc.IProperty<T>): string | undefined => {
  const outcome = fc.check(property, { seed, numRuns: runs })
  return outcome.failed ? fc.defaultReportMessage(outcome) ?? "failed" : undefined
}

it("builds non-overlapping windows of the requested length, and all of them from complete data", () => {
  expect(counterexample(fc.property(world, ({ candles, fwdDays, points, stepMs, ...rest }) => {
    const { skipped, windows } = findEdgeWindows({ points, candles, fwdDays, ...rest })
    for (const [i, { from, readAt, to }] of windows.entries()) {
      if (to - from !== fwdDays * dayMs || readAt > from || from - readAt >= stepMs) return false
      if (i > 0 && from < windows[i - 1]!.to) return false
    }
    const isComplete = points.length === days && candles.length === (days * dayMs) / stepMs
    return !isComplete || (skipped === 0 && Math.abs(windows.length - 320 / fwdDays) <= 2)
  }))).toBeUndefined()
})

it("builds the same windows with and without later data", () => {
  expect(counterexample(fc.property(world, ({ candles, cutTime, points, stepMs, ...rest }) => {
    const known = <A extends { readonly time: number }>(all: ReadonlyArray<A>, length: number) =>
      all.filter(({ time }) => time + length <= cutTime)
    const now = findEdgeWindows({ points, candles, ...rest }).windows
    const earlierWindows =
      findEdgeWindows({ points: known(points, 0), candles: known(candles, stepMs), ...rest }).windows
    const another = findEdgeWindows({
      points: points.map((point) => point.time > cutTime ? { ...point, ivPct: 500 } : point),
      candles: candles.map((candle) =>
        candle.time >= cutTime ? { ...candle, close: 1 + noise(candle.time, 9) } : candle
      ),
      ...rest
    }).windows
    const same = JSON.stringify(earlierWindows)
    return same === JSON.stringify(now.slice(0, earlierWindows.length)) &&
      same === JSON.stringify(another.slice(0, earlierWindows.length))
  }))).toBeUndefined()
})

it("skips and counts a window if more than a tenth of its candles is missing", () => {
  const points = Array.from({ length: 60 }, (_, i) => ({ time: start + i * dayMs, ivPct: 50 }))
  const candles = Array.from({ length: 24 * 60 }, (_, i) => candleAt(start + i * hourMs, i, 1))
  const candlesWithGap = candles.filter(({ time }) => time < start + 20 * dayMs || time >= start + 22 * dayMs)
  const ask = { points, timeframe: "1h", fwdDays: 2, from: start } as const
  const [all, some] = [findEdgeWindows({ ...ask, candles }), findEdgeWindows({ ...ask, candles: candlesWithGap })]
  expect(all.skipped).toBe(0)
  expect(some.skipped).toBeGreaterThan(0)
  expect(some.windows.length + some.skipped).toBe(all.windows.length)
  expect(findEdgeWindows({ ...ask, candles: [] })).toEqual({ windows: [], skipped: 0 })
  expect(findEdgeWindows({ ...ask, points: [], candles })).toEqual({ windows: [], skipped: 0 })
})

it("summarises how often realised exceeded implied volatility, for at least 20 windows", () => {
  const windows = Array.from({ length: 20 }, (_, i) => ({
    readAt: 0,
    from: 0,
    to: 1,
    ivPct: 50,
    realisedPct: i < 12 ? 55 : 40,
    regime: null
  }))
  const { mean_edge_vol_pts, n, wilson_high, wilson_low, win_rate } = summariseEdges(windows)
  expect([n, win_rate, mean_edge_vol_pts]).toEqual([20, 0.6, -1])
  // The Wilson interval for 12 of 20 (R. Newcombe's method 3).
  expect(wilson_low).toBeCloseTo(0.3866, 4)
  expect(wilson_high).toBeCloseTo(0.7812, 4)
  expect(summariseEdges(windows.slice(1))).toEqual({
    n: 19,
    win_rate: null,
    wilson_low: null,
    wilson_high: null,
    mean_edge_vol_pts: null
  })
})

it("chooses a view by trend, then by the cost of volatility, and ignores unknown values", () => {
  expect(chooseView({ moveSd: 0.75, ivMinusRv: -5 })).toBe("bullish")
  expect(chooseView({ moveSd: -2, ivMinusRv: 5 })).toBe("bearish")
  expect(chooseView({ moveSd: 0.7, ivMinusRv: -0.1 })).toBe("volatile")
  expect(chooseView({ moveSd: null, ivMinusRv: 3 })).toBe("neutral")
  expect(chooseView({ moveSd: null, ivMinusRv: null })).toBe("neutral")
  expect(getPlans("bullish", true).map(({ volatility }) => volatility)).toEqual(["sells", "neither", "buys"])
  expect(getPlans("bullish", false).map(({ volatility }) => volatility)).toEqual(["buys", "neither", "sells"])
})

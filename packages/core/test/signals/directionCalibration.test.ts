import { assert, describe, it } from "@effect/vitest"
import { type Candle, durationMs, hourMs, minuteMs } from "@tapeline/core"
import { wilson } from "@tapeline/quant/probability"
import { isFullRun } from "@tapeline/testing/fullRun"
import * as fc from "fast-check"
import {
  chooseSampling,
  computeCalibration,
  makeWindows,
  shortRules,
  type ShortWindow
} from "../../src/analysis/signals/directionCalibration.ts"

const start = Date.UTC(2026, 0, 5)
const parameters = { seed: 20_260_105, numRuns: isFullRun ? 2_000 : 60 }

/** Returns windows of one hour, whose returns are given in thousandths. */
const windowsFrom = (returns: ReadonlyArray<number>): ReadonlyArray<ShortWindow> => {
  let close = 100
  return returns.map((thousandths, i) => {
    const open = close
    close = open * (1 + thousandths / 1000)
    return {
      time: start + i * hourMs,
      open,
      high: Math.max(open, close) * 1.0005,
      low: Math.min(open, close) * 0.9995,
      close,
      takerShare: thousandths % 3 === 0 ? null : 0.5 + thousandths / 300
    }
  })
}

const walkArbitrary = fc.array(fc.integer({ min: -40, max: 40 }), { minLength: 1, maxLength: 120 }).map(windowsFrom)

const candle = (time: number, close: number, open: number): Candle => ({
  time,
  open,
  close,
  high: Math.max(open, close) + 1,
  low: Math.min(open, close) - 1,
  volume: 10,
  quoteVolume: 10 * close,
  takerBuyVolume: 6,
  closed: true
})

describe("naive signals", () => {
  it("use no data after the window that they follow", () => {
    fc.assert(
      fc.property(walkArbitrary, fc.nat(), walkArbitrary, (windows, cutIndex, others) => {
        const n = 1 + (cutIndex % windows.length)
        const last = windows[n - 1]!
        const future = others.map((other, i) => ({ ...other, time: last.time + (i + 1) * hourMs }))
        for (const { name, predict } of shortRules) {
          const predictions = predict(windows).slice(0, n)
          assert.deepStrictEqual(predict(windows.slice(0, n)), predictions, name)
          assert.deepStrictEqual(predict([...windows.slice(0, n), ...future]).slice(0, n), predictions, name)
        }
      }),
      parameters
    )
  })

  it("are scored by the next window, each window once, with Wilson's interval", () => {
    fc.assert(
      fc.property(walkArbitrary, (windows) => {
        const { flat, signals, up } = computeCalibration(windows, 60)
        assert.strictEqual(up.n, windows.length)
        const risenWindows = windows.filter(({ close, open }) => close > open).length
        assert.strictEqual(up.rate, windows.length < 20 ? null : risenWindows / windows.length)
        assert.strictEqual(flat, windows.filter(({ close, open }) => close === open).length)
        for (const [k, { high, low, n, next, rate }] of signals.entries()) {
          const predictions = shortRules[k]!.predict(windows)
          const called = windows.filter((_, i) => i > 0 && predictions[i - 1] !== 0)
          assert.strictEqual(n, called.length)
          assert.strictEqual(next, predictions.at(-1))
          const wonCount = windows.filter(({ close, open }, i) =>
            i > 0 && predictions[i - 1]! * (close - open) > 0
          ).length
          assert.strictEqual(rate, n < 20 ? null : wonCount / n)
          assert.deepStrictEqual([low, high], n < 20 ? [null, null] : wilson(wonCount, n))
        }
      }),
      parameters
    )
  })

  it("follow their rules in a rise that turns", () => {
    const windows = windowsFrom([...Array.from({ length: 30 }, (_, i) => i % 2 === 0 ? 10 : 8), -200])
    const predictionsByRule = new Map(shortRules.map(({ name, predict }) => [name, predict(windows)]))
    assert.deepStrictEqual(predictionsByRule.get("momentum")!.slice(-2), [1, -1])
    assert.deepStrictEqual([predictionsByRule.get("trend")![18], predictionsByRule.get("trend")![19]], [0, 1])
    assert.deepStrictEqual([predictionsByRule.get("rsi_extreme")![13], predictionsByRule.get("rsi_extreme")![14]], [
      0,
      -1
    ])
    assert.deepStrictEqual(predictionsByRule.get("breakout")!.slice(19, 21), [0, 1])
    assert.strictEqual(predictionsByRule.get("breakout")!.at(-1), -1)
    assert.strictEqual(predictionsByRule.get("reversal")!.at(-1), 1)
  })

  it("start again after a hole, and predict only adjoining windows", () => {
    const windows = windowsFrom(Array.from({ length: 60 }, (_, i) => i % 3 === 0 ? -5 : 7))
    const windowsWithGap = windows.filter((_, i) => i !== 30)
    const momentum = computeCalibration(windowsWithGap, 60).signals[0]!
    assert.strictEqual(momentum.n, 57)
    assert.strictEqual(computeCalibration(windows, 60).signals[0]!.n, 59)
  })
})

describe("windows", () => {
  it("are complete and aligned to multiples of their length", () => {
    const tf = "15m"
    const at = (i: number) => start + i * durationMs[tf]
    // The first candle is the third quarter of an hour, one quarter is missing, and the last hour has only three
    // quarters.
    const candles = Array.from({ length: 21 }, (_, i) => candle(at(i + 2), 100 + i, 99 + i)).filter(({ time }) =>
      time !== at(9)
    )
    const windows = makeWindows(candles, tf, 60)
    assert.deepStrictEqual(windows.map(({ time }) => (time - start) / hourMs), [1, 3, 4])
    assert.deepStrictEqual(windows[0], {
      time: at(4),
      open: 101,
      high: 106,
      low: 100,
      close: 105,
      takerShare: 0.6
    })
  })

  it("consist of whole candles, with the requested length rounded to 5 minutes", () => {
    for (let horizon = 5; horizon <= 1440; horizon++) {
      const { bars, measuredMin, tf } = chooseSampling(horizon)
      const parts = (measuredMin * minuteMs) / durationMs[tf]
      assert.isTrue(Number.isInteger(parts) && parts >= 1, `${horizon}`)
      assert.isTrue(Math.abs(measuredMin - horizon) <= 2, `${horizon}`)
      assert.isAtLeast(Math.floor(bars / parts), 30, `${horizon}`)
    }
  })
})

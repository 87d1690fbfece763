import { assert, layer as withLayer } from "@effect/vitest"
import { CoinPrices, durationMs, minuteMs, readValue } from "@tapeline/core"
import { getPriceHistory, getShortCalibration } from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, layerGappyMarket, now } from "../support/markets.ts"
import { formatIso, lastHour, setTime } from "./support.ts"

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 60_000 })("naive signals of the simulated market", (it) => {
  it.effect("follow from the candles", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      for (const horizon_min of [5, 60, 240, 1435]) {
        const result = yield* callTool(getShortCalibration, { coin: "ETH", horizon_min })
        const length = result.measured_min * minuteMs
        const [from, to] = [Date.parse(result.from!), Date.parse(result.to!)]
        assert.deepStrictEqual([from % length, (to - from) / length], [0, result.n])
        assert.isTrue(to <= now && to + length > now)
        const candles = yield* readValue(
          (yield* CoinPrices).candleRange({ coin: "ETH", timeframe: result.tf, from, to })
        )
        const parts = length / durationMs[result.tf]
        const moves = Array.from({ length: result.n }, (_, i) =>
          candles[(i + 1) * parts - 1]!.close - candles[i * parts]!.open)
        assert.closeTo(
          result.up_fraction!,
          moves.filter((move) =>
            move > 0
          ).length / moves.length,
          1e-6
        )
        const momentum = result.signals.find(({ name }) => name === "momentum")!
        const called = moves.slice(0, -1).filter((move) => move !== 0).length
        const sameDirectionCount = moves.filter((move, i) => i > 0 && move * moves[i - 1]! > 0).length
        assert.strictEqual(momentum.n, called)
        assert.closeTo(momentum.win_rate!, sameDirectionCount / called, 1e-6)
        assert.strictEqual(momentum.now, moves.at(-1)! > 0 ? "up" : "down")
        for (const { n, win_rate, wilson_high, wilson_low } of result.signals) {
          if (n < 20) assert.deepStrictEqual([win_rate, wilson_low, wilson_high], [null, null, null])
          else assert.isTrue(wilson_low! <= win_rate! && win_rate! <= wilson_high!)
        }
      }
      const calibration = yield* callTool(getShortCalibration, { coin: "BTC", horizon_min: 7 })
      assert.deepStrictEqual([calibration.horizon_min, calibration.measured_min], [7, 5])
      assert.isTrue(calibration.notes.some((note) => note.startsWith("Measured over 5 minutes")))
    }))

  it.effect("include the breakout that follows from the price history", () =>
    Effect.gen(function*() {
      const time = lastHour
      yield* setTime(time)
      const { candles } = yield* callTool(getPriceHistory, { coin: "BTC", tf: "1h", bars: 22 })
      const lastCloses = candles.filter(({ closed }) => closed === undefined).slice(-21)
      const last = lastCloses.at(-1)!
      const before = lastCloses.slice(0, -1)
      const { signals } = yield* callTool(getShortCalibration, {
        coin: "BTC",
        horizon_min: 60,
        at: formatIso(time)
      })
      const direction = last.close > Math.max(...before.map(({ high }) => high))
        ? "up"
        : last.close < Math.min(...before.map(({ low }) => low))
        ? "down"
        : "none"
      assert.strictEqual(signals.find(({ name }) => name === "breakout")!.now, direction)
    }))
})

withLayer(layerEngineOver(layerGappyMarket), { timeout: 60_000 })("naive signals of a market with gaps", (it) => {
  it.effect("omit and report windows that were not completely recorded", () =>
    Effect.gen(function*() {
      yield* setTime(now)
      const result = yield* callTool(getShortCalibration, { coin: "BTC", horizon_min: 60 })
      assert.isTrue(result.notes.some((note) => /^\d+ windows omitted because of missing records/u.test(note)))
      const spannedHours = (Date.parse(result.to!) - Date.parse(result.from!)) / (60 * minuteMs)
      assert.isBelow(result.n, spannedHours)
      const delistedCalibration = yield* callTool(getShortCalibration, { coin: "LTC", horizon_min: 60 })
      assert.isTrue(delistedCalibration.notes.some((note) => note.includes("stopped trading")))
      assert.isTrue(delistedCalibration.signals.every(({ now }) => now === null))
      yield* setTime(Date.UTC(2001, 0, 1))
      assert.strictEqual(
        (yield* callExpectingFailure(getShortCalibration, { coin: "BTC", horizon_min: 60 })).code,
        "no_data"
      )
    }))
})

import { assert, it } from "@effect/vitest"
import { EquityMarkets, hourMs, readValue } from "@tapeline/core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeEquityMarkets } from "../../src/SimMarket.ts"
import { defaultSeed, makeWorld } from "../../src/world.ts"

it.effect("no Korean stock trades more than 30 % from its base price", () =>
  Effect.gen(function*() {
    const equities = EquityMarkets.of(makeEquityMarkets(makeWorld(defaultSeed)))
    // Sessions in which the simulated price would exceed the price limit, each with the time one week later.
    const sessions = [
      ["009830", "2026-04-24"],
      ["079550", "2021-05-11"],
      ["247540", "2022-08-01"],
      ["086520", "2020-11-16"],
      ["086520", "2021-06-01"],
      ["277810", "2025-05-02"]
    ] as const
    for (const [symbol, date] of sessions) {
      yield* TestClock.setTime(Date.parse(`${date}T15:00:00+09:00`) + 7 * 24 * hourMs)
      const daily = yield* readValue(equities.history({ symbol, timeframe: "1d", bars: 20, adjusted: false }))
      const fineBars = yield* readValue(equities.history({ symbol, timeframe: "15m", bars: 26 * 14, adjusted: false }))
      let reachedCount = 0
      for (const [i, candle] of daily.candles.entries()) {
        const base = daily.candles[i - 1]?.close
        if (base === undefined) continue
        assert.isAtMost(candle.high / base, 1.3 + 1e-9, `${symbol} ${date}`)
        assert.isAtLeast(candle.low / base, 0.7 - 1e-9, `${symbol} ${date}`)
        assert.isTrue(candle.low <= Math.min(candle.open, candle.close))
        assert.isTrue(candle.high >= Math.max(candle.open, candle.close))
        assert.isTrue(candle.quoteVolume >= 0.999 * candle.low * candle.volume)
        assert.isTrue(candle.quoteVolume <= 1.001 * candle.high * candle.volume)
        if (candle.high > 1.29 * base || candle.low < 0.71 * base) reachedCount++
        const day = new Date(candle.time).toISOString().slice(0, 10)
        const parts = fineBars.candles.filter(({ time }) => new Date(time).toISOString().slice(0, 10) === day)
        if (parts.length < 26) continue
        assert.strictEqual(Math.max(...parts.map(({ high }) => high)), candle.high)
        assert.strictEqual(Math.min(...parts.map(({ low }) => low)), candle.low)
        assert.closeTo(parts.reduce((sum, { quoteVolume }) => sum + quoteVolume, 0) / candle.quoteVolume, 1, 1e-9)
        for (const { high, low, quoteVolume, volume } of parts) {
          assert.isTrue(quoteVolume >= 0.999 * low * volume && quoteVolume <= 1.001 * high * volume)
        }
      }
      assert.isAbove(reachedCount, 0, `${symbol} ${date}`)
    }
  }))

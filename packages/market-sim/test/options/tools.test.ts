import { assert, layer as withLayer } from "@effect/vitest"
import { CoinPrices, dayMs, hourMs, ImpliedVolatilities, readValue } from "@tapeline/core"
import { getOptionsBacktest } from "@tapeline/core/specifications"
import { isFullRun } from "@tapeline/testing/fullRun"
import { seed } from "@tapeline/testing/seed"
import { callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket } from "../support/markets.ts"
import { openInterestChecks } from "./openInterestChecks.ts"
import { assertNear, yearMs } from "./referenceFormulas.ts"
import { tradeChecks } from "./tradeChecks.ts"
import { now } from "./wholeChain.ts"

const allCoins = ["BTC", "ETH", "SOL"] as const
const coins = isFullRun ? allCoins : [allCoins[seed % allCoins.length]!]

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("tools of options", (it) => {
  for (const [title, check] of [...tradeChecks, ...openInterestChecks]) {
    it.effect(title, () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        for (const coin of coins) yield* check(coin)
      }))
  }

  it.effect("a volatility backtest equals one computed by hand, and an earlier run has the same past windows", () =>
    Effect.gen(function*() {
      for (const [coin, fwd_days] of [["BTC", 14], ["ETH", 5], ["BTC", 60]] as const) {
        yield* TestClock.setTime(now)
        const test = yield* callTool(getOptionsBacktest, { coin, fwd_days })
        const { points } = yield* readValue(
          (yield* ImpliedVolatilities).history({ coin, maturityDays: fwd_days, days: 1_900 })
        )
        const prices = yield* CoinPrices
        const timeframe = fwd_days === 5 ? "4h" : "1d"
        const stepMs = fwd_days === 5 ? 4 * hourMs : dayMs
        for (const [i, window] of test.last_windows.entries()) {
          const [from, to] = [Date.parse(window.from), Date.parse(window.to)]
          assert.strictEqual(to - from, fwd_days * dayMs)
          if (i > 0) assert.isAtLeast(from, Date.parse(test.last_windows[i - 1]!.to))
          const read = points.findLast(({ time }) => time <= from)!
          assertNear(window.iv_pct, read.ivPct, 1e-5, "IV")
          const year = points.filter(({ time }) => time <= read.time && time > read.time - 365 * dayMs)
          const below = year.filter(({ ivPct }) => ivPct < read.ivPct).length / year.length
          assert.strictEqual(window.regime, below < 1 / 3 ? "low" : below < 2 / 3 ? "mid" : "high")
          const candles = yield* readValue(prices.candleRange({ coin, timeframe, from: from - stepMs, to }))
          const returns = candles.slice(1).map(({ close }, j) => Math.log(close / candles[j]!.close))
          assert.strictEqual(returns.length, (to - from) / stepMs)
          const mean = returns.reduce((sum, r) => sum + r, 0) / returns.length
          const variance = returns.reduce((sum, r) => sum + (r - mean) ** 2, 0) / (returns.length - 1)
          assertNear(window.realised_pct, 100 * Math.sqrt(variance * (yearMs / stepMs)), 1e-5, "realised")
          assertNear(window.edge_vol_pts, window.realised_pct - window.iv_pct, 1e-9, "edge")
        }
        assert.strictEqual(
          test.overall.n,
          test.by_iv_regime.reduce((sum, row) => sum + row.n, 0)
        )
        for (const row of [test.overall, ...test.by_iv_regime]) assert.strictEqual(row.win_rate === null, row.n < 20)
        const earlierTime = now - 3 * fwd_days * dayMs
        const earlier = yield* callTool(getOptionsBacktest, {
          coin,
          fwd_days,
          at: new Date(earlierTime).toISOString()
        })
        assert.deepStrictEqual(earlier.last_windows.slice(-9), test.last_windows.slice(0, 9))
        yield* TestClock.setTime(earlierTime)
        assert.deepStrictEqual(yield* callTool(getOptionsBacktest, { coin, fwd_days }), earlier)
      }
    }))
})

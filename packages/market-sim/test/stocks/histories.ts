import { assert, layer as withLayer } from "@effect/vitest"
import { dayMs, EquityMarkets, readValue } from "@tapeline/core"
import { getKrStock, getKrStockHistory, getUsStock, getUsStockHistory } from "@tapeline/core/specifications"
import { isFullRun } from "@tapeline/testing/fullRun"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { layerEngineOver } from "../support/engine.ts"
import { layerCompleteMarket, now, testWorld } from "../support/markets.ts"

const sessionsPerYear = 252

/** Returns the stocks that were split within the given number of days before the test's current time. */
const findRecentlySplitStocks = (country: "US" | "KR", days: number) =>
  testWorld.equities.getTradedStocks(country, now).filter(({ market }) =>
    market.listedAt < now - 800 * dayMs &&
    market.actions.some(({ ratio, time }) => ratio > 1 && time < now && time > now - days * dayMs)
  ).map(({ spec }) => spec.symbol)

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("candles of stocks", (it) => {
  it.effect("52-week extremes of split-adjusted candles equal range_52w, and the last close is the price", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const split = findRecentlySplitStocks("US", 300)
      assert.isAbove(split.length, 0)
      for (const symbol of [...split, "AAPL", "KO"]) {
        const { candles, notes } = yield* callTool(getUsStockHistory, { symbol, bars: sessionsPerYear })
        const { price, range_52w } = yield* callTool(getUsStock, { symbol })
        assert.deepStrictEqual([candles.length, notes], [sessionsPerYear, []], symbol)
        assert.strictEqual(Math.min(...candles.map(({ low }) => low)), range_52w.low, symbol)
        assert.strictEqual(Math.max(...candles.map(({ high }) => high)), range_52w.high, symbol)
        assert.deepStrictEqual([candles.at(-1)!.close, candles.at(-1)!.closed], [price, false], symbol)
      }
      for (const symbol of [...findRecentlySplitStocks("KR", 300), "005930", "035720"]) {
        const { candles } = yield* callTool(getKrStockHistory, { symbol, bars: sessionsPerYear })
        const { price_krw, range_52w } = yield* callTool(getKrStock, { symbol })
        assert.strictEqual(Math.min(...candles.map(({ low }) => low)), range_52w.low, symbol)
        assert.strictEqual(Math.max(...candles.map(({ high }) => high)), range_52w.high, symbol)
        assert.strictEqual(candles.at(-1)!.close, price_krw, symbol)
      }
    }))

  it.effect("market capitalisation is price times shares", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      for (const symbol of ["AAPL", "BRK.B"]) {
        const { market_cap_usd, price, shares_outstanding } = yield* callTool(getUsStock, { symbol })
        assert.closeTo(market_cap_usd! / (price * shares_outstanding!), 1, 1e-9)
      }
      const { market_cap_krw, price_krw, shares_outstanding } = yield* callTool(getKrStock, {
        symbol: "000660"
      })
      assert.closeTo(market_cap_krw! / (price_krw * shares_outstanding!), 1, 1e-9)
    }))
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })("adjusted candles of stocks", (it) => {
  it.effect.runIf(isFullRun)(
    "unadjusted, split-adjusted and fully adjusted candles agree across splits and dividends",
    () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        let dividends = 0
        for (const symbol of findRecentlySplitStocks("US", 800).slice(0, 4)) {
          for (const [tf, bars] of [["1d", 600], ["1w", 120]] as const) {
            const traded = yield* callTool(getUsStockHistory, { symbol, tf, bars, adjust: "none" })
            const split = yield* callTool(getUsStockHistory, { symbol, tf, bars })
            const all = yield* callTool(getUsStockHistory, { symbol, tf, bars, adjust: "all" })
            assert.deepStrictEqual([traded.adjusted, split.adjusted, all.adjusted], ["none", "splits", "all"])
            assert.deepStrictEqual(split.splits, traded.splits)
            assert.deepStrictEqual(split.dividends, traded.dividends)
            assert.isAbove(traded.splits.length, 0)
            dividends += traded.dividends.length
            for (const [i, candle] of traded.candles.entries()) {
              const { close, high, low, volume } = split.candles[i]!
              assert.strictEqual(split.candles[i]!.time, candle.time)
              const end = traded.candles[i + 1]?.time ?? "9"
              // A close after a split is already a price per new share.
              const ratio = traded.splits.filter(({ time }) => time >= end).reduce((all, one) => all * one.ratio, 1)
              assert.closeTo(close * ratio / candle.close, 1, 1e-9, `${symbol} ${tf} ${candle.time}`)
              const isUnsplit = !traded.splits.some(({ time }) => time > candle.time && time < end)
              if (isUnsplit) {
                assert.closeTo(low * ratio / candle.low, 1, 1e-9)
                assert.closeTo(high * ratio / candle.high, 1, 1e-9)
                assert.closeTo(volume / ratio / candle.volume, 1, 1e-9)
              } else assert.isBelow(high / low, 1.6)
              // Each later dividend reduces the price at the time of the dividend.
              const dividendPaid = traded.dividends.filter(({ time }) => time >= end)
                .reduce((left, { amount, time }) => {
                  const before = traded.candles.findLast((one) => one.time < time)!
                  return left * (1 - amount / before.close)
                }, 1)
              if (tf === "1d") assert.closeTo(all.candles[i]!.close / (close * dividendPaid), 1, 2e-3, symbol)
            }
            assert.strictEqual(all.candles.at(-1)!.close, split.candles.at(-1)!.close)
          }
        }
        assert.isAbove(dividends, 0)
      })
  )
})

withLayer(layerEngineOver(layerCompleteMarket), { timeout: 120_000 })(
  "candles of stocks by timeframe and session",
  (it) => {
    it.effect("weeks equal their days; a recently listed stock and a delisted stock have their own candles", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const weeks = yield* callTool(getUsStockHistory, { symbol: "NVDA", tf: "1w", bars: 3 })
        const days = yield* callTool(getUsStockHistory, { symbol: "NVDA", bars: 20 })
        for (const week of weeks.candles) {
          const next = new Date(Date.parse(week.time) + 6 * dayMs).toISOString()
          const within = days.candles.filter(({ time }) => time >= week.time && time < next)
          assert.strictEqual(Math.max(...within.map(({ high }) => high)), week.high)
          assert.closeTo(within.reduce((sum, { volume }) => sum + volume, 0) / week.volume, 1, 1e-9)
          assert.strictEqual(within.at(-1)!.close, week.close)
        }
        const hours = yield* callTool(getUsStockHistory, { symbol: "NVDA", tf: "1h", bars: 1 })
        assert.strictEqual(hours.candles[0]!.close, days.candles.at(-1)!.close)
        const youngHistory = yield* callTool(getUsStockHistory, { symbol: "RDDT", bars: 1000 })
        assert.match(youngHistory.notes.join(), /exist: it has been listed since 2024-03-21/u)
        const delistedHistory = yield* callTool(getUsStockHistory, { symbol: "TWTR", bars: 5 })
        assert.match(delistedHistory.notes.join(), /stopped trading at 2022-10-27/u)
        assert.isTrue(delistedHistory.candles.every((candle) => !("closed" in candle)))
        assert.strictEqual((yield* callExpectingFailure(getUsStock, { symbol: "TWTR" })).code, "no_data")
      }))

    it.effect("between sessions the price is the last close, with an extended-hours price next to it", () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(Date.parse("2026-11-21T14:00:00Z"))
        const saturday = yield* callTool(getUsStock, { symbol: "AAPL" })
        const { candles } = yield* callTool(getUsStockHistory, { symbol: "AAPL", bars: 1 })
        assert.deepStrictEqual([candles[0]!.close, "closed" in candles[0]!], [saturday.price, false])
        assert.strictEqual(saturday.session, "closed")
        assert.isNotNull(saturday.extended)
        const { price } = yield* readValue((yield* EquityMarkets).quote("AAPL"))
        assert.strictEqual(saturday.price, price)
      }))
  }
)

import { assert, layer as withLayer } from "@effect/vitest"
import { CoinPrices, dayMs, durationMs, hourMs, minuteMs, timeframes, touchesGap, valueOf } from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { coinPricesContract } from "@tapeline/testing/contracts/coinPrices"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { storedCoinPrices } from "../../src/stored/coinPrices.ts"
import { collected } from "../support/collected.ts"

/** A Friday, within a session of New York. */
const now = Date.parse("2026-11-20T15:33:22.517Z")
const hour = Math.floor(now / hourMs) * hourMs
const day = Math.floor(now / dayMs) * dayMs
const name = "the store of what was collected"

const outage = { from: hour - 32 * hourMs, to: hour - 27 * hourMs }
const filled = { from: hour - 80 * hourMs, to: hour - 77 * hourMs }
const diedAt = day - 6 * dayMs + 10 * hourMs + 20 * minuteMs

const whole = Layer.succeedContext(SimMarket.portsOf(makeWorld("stored", 262_144)))
/** On the grid of every series but the days. */
const onGrid = Math.floor(now / (5 * minuteMs)) * 5 * minuteMs
const store = collected(whole, {
  now: onGrid,
  until: hour + 16 * hourMs,
  coins: ["BTC", "XRP", "SOL", "LTC", "USDT"],
  lost: [outage, filled],
  delisted: { LTC: diedAt },
  bare: ["XRP"],
  candleDays: 42,
  priceDays: 8
})

const prices = Layer.provideMerge(storedCoinPrices, store.layer)

coinPricesContract(name, Layer.provide(storedCoinPrices, store.layer), {
  now,
  coins: ["BTC", "XRP", "SOL"],
  delisted: "LTC",
  outage,
  takerless: "XRP",
  backfill: { coin: "BTC", interval: filled, fill: store.fill("BTC", filled) }
})

/** What both say at an instant: the store that was collected into, and the market itself. */
const bothAt = <A, E>(time: number, ask: (prices: CoinPrices["Service"]) => Effect.Effect<A, E>) =>
  Effect.andThen(
    TestClock.setTime(time),
    Effect.all([Effect.flatMap(CoinPrices, ask), Effect.provide(Effect.flatMap(CoinPrices, ask), whole)])
  )

const listed = ["BTC", "SOL", "USDT"]

withLayer(prices)("CoinPrices out of a store, beside the market that was collected", (it) => {
  it.effect("candles are the market's, at every timeframe", () =>
    Effect.gen(function*() {
      for (const timeframe of timeframes) {
        for (const coin of listed) {
          const query = { coin, timeframe, bars: 6 }
          const [mine, its] = yield* bothAt(onGrid, (prices) => prices.candles(query))
          // What has just begun has no part yet.
          const begun = its.value.filter(({ closed, time }) => closed || time < onGrid && timeframe !== "5m")
          const holed = (time: number) =>
            touchesGap([outage, filled], time, Math.min(time + durationMs[timeframe], onGrid))
          assert.deepStrictEqual(mine.value, begun.filter(({ time }) => !holed(time)))
          assert.deepStrictEqual([mine.sources, mine.asOf], [its.sources, onGrid])
        }
      }
    }))

  it.effect("prices, minutes and tickers are the market's", () =>
    Effect.gen(function*() {
      for (const ago of [0, 5 * minuteMs, 60 * minuteMs, 3 * dayMs]) {
        const [mine, its] = yield* bothAt(onGrid, (prices) => prices.priceAt({ coin: "SOL", time: onGrid - ago }))
        assert.deepStrictEqual(mine, its)
      }
      const query = { coins: listed, after: onGrid - hourMs, until: onGrid }
      const [minutes, its] = yield* bothAt(onGrid, (prices) => prices.minutes(query))
      assert.deepStrictEqual(minutes, its)
      for (const coin of listed) {
        const [stored, direct] = yield* bothAt(onGrid - 4 * dayMs, (prices) => valueOf(prices.ticker(coin)))
        assert.strictEqual(stored.time, direct.time)
        for (const field of ["price", "change24hPct", "high24h", "low24h", "volume24hUsd"] as const) {
          assert.closeTo(stored[field]! / (direct[field]! || 1), direct[field] === 0 ? 0 : 1, 1e-9, `${coin} ${field}`)
        }
      }
    }))
})

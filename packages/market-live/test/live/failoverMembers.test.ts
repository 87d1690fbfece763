/**
 * Tests data that one of several venues provides at a time. If the active venue is unavailable, an available next venue
 * does not prove that no data exists.
 */
import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, hourMs, minuteMs, OrderBooks, SourceUnavailable } from "@tapeline/core/market"
import { getDerivatives, getOrderbook } from "@tapeline/core/specifications"
import { MemoryMarketStore } from "@tapeline/testing"
import { callHandler } from "@tapeline/testing/toolCalls"
import { makeBinanceFutures, makeBinanceSpot, makeBybitMarket, makeFakeServer, makeOkxMarket } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerLiveMarket, MarketHealth, trackedCoins } from "../../src/index.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"
import { toolsOf } from "../support/toolsOf.ts"
import { advanceUntil } from "../support/until.ts"

const start = Date.parse("2026-11-20T12:34:50.000Z")
const ports = portsOfFewCoins
const served = {
  derivatives: Context.get(ports, CoinDerivatives),
  prices: Context.get(ports, CoinPrices),
  books: Context.get(ports, OrderBooks)
}

const faultOf = (error: unknown) => error instanceof SourceUnavailable ? [error.source, error.failure] : [error]

it.effect(
  "reports a failing venue as a fault until it is given up, even if the next one is up",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const spot = yield* makeFakeServer(makeBinanceSpot(served.prices, served.books))
      const futures = yield* makeFakeServer(makeBinanceFutures(served))
      const bybit = yield* makeFakeServer(makeBybitMarket(served))
      const okx = yield* makeFakeServer(makeOkxMarket(served))
      futures.fail({ _tag: "reset" })
      const live = layerLiveMarket({
        urls: {
          ...allUrlsAt("http://127.0.0.1:9"),
          binanceSpot: spot.url,
          binanceFutures: futures.url,
          bybit: bybit.url,
          okx: okx.url
        },
        coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
        newsFeeds: [],
        candleDays: 1,
        priceDays: 1,
        derivativeDays: 1
      }).pipe(Layer.provide(MemoryMarketStore))
      const context = yield* Layer.build(live)
      const tools = Layer.provide(toolsOf([getDerivatives, getOrderbook]), Layer.succeedContext(context))
      const [prices, derivatives] = [Context.get(context, CoinPrices), Context.get(context, CoinDerivatives)]
      yield* advanceUntil("the coin is known", Effect.isSuccess(prices.coin("BTC")))
      yield* advanceUntil("books are there", Effect.isSuccess(Context.get(context, OrderBooks).orderBook("BTC")))

      const hours = { coin: "BTC", from: start - 6 * hourMs, to: start - hourMs, stepMs: 5 * minuteMs }
      const reads = [
        Effect.asVoid(derivatives.perpetual("BTC")),
        Effect.asVoid(derivatives.perpetuals),
        Effect.asVoid(derivatives.perpetualHistory(hours)),
        Effect.asVoid(derivatives.takerFlow(hours)),
        Effect.asVoid(derivatives.fundingPayments(hours))
      ]
      for (const read of reads) {
        assert.deepStrictEqual(faultOf(yield* Effect.flip(read)), ["binance", "unreachable"])
      }
      const failure = yield* Effect.flip(Effect.provide(callHandler(getDerivatives, { coin: "BTC" }), tools))
      assert.deepInclude(failure, { code: "source_unavailable", retryable: true })
      assert.include(JSON.stringify(failure), `"binance"`)
      assert.strictEqual((yield* Effect.provide(callHandler(getOrderbook, { coin: "BTC" }), tools)).source, "binance")
    }).pipe(Effect.scoped),
  60_000
)

it.effect(
  "reports the next venue as unreachable until its first data if the first one is blocked",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const spot = yield* makeFakeServer(makeBinanceSpot(served.prices, served.books))
      const futures = yield* makeFakeServer(() => Effect.succeed({ status: 451, body: { code: 0, msg: "not here" } }))
      const handleRequest = makeBybitMarket(served)
      const outageFlags = { rest: false }
      const bybit = yield* makeFakeServer((request) =>
        outageFlags.rest || request.path.includes("instruments") ? handleRequest(request) : Effect.never
      )
      const live = layerLiveMarket({
        urls: {
          ...allUrlsAt("http://127.0.0.1:9"),
          binanceSpot: spot.url,
          binanceFutures: futures.url,
          bybit: bybit.url
        },
        coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
        newsFeeds: [],
        candleDays: 1,
        priceDays: 1,
        derivativeDays: 1
      }).pipe(Layer.provide(MemoryMarketStore))
      const context = yield* Layer.build(live)
      const derivatives = Context.get(context, CoinDerivatives)
      const { report } = Context.get(context, MarketHealth)
      const stateOf = (feeder: string) =>
        Effect.map(report, ({ sources }) => sources.find(({ source }) => source === feeder)?.state)
      yield* advanceUntil("the coin is known", Effect.isSuccess(Context.get(context, CoinPrices).coin("BTC")))
      yield* advanceUntil("Binance is blocked", Effect.map(stateOf("binance/futures"), (state) => state === "blocked"))
      yield* advanceUntil("Bybit is there", Effect.map(stateOf("bybit/market"), (state) => state === "up"))
      for (const read of [Effect.asVoid(derivatives.perpetual("BTC")), Effect.asVoid(derivatives.perpetuals)]) {
        assert.deepStrictEqual(faultOf(yield* Effect.flip(read)), ["bybit", "unreachable"])
      }
      outageFlags.rest = true
      const startTime = yield* Clock.currentTimeMillis
      yield* advanceUntil("the perpetual is available", Effect.isSuccess(derivatives.perpetual("BTC")))
      assert.isAtMost((yield* Clock.currentTimeMillis) - startTime, 6 * minuteMs)
    }).pipe(Effect.scoped),
  60_000
)

it.effect(
  "names an unreachable venue, not a blocked one, if all venues are unavailable",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const spot = yield* makeFakeServer(makeBinanceSpot(served.prices, served.books))
      const futures = yield* makeFakeServer(() => Effect.succeed({ status: 451, body: { code: 0, msg: "not here" } }))
      const live = layerLiveMarket({
        urls: { ...allUrlsAt("http://127.0.0.1:9"), binanceSpot: spot.url, binanceFutures: futures.url },
        coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
        newsFeeds: [],
        candleDays: 1,
        priceDays: 1,
        derivativeDays: 1
      }).pipe(Layer.provide(MemoryMarketStore))
      const context = yield* Layer.build(live)
      const derivatives = Context.get(context, CoinDerivatives)
      const { report } = Context.get(context, MarketHealth)
      const states = Effect.map(report, ({ sources }) =>
        ["binance/futures", "bybit/market", "okx/market"].map((feeder) =>
          sources.find(({ source }) =>
            source === feeder
          )?.state
        ))
      yield* advanceUntil("the coin is known", Effect.isSuccess(Context.get(context, CoinPrices).coin("BTC")))
      yield* advanceUntil(
        "all are unavailable",
        Effect.map(states, ([first, ...others]) => first === "blocked" && others.every((state) => state === "failing"))
      )
      for (const read of [Effect.asVoid(derivatives.perpetual("BTC")), Effect.asVoid(derivatives.perpetuals)]) {
        assert.deepStrictEqual(faultOf(yield* Effect.flip(read)), ["bybit", "unreachable"])
      }
    }).pipe(Effect.scoped),
  60_000
)

import { assert, it } from "@effect/vitest"
import {
  CoinDerivatives,
  CoinPrices,
  hourMs,
  type MarketPorts,
  type MarketRead,
  minuteMs,
  OrderBooks,
  readValue
} from "@tapeline/core/market"
import {
  getDerivatives,
  getFundingComparison,
  getOrderbook,
  getPositioningHistory
} from "@tapeline/core/specifications"
import { MemoryMarketStore } from "@tapeline/testing"
import { callHandler } from "@tapeline/testing/toolCalls"
import {
  makeBybitLiquidations,
  makeBybitMarket,
  makeFakeServer,
  makeOkxLiquidations,
  makeOkxMarket
} from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerLiveMarket, MarketHealth, trackedCoins } from "../../src/index.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"
import { toolsOf } from "../support/toolsOf.ts"
import { advanceUntil } from "../support/until.ts"

const start = Date.parse("2026-11-20T12:34:50.000Z")
const ports = portsOfFewCoins
const derivatives = Context.get(ports, CoinDerivatives)
const prices = Context.get(ports, CoinPrices)
const books = Context.get(ports, OrderBooks)
const onlyBtc = <A extends { readonly coin: string }>(
  read: MarketRead<ReadonlyArray<A>>
): MarketRead<ReadonlyArray<A>> =>
  Effect.map(
    read,
    (reading) => ({ ...reading, value: reading.value.filter(({ coin }) => coin === "BTC" || coin === "ETH") })
  )
const served = {
  derivatives: { ...derivatives, perpetuals: onlyBtc(derivatives.perpetuals) },
  prices: { ...prices, coins: onlyBtc(prices.coins), tickers: onlyBtc(prices.tickers) },
  books
}

/** Starts the live market where Binance is blocked, with the given venues. */
const blockedLive = Effect.fnUntraced(function*(venues: ReadonlyArray<"bybit" | "okx">) {
  const binance = yield* makeFakeServer(() => Effect.succeed({ status: 451, body: { code: 0, msg: "not here" } }))
  const bybit = yield* makeFakeServer(makeBybitMarket(served), makeBybitLiquidations(served.derivatives))
  const okx = yield* makeFakeServer(makeOkxMarket(served), makeOkxLiquidations(served.derivatives))
  const urls = {
    ...allUrlsAt("http://127.0.0.1:9"),
    binanceSpot: binance.url,
    binanceFutures: binance.url,
    okx: okx.url,
    okxStreams: okx.url.replace("http", "ws"),
    bybit: venues.includes("bybit") ? bybit.url : binance.url,
    bybitStreams: bybit.url.replace("http", "ws")
  }
  const live = layerLiveMarket({
    urls,
    coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
    newsFeeds: [],
    candleDays: 2,
    priceDays: 1,
    derivativeDays: 1
  }).pipe(Layer.provide(MemoryMarketStore))
  const context = yield* Layer.build(live)
  const { report } = Context.get(context, MarketHealth)
  const isWhole = Effect.map(report, ({ collectorsBySource }) => {
    const binanceCollectors = collectorsBySource.find(({ source }) => source === "binance")?.collectors ?? []
    return ["candles", "perpetuals", "orderBooks"].every((name) =>
      binanceCollectors.some((one) => one.name === name && one.completeAt !== null)
    )
  })
  yield* advanceUntil("data of other venues is collected", isWhole)
  // Coin facts are written once an hour, and the first write came before the first candle.
  yield* advanceUntil("the coin is known", Effect.isSuccess(Context.get(context, CoinPrices).coin("BTC")))
  return context
})

const tools = toolsOf([getDerivatives, getFundingComparison, getOrderbook, getPositioningHistory])

const called = (context: Context.Context<MarketPorts>) =>
  Effect.gen(function*() {
    return {
      now: yield* callHandler(getDerivatives, { coin: "BTC" }),
      funding: yield* callHandler(getFundingComparison, { coin: "BTC" }),
      positioningHistory: yield* callHandler(getPositioningHistory, { coin: "BTC" }),
      book: yield* callHandler(getOrderbook, { coin: "BTC" })
    }
  }).pipe(Effect.provide(Layer.provide(tools, Layer.succeedContext(context))))

it.effect(
  "returns perpetuals from Bybit, and books and taker flow from OKX, if Binance is blocked",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const context = yield* blockedLive(["bybit", "okx"])
      const { book, funding, now, positioningHistory } = yield* called(context)
      for (const { source } of [now, positioningHistory]) assert.include(source, "bybit")
      assert.strictEqual(book.source, "okx")
      assert.isNotEmpty(funding.venues)
      for (const { source } of [book, funding, now, positioningHistory]) assert.notInclude(source, "binance")
      const coinDerivatives = Context.get(context, CoinDerivatives)
      const hours = { coin: "BTC", from: start - 6 * hourMs, to: start - hourMs }
      const known = yield* readValue(derivatives.perpetualHistory({ ...hours, stepMs: 5 * minuteMs }))
      const storedHistory = yield* readValue(coinDerivatives.perpetualHistory({ ...hours, stepMs: 5 * minuteMs }))
      assert.deepStrictEqual(storedHistory.points.map(({ time }) => time), known.points.map(({ time }) => time))
      // Open interest is recorded only from the first venue, because a difference between two venues is not a flow.
      for (const { openInterest, openInterestUsd } of storedHistory.points) {
        assert.deepStrictEqual([openInterest, openInterestUsd], [null, null])
      }
      const flow = yield* coinDerivatives.takerFlow({ ...hours, stepMs: hourMs })
      assert.deepStrictEqual(flow.sources, ["okx"])
      const { points } = yield* readValue(derivatives.takerFlow({ ...hours, stepMs: hourMs }))
      assert.deepStrictEqual(flow.value.points.map(({ time }) => time), points.map(({ time }) => time))
    }).pipe(Effect.scoped),
  60_000
)

it.effect("returns everything from OKX if Bybit is blocked as well", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(start)
    const { book, now, positioningHistory } = yield* called(yield* blockedLive(["okx"]))
    for (const { source } of [book, now, positioningHistory]) assert.strictEqual(source, "okx")
  }).pipe(Effect.scoped), 60_000)

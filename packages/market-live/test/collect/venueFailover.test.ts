import { assert, it } from "@effect/vitest"
import { DerivedStore, getPrice, getPriceHistory, pickTools, Toolbox, tools } from "@tapeline/core"
import { type SourceFailure } from "@tapeline/core/engine"
import {
  CoinDerivatives,
  CoinPrices,
  dayMs,
  hourMs,
  minuteMs,
  OrderBooks,
  readValue,
  SourceUnavailable
} from "@tapeline/core/market"
import { MemoryMarketStore } from "@tapeline/testing"
import { callHandler } from "@tapeline/testing/toolCalls"
import { makeBinanceSpot, makeBybitMarket, makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerLiveMarket, MarketHealth, trackedCoins, VenueFailover } from "../../src/index.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"
import { allUrlsAt } from "../support/sourceUrls.ts"
import { advanceUntil } from "../support/until.ts"

class Venue {
  failure: SourceFailure | undefined
  has = true
  requestCount = 0
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  get response(): Effect.Effect<string | null, SourceUnavailable> {
    return Effect.suspend(() => {
      this.requestCount++
      const { failure, name: source } = this
      if (failure === undefined) return Effect.succeed(this.has ? source : null)
      return Effect.fail(new SourceUnavailable({ source, failure, reason: "as told", retryable: true }))
    })
  }
}

const ordered = () => {
  const venues = [new Venue("first"), new Venue("second"), new Venue("third")] as const
  const order = new VenueFailover(venues)
  const ask = Effect.map(order.request("candles", (venue) => venue.response), (reading) => reading?.value ?? null)
  return { venues, order, ask }
}

it.effect("leaves a blocked venue at once, and tries it again after an hour", () =>
  Effect.gen(function*() {
    const { ask, venues: [first, second] } = ordered()
    assert.strictEqual(yield* ask, "first")
    first.failure = "blocked"
    assert.strictEqual(yield* ask, "second")
    first.failure = undefined
    yield* TestClock.adjust(hourMs - 1)
    const before = first.requestCount
    for (let i = 0; i < 3; i++) assert.strictEqual(yield* ask, "second")
    assert.strictEqual(first.requestCount, before)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* ask, "first")
    assert.strictEqual(second.requestCount, 4)
  }))

it.effect("waits ten minutes for a venue that fails otherwise, then takes the next one", () =>
  Effect.gen(function*() {
    const { ask, venues: [first, second] } = ordered()
    const fails = Effect.map(Effect.flip(ask), ({ source }) => source)
    yield* ask
    for (const pause of [9 * minuteMs, 3 * hourMs]) {
      first.failure = "unreachable"
      assert.strictEqual(yield* fails, "first")
      yield* TestClock.adjust(pause)
      if (pause < hourMs) {
        first.failure = undefined
        assert.strictEqual(yield* ask, "first")
      }
    }
    for (let minutes = 0; minutes < 10; minutes++) {
      assert.strictEqual(yield* fails, "first")
      yield* TestClock.adjust(minuteMs)
    }
    assert.strictEqual(second.requestCount, 0)
    assert.strictEqual(yield* ask, "second")
    // The first venue is tried again only once an hour, even if the series is requested more often.
    const before = first.requestCount
    for (let minutes = 0; minutes < 180; minutes++) {
      assert.strictEqual(yield* ask, "second")
      yield* TestClock.adjust(minuteMs)
    }
    assert.strictEqual(first.requestCount - before, 2)
  }))

it.effect("stays with the next venue for at least an hour while the first one flickers", () =>
  Effect.gen(function*() {
    const { ask, venues: [first] } = ordered()
    const changes: Array<number> = []
    let last: string | null = "first"
    for (let minutes = 0; minutes < 24 * 60; minutes++) {
      first.failure = minutes % 7 === 0 ? "blocked" : undefined
      const firstReading = yield* ask
      if (firstReading !== last) changes.push(minutes)
      last = firstReading
      yield* TestClock.adjust(minuteMs)
    }
    const back = changes.filter((_, i) => i % 2 === 1).map((minutes, i) => minutes - changes[2 * i]!)
    assert.isAbove(back.length, 10)
    for (const stretchMinutes of back) assert.isAtLeast(stretchMinutes, 60)
  }))

it.effect("fails as the first venue does, and returns null if no venue has the data", () =>
  Effect.gen(function*() {
    const { ask, venues } = ordered()
    for (const venue of venues) venue.failure = "blocked"
    assert.strictEqual((yield* Effect.flip(ask)).source, "first")
    for (const venue of venues) {
      venue.failure = undefined
      venue.has = false
    }
    assert.isNull(yield* ask)
    venues[2].has = true
    assert.strictEqual(yield* ask, "third")
    venues[1].failure = "unreachable"
    assert.strictEqual(yield* ask, "third")
  }))

const start = Date.parse("2026-11-20T12:31:17.000Z")
const ports = portsOfFewCoins
const prices = Context.get(ports, CoinPrices)

it.effect(
  "names a blocked venue, and returns candles and prices from the next one",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const derivatives = Context.get(ports, CoinDerivatives)
      const binance = yield* makeFakeServer(makeBinanceSpot(prices, Context.get(ports, OrderBooks)))
      const bybit = yield* makeFakeServer(makeBybitMarket({ derivatives, prices }))
      binance.fail({ _tag: "answer", status: 451, body: { code: 0, msg: "restricted location" } })
      const market = layerLiveMarket({
        urls: { ...allUrlsAt("http://127.0.0.1:9"), binanceSpot: binance.url, bybit: bybit.url },
        coins: trackedCoins.filter(({ coin }) => coin === "BTC"),
        newsFeeds: [],
        candleDays: 2,
        priceDays: 1,
        derivativeDays: 1
      }).pipe(Layer.provide(MemoryMarketStore))
      const live = yield* Layer.build(Layer.provideMerge(DerivedStore.layer, market))
      const { report } = Context.get(live, MarketHealth)
      const spot = new Set(["candles", "prices", "tickers"])
      const isWhole = Effect.map(report, ({ collectorsBySource }) =>
        collectorsBySource.some(({ collectors, source }) =>
          source === "binance" &&
          collectors.filter(({ name, completeAt }) =>
              spot.has(name) && completeAt !== null
            ).length === spot.size
        ))
      yield* advanceUntil("the spot market is collected", isWhole)
      yield* advanceUntil("facts are there", Effect.isSuccess(Context.get(live, CoinPrices).coin("BTC")))

      const query = { coin: "BTC", timeframe: "5m", from: start - dayMs, to: start - 10 * minuteMs } as const
      const read = yield* Context.get(live, CoinPrices).candleRange(query)
      const candles = yield* readValue(prices.candleRange(query))
      assert.deepStrictEqual(read.value, candles.map((candle) => ({ ...candle, takerBuyVolume: null })))
      assert.deepStrictEqual(read.sources, ["bybit"])

      const named = Toolbox.layer(pickTools(tools, ["get_price", "get_price_history"]))
      const toolbox = yield* Layer.build(Layer.provide(named, Layer.succeedContext(live)))
      for (const tool of [getPrice, getPriceHistory]) {
        const call = callHandler(tool, { ...tool.example, coin: "BTC" })
        assert.deepInclude(yield* Effect.provideContext(call, toolbox), { source: "bybit" }, tool.name)
      }

      const { sources } = yield* report
      const blocked = sources.find(({ source }) => source === "binance/spot")!
      assert.deepInclude(blocked, { state: "blocked", next: "bybit" })
      assert.include(blocked.lastFault?.reason, "not available in this region (status 451)")
      assert.strictEqual(binance.requests.length, 1)
    }).pipe(Effect.scoped),
  60_000
)

import { assert, it } from "@effect/vitest"
import {
  dayMs,
  EquityMarkets,
  ExchangeRates,
  lastSession,
  minuteMs,
  readValue,
  StoredEquities
} from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { storedEquitiesContract } from "@tapeline/testing/contracts/storedEquities"
import { waive } from "@tapeline/testing/contracts/waiver"
import { isFullRun } from "@tapeline/testing/fullRun"
import { AutoAdvancingClock, makeFakeServer, makeYahoo, makeYahooAuth } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  indexKey,
  layerCollectors,
  layerYahoo,
  makeYahooCollectors,
  makeYahooRatesCollector,
  MarketHealth,
  SourceHealth,
  stockKey,
  storedEquities
} from "../../src/index.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { advanceTo, advanceUntil } from "../support/until.ts"

/** A Friday, an hour into the New York session. */
const start = Date.parse("2026-11-20T15:33:20Z")
const all = sharedPorts
const equities = Context.get(all, EquityMarkets)
const sim = Context.get(all, StoredEquities)
const ports = { equities, rates: Context.get(all, ExchangeRates), stored: sim }
const stocks = { US: ["AAPL", "NVDA"], KR: ["005930"] }
const subjects = [
  ...stocks.US.map((symbol) => stockKey("US", symbol)),
  stockKey("KR", "005930"),
  ...["SPX", "NDX", "DJI", "RUT", "KOSPI", "KOSDAQ", "VIX"].map(indexKey)
]
const kind = pointsKinds.equityDays
/** The test clock runs faster than the server responds, so the timeouts are long. */
const retryPolicy = { timeoutMs: 3_600_000, callTimeoutMs: 7_200_000 }

const isWhole = Effect.gen(function*() {
  const store = yield* MarketStore
  const records = yield* store.records({ kind, subjects })
  const now = yield* Clock.currentTimeMillis
  return records.size === subjects.length &&
    [...records.values()].every(({ contiguousUntil }) => contiguousUntil >= now - 6 * minuteMs)
})

const collecting = Effect.fnUntraced(function*(days: number) {
  const yahooAuth = makeYahooAuth()
  const data = makeYahoo(ports, yahooAuth)
  const server = yield* makeFakeServer((request) =>
    Effect.flatMap(yahooAuth.handleRequest(request), (page) => page === null ? data(request) : Effect.succeed(page))
  )
  const source = layerYahoo({ baseUrl: server.url, siteUrl: server.url, retryPolicy })
  const context = yield* Layer.build(Layer.provide(source, SourceHealth.layer))
  const collectors = yield* Effect.provideContext(makeYahooCollectors({ stocks, days }), context)
  const health = Layer.provide(MarketHealth.layer, SourceHealth.layer)
  return { server, run: Effect.suspend(() => Layer.build(Layer.provide(layerCollectors(collectors), health))) }
})

const titles = [
  "quotes of a country are consistent, one per stock, largest turnover first",
  "indices have a value, and daily candles that end at it",
  "closes are from the last ended session, not from the running one"
]

/** Asserts that the stored sessions equal the sessions of the simulated market, including AAPL's splits. */
const areSessions = Effect.fnUntraced(function*(now: number) {
  const store = yield* MarketStore
  for (const symbol of stocks.US) {
    const subject = stockKey("US", symbol)
    const { points } = (yield* store.points({ kind, subjects: [subject], from: 0, to: now })).get(subject)!
    const right = yield* readValue(equities.history({ symbol, timeframe: "1d", bars: points.length, adjusted: false }))
    assert.isAtLeast(points.length, 66)
    assert.deepStrictEqual(points.map(({ time }) => time), right.candles.map(({ time }) => time))
    for (const [i, { close, closedAt, high, low, open, time }] of points.entries()) {
      assert.strictEqual(closedAt, lastSession("US", time).closeAt)
      // A session that is still open has the values of its last sample, so its prices are not compared.
      if (i === points.length - 1) continue
      const candle = right.candles[i]!
      assert.deepStrictEqual([open, high, low, close], [candle.open, candle.high, candle.low, candle.close])
    }
  }
})

it.effect.runIf(isFullRun)(
  "stores quotes, prices and sessions as the simulated market has them",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const { run, server } = yield* collecting(100)
      yield* run
      yield* advanceUntil("sessions", isWhole)
      yield* advanceTo(start + 4 * minuteMs)
      yield* advanceUntil("sessions", isWhole)

      const now = yield* Clock.currentTimeMillis
      const storedPort = Context.get(yield* Layer.build(storedEquities), StoredEquities)

      yield* areSessions(now)
      const closes = yield* readValue(storedPort.closes({ country: "US" }))
      const known = (yield* readValue(sim.closes({ country: "US" }))).filter(({ symbol }) => stocks.US.includes(symbol))
      assert.deepStrictEqual(closes, known)
      const vix = yield* readValue(storedPort.indexHistory({ index: "VIX", bars: 60 }))
      assert.deepStrictEqual(
        vix.slice(0, -1).map(({ close, time }) => ({ close, time })),
        (yield* readValue(sim.indexHistory({ index: "VIX", bars: 60 }))).slice(0, -1).map(({ close, time }) => ({
          close,
          time
        }))
      )

      for (const ago of [0, 1, 2]) {
        const time = now - ago * minuteMs
        const prices = yield* readValue(storedPort.pricesAt({ country: "US", time }))
        assert.deepStrictEqual(prices.map(({ symbol }) => symbol), stocks.US)
        for (const { price, symbol, time: tradedAt } of prices) {
          assert.isTrue(tradedAt <= time && tradedAt > time - 2 * minuteMs)
          const { value } = yield* sim.pricesAt({ country: "US", time: tradedAt })
          assert.strictEqual(price, value.find((one) => one.symbol === symbol)!.price)
        }
      }
      assert.lengthOf(yield* readValue(storedPort.pricesAt({ country: "KR", time: now })), 0)

      // The Korean exchange is closed, so its quotes are not requested every minute.
      const koreanRequests = server.requests.filter(({ path, query }) =>
        path === "/v7/finance/quote" && query.get("symbols")!.includes("005930.KS")
      )
      assert.isAtMost(koreanRequests.length, 2)
      assert.strictEqual((yield* readValue(storedPort.quotes("KR")))[0]!.symbol, "005930")

      // Candles of 15 minutes are not collected.
      yield* TestClock.setTime(now)
      const venue = { now, symbol: "AAPL", index: "SPX", delisted: waive("it does not keep delisted stocks") }
      for (const title of titles) {
        const failure = yield* storedEquitiesContract.failureOf(title, Layer.succeed(StoredEquities, storedPort), venue)
        assert.isNull(failure, title)
      }
    }).pipe(Effect.provide(MemoryMarketStore), Effect.scoped),
  60_000
)

it.effect("completes a session that ended during an outage", () =>
  Effect.gen(function*() {
    const before = Date.parse("2026-11-20T20:50:10Z")
    yield* TestClock.setTime(before)
    const { run } = yield* collecting(20)
    yield* Effect.scoped(Effect.andThen(run, advanceUntil("sessions", isWhole)))
    const subject = stockKey("US", "NVDA")
    const openAt = Date.parse("2026-11-20T14:30:00Z")
    const store = yield* MarketStore
    const last = Effect.map(
      store.points({ kind, subjects: [subject], from: openAt, to: openAt + 1 }),
      (all) => all.get(subject)!.points[0]!
    )
    const running = yield* last
    // On the next morning in New York, before trading begins, no quote describes the previous session any more.
    yield* TestClock.setTime(before + dayMs / 2)
    yield* run
    yield* advanceUntil("sessions", isWhole)
    const lastQuote = yield* last
    const { candles } = yield* readValue(
      equities.history({ symbol: "NVDA", timeframe: "1d", bars: 1, adjusted: false })
    )
    assert.notStrictEqual(running.volume, lastQuote.volume)
    assert.deepStrictEqual([lastQuote.close, lastQuote.high, lastQuote.low], [
      candles[0]!.close,
      candles[0]!.high,
      candles[0]!.low
    ])
  }).pipe(Effect.provide(MemoryMarketStore), Effect.scoped), 60_000)

it.live("returns USD/KRW rates every five minutes for two months, and hourly before", () =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeYahoo(ports, makeYahooAuth()))
    const context = yield* Layer.build(Layer.provide(layerYahoo({ baseUrl: server.url }), SourceHealth.layer))
    const rates = yield* Effect.provideContext(makeYahooRatesCollector({ days: 90 }), context)
    if (rates._tag !== "series" || rates.backfill === undefined) return assert.fail("the collector must be a series")
    const at = Math.floor(start / (5 * minuteMs)) * 5 * minuteMs
    const ask = (from: number, to: number) => rates.backfill!.fetch("usd_krw", { from, to })
    const fineCandles = yield* ask(at - 60 * minuteMs, at + 5 * minuteMs)
    assert.deepStrictEqual([fineCandles.rows.length, fineCandles.rows.at(-1)!.time, fineCandles.until], [
      13,
      at,
      at + 5 * minuteMs
    ])
    const coarse = yield* ask(at - 80 * dayMs, at - 78 * dayMs)
    assert.isTrue(coarse.rows.every(({ time }) => time % (60 * minuteMs) === 0))
    assert.strictEqual(coarse.until, at - 78 * dayMs)
    for (const { rate, time } of [...fineCandles.rows, ...coarse.rows]) {
      const known = yield* readValue(ports.rates.rate({ pair: "usd_krw", time }))
      assert.closeTo(rate!, known.rate, 1e-6 * known.rate)
    }
    // Trading stops from Friday evening to Sunday evening in New York.
    const weekend = yield* ask(Date.parse("2026-11-14T00:00:00Z"), Date.parse("2026-11-15T12:00:00Z"))
    assert.deepStrictEqual([weekend.rows, weekend.until], [[], Date.parse("2026-11-15T12:00:00Z")])
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(start, [10_000, 25_000]))))

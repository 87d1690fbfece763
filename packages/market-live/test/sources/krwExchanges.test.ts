import { assert, describe, it } from "@effect/vitest"
import { KoreanCoinMarkets, type KrwExchange, type KrwListing, type SourceUnavailable } from "@tapeline/core/market"
import {
  AutoAdvancingClock,
  type FakeServer,
  makeBithumb,
  makeFakeServer,
  makeUpbit,
  type RequestHandler
} from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import {
  Bithumb,
  findFirstTrade,
  type KrwSource,
  layerBithumb,
  layerUpbit,
  type RetryPolicy,
  SourceHealth,
  Upbit
} from "../../src/index.ts"
import { krwListingDocument, krwListingKey } from "../../src/stored/documents.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const markets = Context.get(sharedPorts, KoreanCoinMarkets)

class Exchange extends Context.Service<Exchange, KrwSource>()("test/Exchange") {}

interface ExchangeCase {
  readonly exchange: KrwExchange
  readonly handleRequest: () => RequestHandler
  readonly layer: (baseUrl: string, retryPolicy?: Partial<RetryPolicy>) => Layer.Layer<Exchange, never, SourceHealth>
  readonly cautions: ReadonlyArray<string>
  readonly requests: {
    readonly markets: string
    readonly tickers: (coins: ReadonlyArray<string>) => string
    readonly minutes: string
    readonly fiveMinuteUrl: string
  }
}

const exchanges: ReadonlyArray<ExchangeCase> = [
  {
    exchange: "upbit",
    handleRequest: () => makeUpbit(markets, 1_000),
    layer: (baseUrl, retryPolicy = {}) =>
      Layer.provide(Layer.effect(Exchange, Effect.service(Upbit)), layerUpbit({ baseUrl, retryPolicy })),
    cautions: ["TRADING_VOLUME_SOARING"],
    requests: {
      markets: "/v1/market/all?is_details=true",
      tickers: () => "/v1/ticker/all?quote_currencies=KRW",
      minutes: "/v1/candles/minutes/1?market=KRW-BTC&to=2026-11-20T12:33:22Z&count=200",
      fiveMinuteUrl: "/v1/candles/minutes/5?market=KRW-BTC&to=2026-11-20T11:33:22Z&count=37"
    }
  },
  {
    exchange: "bithumb",
    handleRequest: () => makeBithumb(markets),
    layer: (baseUrl, retryPolicy = {}) =>
      Layer.provide(Layer.effect(Exchange, Effect.service(Bithumb)), layerBithumb({ baseUrl, retryPolicy })),
    cautions: [],
    requests: {
      markets: "/v1/market/all?isDetails=true",
      tickers: (coins) => `/v1/ticker?markets=${coins.map((coin) => `KRW-${coin}`).join(",")}`,
      minutes: "/v1/candles/minutes/1?market=KRW-BTC&to=2026-11-20T21:33:22&count=200",
      fiveMinuteUrl: "/v1/candles/minutes/5?market=KRW-BTC&to=2026-11-20T20:33:22&count=37"
    }
  }
]

const tickersOf = (exchange: KrwExchange) =>
  Effect.map(Effect.orDie(markets.tickers), ({ value }) => value.filter((ticker) => ticker.exchange === exchange))

const useSource = <A>(ask: (source: KrwSource) => Effect.Effect<A, SourceUnavailable>) => Effect.flatMap(Exchange, ask)

const error = (name: string | number) => ({ error: { name, message: "no" } })

describe.each(exchanges)("$exchange", ({ exchange, layer, handleRequest }) => {
  faultSuite<Exchange>({
    source: exchange,
    handleRequest: handleRequest(),
    now,
    layer,
    requests: [
      {
        name: "candles",
        send: useSource((source) => source.candles({ coin: "BTC", length: "5m", from: now - 20 * minuteMs, to: now }))
      },
      { name: "oldest candle", send: useSource((source) => source.oldestCandleAt({ coin: "BTC", length: "1M" })) },
      {
        name: "markets",
        send: useSource(({ markets }) => markets),
        optionalLeaves: ["korean_name", "english_name"],
        skipsMalformed: true,
        // The adapter ignores the first rows, because these rows are markets with another quote currency.
        position: "middle"
      },
      {
        name: "tickers",
        send: useSource((source) =>
          Effect.flatMap(tickersOf(exchange), (tickers) => source.tickers(tickers.map(({ coin }) => coin)))
        ),
        optionalLeaves: ["trade_price"],
        skipsMalformed: true
      }
    ],
    errorsInBody: {
      "too many requests": [error("too_many_requests"), "rate_limited"],
      "an internal error": [error(500), "unreachable"],
      "an invalid request": [error("invalid_parameter"), "malformed"]
    }
  })
})

const overWire = <A>(
  { layer }: ExchangeCase,
  handleRequest: RequestHandler,
  use: (
    source: KrwSource,
    server: FakeServer,
    clock: AutoAdvancingClock
  ) => Effect.Effect<A, SourceUnavailable, Scope.Scope>
) => {
  const clock = new AutoAdvancingClock(now, [10_000, 25_000])
  return Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(handleRequest)
    const context = yield* Layer.build(Layer.provide(layer(server.url), SourceHealth.layer))
    return yield* use(Context.get(context, Exchange), server, clock)
  })).pipe(Effect.provideService(Clock.Clock, clock))
}

const requestUrlsOf = ({ requests }: FakeServer): ReadonlyArray<string> =>
  requests.map(({ path, query }) => `${path}?${decodeURIComponent(query.toString())}`)

describe.each(exchanges)("$exchange", (exchangeCase) => {
  const { exchange, requests, handleRequest } = exchangeCase

  it.live("returns every KRW market as the simulated market has it, in one request", () =>
    overWire(exchangeCase, handleRequest(), (source, server) =>
      Effect.gen(function*() {
        const tickers = yield* tickersOf(exchange)
        const { value: listed } = yield* source.markets
        const coins = listed.map(({ coin }) => coin)
        assert.deepStrictEqual(coins, tickers.map(({ coin }) => coin))
        assert.deepStrictEqual(listed.slice(0, 2).map(({ cautions, isWarned }) => [isWarned, cautions]), [
          [true, exchangeCase.cautions],
          [false, []]
        ])
        assert.strictEqual(listed[0]!.koreanName, `${coins[0]} 코인`)
        assert.deepStrictEqual(
          (yield* source.tickers(coins)).value,
          tickers.map(({ coin, krwPrice, time, volume24hKrw }) => ({
            coin,
            exchange,
            time: Math.trunc(time),
            krwPrice,
            volume24hKrw
          }))
        )
        assert.deepStrictEqual((yield* source.tickers(["USDT"])).value.map(({ coin }) => coin), ["USDT"])
        assert.deepStrictEqual(requestUrlsOf(server), [
          requests.markets,
          requests.tickers(coins),
          requests.tickers(["USDT"])
        ])
        assert.deepStrictEqual((yield* source.tickers([])).value, [])
      })))

  it.live("returns candles of the simulated prices, and from when they are complete", () =>
    overWire(exchangeCase, handleRequest(), (source, server) =>
      Effect.gen(function*() {
        const from = now - 4 * hourMs
        const { value } = yield* source.candles({ coin: "BTC", length: "1m", from, to: now })
        const { candles, completeFrom } = value!
        assert.lengthOf(candles, 200)
        assert.strictEqual(candles[0]!.time, completeFrom)
        assert.strictEqual(candles.map(({ closed }) => closed).lastIndexOf(true), 198)
        const query = { coin: "BTC", exchange, stepMs: minuteMs, from: completeFrom, to: now } as const
        const { points } = (yield* Effect.orDie(markets.history(query))).value
        assert.deepStrictEqual(candles.map(({ open, time }) => [time, open]), points.map((p) => [p.time, p.krwPrice]))
        assert.deepStrictEqual(candles.slice(0, -1).map((candle) => candle.close), candles.slice(1).map((c) => c.open))

        const fewCandles = (yield* source.candles({ coin: "BTC", length: "5m", from: from + 1, to: now - hourMs }))
          .value!
        assert.strictEqual(fewCandles.completeFrom, from + 1)
        assert.deepStrictEqual(
          fewCandles.candles.map(({ time }) => time),
          Array.from({ length: 36 }, (_, i) => Date.parse("2026-11-20T08:35:00Z") + i * 5 * minuteMs)
        )
        assert.isTrue(fewCandles.candles.every(({ closed, takerBuyVolume }) => closed && takerBuyVolume === null))
        assert.deepStrictEqual(requestUrlsOf(server), [requests.minutes, requests.fiveMinuteUrl])
        assert.isNull((yield* source.candles({ coin: "NOPE", length: "5m", from, to: now })).value)
      })))

  it.live("finds the minute of a market's first trade in four requests", () =>
    overWire(exchangeCase, handleRequest(), (source, server) =>
      Effect.gen(function*() {
        const byAge = (yield* tickersOf(exchange)).toSorted((a, b) => a.listedAt! - b.listedAt!)
        for (const { coin, listedAt } of [byAge[0]!, byAge.at(-1)!]) {
          const before = server.requests.length
          const { value } = yield* findFirstTrade(source, coin)
          const minute = Math.floor(listedAt! / minuteMs) * minuteMs
          assert.deepStrictEqual(value, { time: minute, withinMs: minuteMs }, coin)
          assert.strictEqual(server.requests.length - before, 4)
        }
        assert.isNull((yield* findFirstTrade(source, "NOPE")).value)
        // Exchanges keep minute candles for a limited time. For a market that opened before the oldest minute candle,
        // the result is exact only to an hour.
        const hour = Date.parse("2026-11-01T08:00:00Z")
        const limitedSource: KrwSource = {
          ...source,
          oldestCandleAt: ({ length }) =>
            Effect.succeed({ value: length === "1m" ? null : hour, receivedAt: now, date: null })
        }
        assert.deepStrictEqual((yield* findFirstTrade(limitedSource, "BTC")).value, { time: hour, withinMs: hourMs })
      })))
})

const atExchange = (name: KrwExchange): ExchangeCase => exchanges.find(({ exchange }) => exchange === name)!
const [atUpbit, atBithumb] = [atExchange("upbit"), atExchange("bithumb")]

it.live("upbit: stays below the rate limit of a group, and counts the usage of other clients", () =>
  overWire(atUpbit, makeUpbit(markets), (source, server, clock) =>
    Effect.gen(function*() {
      const days = (i: number) => source.oldestCandleAt({ coin: "BTC", length: "1d", before: now - i * 1_000 })
      const start = clock.currentTimeMillisUnsafe()
      for (let i = 0; i < 30; i++) yield* days(i)
      assert.isAtLeast(clock.currentTimeMillisUnsafe(), start + 3_000)
      assert.lengthOf(server.requests, 30)

      clock.advance(10_000)
      const headers = { "remaining-req": "group=candles; min=600; sec=0" }
      server.fail({ _tag: "answer", body: [{}], headers }, 1)
      yield* Effect.flip(days(0))
      const requestedAt = clock.currentTimeMillisUnsafe()
      yield* source.markets
      assert.strictEqual(clock.currentTimeMillisUnsafe(), requestedAt)
      yield* days(0)
      assert.isAtLeast(clock.currentTimeMillisUnsafe(), requestedAt + 1_000)
    }).pipe(Effect.orDie)))

it.live("bithumb: converts times in Korean local time, and rejects any other offset", () =>
  overWire(atBithumb, makeBithumb(markets), (source, server) =>
    Effect.gen(function*() {
      const { value: right } = yield* source.tickers(["BTC"])
      // The type cast is safe, because the test's own server sent the row.
      const [row] = JSON.parse(server.newestBody()) as [{ trade_timestamp: number; timestamp: number }]
      assert.strictEqual(row.timestamp - right[0]!.time, 9 * hourMs)
      const withTimeShift = (
        ms: number
      ) => [{ ...row, trade_timestamp: row.trade_timestamp + ms, timestamp: row.timestamp + ms }]
      server.fail({ _tag: "answer", body: withTimeShift(-9 * hourMs) })
      assert.deepStrictEqual((yield* source.tickers(["BTC"])).value, right)
      for (const ms of [-hourMs, hourMs, -18 * hourMs]) {
        server.fail({ _tag: "answer", body: withTimeShift(ms) })
        assert.strictEqual((yield* Effect.flip(source.tickers(["BTC"]))).failure, "malformed")
      }
    }).pipe(Effect.orDie)))

it.live("bithumb: requests tickers of many markets in equal pages of at most 100", () =>
  overWire(atBithumb, makeBithumb(markets), (source, server) =>
    Effect.gen(function*() {
      const tickers = yield* tickersOf("bithumb")
      const coins = Array.from({ length: 5 }, () => tickers.map(({ coin }) => coin)).flat().slice(0, 150)
      assert.lengthOf((yield* source.tickers(coins)).value, 150)
      const sizes = server.requests.map(({ query }) => query.get("markets")!.split(",").length)
      assert.deepStrictEqual(sizes, [75, 75])
    })))

it.effect("stores whether the time of a listing is inferred", () =>
  Effect.gen(function*() {
    const btcListing: KrwListing = { coin: "BTC", exchange: "upbit", listedAt: now, delistedAt: null }
    for (const listing of [btcListing, { ...btcListing, inferred: true }]) {
      const row = krwListingDocument.encodeRow({ key: krwListingKey(listing), source: "upbit", time: now }, listing)
      assert.deepStrictEqual(yield* krwListingDocument.decodeRow(row), listing)
    }
  }))

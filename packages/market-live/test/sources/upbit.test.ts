import { assert, it } from "@effect/vitest"
import { KoreanCoinMarkets, type SourceUnavailable } from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { HurriedClock, makeWireServer, upbit, type WireServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { firstTradeOf, type KrwSource, layerUpbit, SourceHealth, Upbit } from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const minuteMs = 60_000
const markets = Context.get(SimMarket.portsOf(makeWorld("upbit")), KoreanCoinMarkets)
const asking = <A>(ask: (source: KrwSource) => Effect.Effect<A, SourceUnavailable>) => Effect.flatMap(Upbit, ask)

faultSuite<Upbit>({
  source: "upbit",
  // Many adapters ask it in the same second, none of which knows of the others.
  speaks: upbit(markets, 1_000),
  now,
  layer: (baseUrl, patience) => layerUpbit({ baseUrl, patience }),
  requests: [
    {
      name: "candles",
      ask: asking((source) => source.candles({ coin: "BTC", length: "5m", from: now - 20 * minuteMs, to: now }))
    },
    { name: "oldest candle", ask: asking((source) => source.oldest({ coin: "BTC", length: "1M" })) },
    {
      name: "markets",
      ask: asking(({ markets }) => markets),
      mayLack: ["korean_name", "english_name"]
    },
    { name: "tickers", ask: asking((source) => source.tickers(["BTC", "USDT"])), mayLack: ["trade_price"] }
  ],
  errorsInBody: {
    "too many requests": [{ error: { name: "too_many_requests", message: "Too many API requests." } }, "rate_limited"],
    "an internal error": [{ error: { name: 500, message: "internal server error" } }, "unreachable"],
    "a request that it does not take": [{ error: { name: "invalid_parameter", message: "count" } }, "malformed"]
  }
})

const overWire = <A>(
  use: (
    source: KrwSource,
    server: WireServer,
    clock: HurriedClock
  ) => Effect.Effect<A, SourceUnavailable, Scope.Scope>
) => {
  const clock = new HurriedClock(now, [10_000, 25_000])
  return Effect.scoped(Effect.gen(function*() {
    const server = yield* makeWireServer(upbit(markets))
    const layer = Layer.provide(layerUpbit({ baseUrl: server.url }), SourceHealth.layer)
    return yield* use(Context.get(yield* Layer.build(layer), Upbit), server, clock)
  })).pipe(Effect.provideService(Clock.Clock, clock))
}

it.live("tells every market against the won as the port behind the wire has it, in one request", () =>
  overWire((source, server) =>
    Effect.gen(function*() {
      const { value: tickers } = yield* Effect.orDie(markets.tickers)
      const own = tickers.filter(({ exchange }) => exchange === "upbit")
      const { value: listed } = yield* source.markets
      const coins = listed.map(({ coin }) => coin)
      assert.deepStrictEqual(coins, own.map(({ coin }) => coin))
      assert.deepStrictEqual(listed.slice(0, 2).map(({ cautions, warned }) => [warned, cautions]), [
        [true, ["TRADING_VOLUME_SOARING"]],
        [false, []]
      ])
      assert.strictEqual(listed[0]!.koreanName, `${coins[0]} 코인`)
      assert.deepStrictEqual(
        (yield* source.tickers(coins)).value,
        own.map(({ coin, exchange, krwPrice, time, volume24hKrw }) => ({
          coin,
          exchange,
          time: Math.trunc(time),
          krwPrice,
          volume24hKrw
        }))
      )
      assert.deepStrictEqual((yield* source.tickers(["USDT", "NOPE"])).value.map(({ coin }) => coin), ["USDT"])
      assert.deepStrictEqual(server.requests.map(({ path, query }) => `${path}?${query.toString()}`), [
        "/v1/market/all?is_details=true",
        "/v1/ticker/all?quote_currencies=KRW",
        "/v1/ticker/all?quote_currencies=KRW"
      ])
    })
  ))

it.live("tells candles as the port behind the wire has its prices, and from when on it has them all", () =>
  overWire((source, server) =>
    Effect.gen(function*() {
      const from = now - 4 * 3_600_000
      const { value } = yield* source.candles({ coin: "BTC", length: "1m", from, to: now })
      const { candles, wholeFrom } = value!
      assert.lengthOf(candles, 200)
      assert.strictEqual(candles[0]!.time, wholeFrom)
      assert.deepStrictEqual(candles.map(({ closed }) => closed).lastIndexOf(true), 198)
      const query = { coin: "BTC", exchange: "upbit", stepMs: minuteMs, from: wholeFrom, to: now } as const
      const { points } = (yield* Effect.orDie(markets.history(query))).value
      assert.deepStrictEqual(candles.map(({ open, time }) => [time, open]), points.map((p) => [p.time, p.krwPrice]))
      assert.deepStrictEqual(candles.slice(0, -1).map((candle) => candle.close), candles.slice(1).map((c) => c.open))

      const few = (yield* source.candles({ coin: "BTC", length: "5m", from: from + 1, to: now - 3_600_000 })).value!
      assert.strictEqual(few.wholeFrom, from + 1)
      assert.deepStrictEqual(
        few.candles.map(({ time }) => time),
        Array.from({ length: 36 }, (_, i) => Date.parse("2026-11-20T08:35:00Z") + i * 5 * minuteMs)
      )
      assert.isTrue(few.candles.every(({ closed, takerBuyVolume }) => closed && takerBuyVolume === null))
      assert.isNull((yield* source.candles({ coin: "NOPE", length: "5m", from, to: now })).value)
      assert.deepStrictEqual(
        server.requests.map(({ path, query }) => `${path}?${query.toString()}`).slice(0, 2),
        [
          "/v1/candles/minutes/1?market=KRW-BTC&to=2026-11-20T12%3A33%3A22Z&count=200",
          "/v1/candles/minutes/5?market=KRW-BTC&to=2026-11-20T11%3A33%3A22Z&count=37"
        ]
      )
    })
  ))

it.live("finds when a market's first trade was by four requests, to the minute", () =>
  overWire((source, server) =>
    Effect.gen(function*() {
      const { value: tickers } = yield* Effect.orDie(markets.tickers)
      const own = tickers.filter(({ exchange }) => exchange === "upbit")
      const byAge = own.toSorted((a, b) => a.listedAt! - b.listedAt!)
      for (const { coin, listedAt } of [byAge[0]!, byAge.at(-1)!]) {
        const before = server.requests.length
        const { value } = yield* firstTradeOf(source, coin)
        const minute = Math.floor(listedAt! / minuteMs) * minuteMs
        assert.deepStrictEqual(value, { time: minute, withinMs: minuteMs }, coin)
        assert.strictEqual(server.requests.length - before, 4)
      }
      assert.isNull((yield* firstTradeOf(source, "NOPE")).value)
      // Minutes are not kept for ever: then the hour is as exact as it gets.
      const hour = Date.parse("2026-11-01T08:00:00Z")
      const kept = (length: string) => length === "1m" ? null : hour
      const old: KrwSource = {
        ...source,
        oldest: ({ length }) => Effect.succeed({ value: kept(length), receivedAt: now, date: null })
      }
      assert.deepStrictEqual((yield* firstTradeOf(old, "BTC")).value, { time: hour, withinMs: 3_600_000 })
    })
  ))

it.live("keeps below what a group takes in a second, and counts what others behind the address have used", () =>
  overWire((source, server, clock) =>
    Effect.gen(function*() {
      const oldest = Effect.orDie(source.oldest({ coin: "BTC", length: "1h" }))
      const later = clock.currentTimeMillisUnsafe() + 600
      for (let i = 0; i < 30; i++) yield* source.oldest({ coin: "BTC", length: "1d", before: now - i * 1_000 })
      assert.isAtLeast(clock.currentTimeMillisUnsafe(), later + 3_000)
      assert.isFalse(server.requests.some(({ path }) => path !== "/v1/candles/days"))

      clock.pass(10_000)
      const body = [{}]
      server.fail({ _tag: "answer", body, headers: { "remaining-req": "group=candles; min=600; sec=0" } }, 1)
      yield* Effect.flip(source.oldest({ coin: "BTC", length: "1d" }))
      const used = clock.currentTimeMillisUnsafe()
      yield* source.markets
      assert.strictEqual(clock.currentTimeMillisUnsafe(), used)
      yield* oldest
      assert.isAtLeast(clock.currentTimeMillisUnsafe(), used + 1_000)
    }).pipe(Effect.orDie)
  ))

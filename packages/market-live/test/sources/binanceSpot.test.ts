import { assert, it } from "@effect/vitest"
import { type BookLevel, CoinPrices, makeReading, OrderBooks, type SourceUnavailable } from "@tapeline/core/market"
import { AutoAdvancingClock, type FakeServer, makeBinanceSpot, makeFakeServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { BinanceSpot, layerBinanceSpot, SourceHealth } from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const ports = sharedPorts
const prices = Context.get(ports, CoinPrices)
const books = Context.get(ports, OrderBooks)
const symbol = "BTCUSDT"
const hour = { from: now - 3_600_000, to: now + 1 }

faultSuite<BinanceSpot>({
  source: "binance",
  hasFirewall: true,
  handleRequest: makeBinanceSpot(prices, books),
  now,
  layer: (baseUrl, retryPolicy) => layerBinanceSpot({ baseUrl, retryPolicy }),
  requests: [
    { name: "candles", send: Effect.flatMap(BinanceSpot, (spot) => spot.candles({ symbol, interval: "5m", ...hour })) },
    { name: "order book", send: Effect.flatMap(BinanceSpot, (spot) => spot.orderBook(symbol)), byClock: "time" },
    { name: "markets", send: Effect.flatMap(BinanceSpot, (spot) => spot.markets("USDT")), skipsMalformed: true },
    { name: "first minute", send: Effect.flatMap(BinanceSpot, (spot) => spot.firstMinute(symbol)) },
    {
      name: "tickers",
      send: Effect.flatMap(
        BinanceSpot,
        (spot) => spot.tickers([{ coin: "BTC", symbol }, { coin: "ETH", symbol: "ETHUSDT" }])
      )
    }
  ],
  errorsInBody: {
    "too many requests": [{ code: -1003, msg: "Too much request weight used" }, "rate_limited"],
    "an internal error": [{ code: -1000, msg: "An unknown error occurred" }, "unreachable"],
    "a restricted location": [{ code: 0, msg: "Service unavailable from a restricted location" }, "blocked"],
    "an invalid request": [{ code: -1102, msg: "Mandatory parameter was not sent" }, "malformed"]
  }
})

const overWire = <A>(
  use: (spot: BinanceSpot["Service"], server: FakeServer) => Effect.Effect<A, SourceUnavailable, Scope.Scope>,
  served: OrderBooks["Service"] = books
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeBinanceSpot(prices, served))
    const layer = Layer.provide(layerBinanceSpot({ baseUrl: server.url }), SourceHealth.layer)
    return yield* use(Context.get(yield* Layer.build(layer), BinanceSpot), server)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

it.live("returns candles, minutes and days as the simulated market has them", () =>
  overWire((spot) =>
    Effect.gen(function*() {
      const candleQuery = { coin: "BTC", timeframe: "5m", from: now - 7_200_000, to: now } as const
      const { value: candles } = yield* Effect.orDie(prices.candleRange(candleQuery))
      assert.isFalse(candles.at(-1)!.closed)
      assert.deepStrictEqual((yield* spot.candles({ symbol, interval: "5m", ...candleQuery })).value, candles)

      const { value: minutes } = yield* spot.candles({ symbol, interval: "1m", from: now - 600_000, to: now })
      for (const { close, closed, time } of minutes!) {
        assert.isTrue(closed)
        assert.strictEqual(
          close,
          (yield* Effect.orDie(prices.priceAt({ coin: "BTC", time: time + 60_000 }))).value.price
        )
      }

      const { value: book } = yield* Effect.orDie(books.orderBook("BTC"))
      assert.deepStrictEqual((yield* spot.orderBook(symbol)).value, {
        ...book,
        time: Math.floor(now / 1_000) * 1_000
      })

      const { value: days } = yield* spot.tickers([{ coin: "ETH", symbol: "ETHUSDT" }])
      const { value: day } = yield* Effect.orDie(prices.ticker("ETH"))
      assert.deepStrictEqual(days, [{ ...day, time: Math.trunc(day.time), marketCapUsd: null }])
    })
  ))

it.live("sends the documented requests, and returns null for an unknown symbol", () =>
  overWire((spot, server) =>
    Effect.gen(function*() {
      const { listedAt } = (yield* Effect.orDie(prices.coin("BTC"))).value
      assert.strictEqual((yield* spot.firstMinute(symbol)).value, Math.floor(listedAt / 60_000) * 60_000)
      assert.isNull((yield* spot.firstMinute("NOPEUSDT")).value)
      assert.isNull((yield* spot.candles({ symbol: "NOPEUSDT", interval: "5m", from: 0, to: now })).value)
      const { value: first } = yield* spot.candles({ symbol, interval: "5m", from: listedAt, to: now })
      assert.lengthOf(first!, 1_000)
      const requestUrls = server.requests.map(({ path, query }) => `${path}?${query.toString()}`)
      assert.strictEqual(requestUrls[0], "/api/v3/klines?symbol=BTCUSDT&interval=1m&startTime=0&limit=1")
      assert.strictEqual(
        requestUrls[3],
        `/api/v3/klines?symbol=BTCUSDT&interval=5m&startTime=${listedAt}&endTime=${now - 1}&limit=1000`
      )
    })
  ))

it.live("requests as many levels as cover 1 % of the price on either side", () =>
  Effect.gen(function*() {
    // A side of 3,000 levels, which are 0.0005 % apart.
    const levels = (sign: number) =>
      Array.from({ length: 3_000 }, (_, i): BookLevel => ({ price: 1_000 * (1 + sign * 5e-6 * (i + 1)), size: 1 }))
    const near = { time: now, bids: levels(-1), asks: levels(1) }
    const fineBooks: OrderBooks["Service"] = { orderBook: () => Effect.succeed(makeReading(near, "simulated", now)) }
    yield* overWire((spot, server) =>
      Effect.gen(function*() {
        const { value: book } = yield* spot.orderBook(symbol)
        const limits = () => server.requests.map(({ query }) => query.get("limit"))
        assert.deepStrictEqual(limits(), ["500", "1000", "5000"])
        assert.notProperty(book, "bidsReach")
        assert.notProperty(book, "asksReach")
        // Beyond the first levels, the adapter merges levels in steps of 0.01 %.
        for (const side of [book!.bids, book!.asks]) {
          assert.isBelow(side.length, 400)
          assert.closeTo(side.reduce((sum, { size }) => sum + size, 0), 3_000, 1e-6)
          assert.isTrue(side.every(({ price }, i) => i === 0 || (side === book!.asks) === price > side[i - 1]!.price))
        }
        assert.deepStrictEqual(book!.asks[0], near.asks[0])
        yield* spot.orderBook(symbol)
        assert.deepStrictEqual(limits().slice(3), ["5000"])
      }), fineBooks)
  }))

it.live("rejects a book whose sides touch, are unsorted or are empty", () =>
  overWire((spot, server) =>
    Effect.gen(function*() {
      for (const bids of [[["101", "1"]], [["100", "1"]], [["99", "1"], ["99.5", "1"]], []]) {
        server.fail({ _tag: "answer", body: { lastUpdateId: 1, bids, asks: [["100", "1"], ["101", "2"]] } })
        assert.strictEqual((yield* Effect.flip(spot.orderBook(symbol))).failure, "malformed")
      }
    }).pipe(Effect.orDie)
  ))

// Tests that a coin keeps its venue while the coin's row in the venue's list is unreadable.
import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, hourMs, minuteMs, OrderBooks } from "@tapeline/core/market"
import { type FakeServer, makeBinanceFutures, makeBinanceSpot, makeBybitMarket, makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer, Logger, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  binanceOrderBookVenue,
  BinancePerpetuals,
  binancePerpetualVenue,
  BinanceSpot,
  binanceSpotVenue,
  BybitMarket,
  bybitPerpetualVenue,
  bybitSpotVenue,
  layerBinancePerpetuals,
  layerBinanceSpot,
  layerBybitMarket,
  type PerpetualVenue,
  SourceHealth,
  spotCollectors,
  trackedCoins
} from "../../src/index.ts"
import { makeOrderBookCollector, type OrderBookVenue } from "../../src/spot/orderBookCollector.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"

const start = Date.parse("2026-11-20T12:31:17.000Z")
const ports = portsOfFewCoins
const served = {
  prices: Context.get(ports, CoinPrices),
  derivatives: Context.get(ports, CoinDerivatives),
  books: Context.get(ports, OrderBooks)
}
const coins = trackedCoins.filter(({ coin }) => coin === "BTC")
const asked = { from: start - 3 * hourMs, to: start - hourMs }

const built = <I, S, E>(key: Context.Key<I, S>, layer: Layer.Layer<I, E, SourceHealth>) =>
  Effect.map(Layer.build(Layer.provide(layer, SourceHealth.layer)), (context) => Context.get(context, key))

const quietly = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, Logger.layer([]))

const later = TestClock.adjust(2 * minuteMs)

const rewriting = (server: FakeServer, text: string, by: string) =>
  server.fail({ _tag: "rewritten", rewrite: (told) => told.replace(text, () => by) })

interface Perpetuals {
  readonly serve: Effect.Effect<FakeServer, never, Scope.Scope>
  readonly venue: (server: FakeServer) => Effect.Effect<PerpetualVenue, never, Scope.Scope>
  readonly row: string
  readonly odd: string
  readonly nameless: string
  readonly closed: string
}

const perpetuals: Readonly<Record<string, Perpetuals>> = {
  binance: {
    serve: makeFakeServer(makeBinanceFutures(served)),
    venue: ({ url }) =>
      Effect.map(
        built(BinancePerpetuals, layerBinancePerpetuals({ baseUrl: url })),
        (futures) => binancePerpetualVenue(futures, coins)
      ),
    row:
      `"symbol":"BTCUSDT","contractType":"PERPETUAL","deliveryDate":4133404800000,"pair":"BTCUSDT","status":"TRADING"`,
    odd: `"symbol":"BTCUSDT","contractType":5`,
    nameless: `"symbol":null,"contractType":"PERPETUAL"`,
    closed: `"symbol":"BTCUSDT","contractType":"PERPETUAL","deliveryDate":4133404800000,"status":"SETTLING"`
  },
  bybit: {
    serve: makeFakeServer(makeBybitMarket(served)),
    venue: ({ url }) =>
      Effect.map(
        built(BybitMarket, layerBybitMarket({ baseUrl: url })),
        (market) => bybitPerpetualVenue(market, coins)
      ),
    // The row of the perpetual comes before the row of the spot market.
    row: `"symbol":"BTCUSDT","status":"Trading"`,
    odd: `"symbol":"BTCUSDT","status":5`,
    nameless: `"symbol":null,"status":"Trading"`,
    closed: `"symbol":"BTCUSDT","status":"Closed"`
  }
}

for (const [name, { closed, nameless, odd, row, serve, venue }] of Object.entries(perpetuals)) {
  it.effect(`${name}: keeps a known perpetual whose row is unreadable, and fails for an unknown one`, () =>
    quietly(Effect.scoped(Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const server = yield* serve
      const known = yield* venue(server)
      const right = yield* known.history("BTC", asked)
      assert.isAbove(right?.rows.length ?? 0, 0)
      for (const unread of [odd, nameless]) {
        rewriting(server, row, unread)
        yield* later
        assert.deepStrictEqual(yield* known.history("BTC", asked), right)
        assert.deepStrictEqual([...(yield* known.listings).keys()], ["BTC"])
        const begun = yield* venue(server)
        for (const ask of [Effect.asVoid(begun.history("BTC", asked)), Effect.asVoid(begun.snapshot(["BTC"], start))]) {
          const { failure, reason } = yield* Effect.flip(ask)
          assert.strictEqual(failure, "malformed")
          assert.include(reason, "BTC")
        }
      }
      // If all rows are readable, a market without a row counts as not listed.
      rewriting(server, row, closed)
      yield* later
      assert.isNull(yield* known.history("BTC", asked))
      assert.isNull(yield* known.snapshot(["BTC"], start))
    }))))
}

const spotRow = `"symbol":"BTCUSDT","status":"TRADING"`

for (const unread of [`"symbol":"BTCUSDT","status":5`, `"symbol":null,"status":"TRADING"`]) {
  it.effect(`keeps a spot market with its venue if its row is unreadable (${unread})`, () =>
    quietly(Effect.scoped(Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const server = yield* makeFakeServer(makeBinanceSpot(served.prices, served.books))
      const next = yield* makeFakeServer(makeBybitMarket(served))
      const spot = yield* built(BinanceSpot, layerBinanceSpot({ baseUrl: server.url }))
      const bybit = yield* built(BybitMarket, layerBybitMarket({ baseUrl: next.url }))
      const [candles] = spotCollectors([binanceSpotVenue(spot), bybitSpotVenue(bybit)], coins, {
        candleDays: 1,
        priceDays: 1
      })
      if (candles?._tag !== "series") return assert.fail("there are no candles")
      const other: OrderBookVenue = { ...binanceOrderBookVenue(spot), name: "other" }
      const books = makeOrderBookCollector([binanceOrderBookVenue(spot), other], coins)
      if (books._tag !== "documents") return assert.fail("there are no books")
      const sources = Effect.gen(function*() {
        yield* candles.subjects
        const told = yield* candles.backfill!.fetch("BTC", asked)
        const { documents } = yield* books.fetch
        return [told.source, told.rows.length, documents.map(({ source }) => source)]
      })
      const right = yield* sources
      assert.deepStrictEqual([right[0], right[2]], ["binance", ["binance"]])
      rewriting(server, spotRow, unread)
      yield* later
      assert.deepStrictEqual(yield* sources, right)
      const [begun] = spotCollectors([binanceSpotVenue(spot), bybitSpotVenue(bybit)], coins, {
        candleDays: 1,
        priceDays: 1
      })
      if (begun?._tag !== "series") return assert.fail("there are no candles")
      const told = yield* Effect.result(Effect.andThen(begun.subjects, begun.backfill!.fetch("BTC", asked)))
      assert.strictEqual(Result.isSuccess(told) ? told.success.source : told.failure.source, "binance")
    }))))
}

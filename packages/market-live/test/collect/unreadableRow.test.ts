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
const requestedInterval = { from: start - 3 * hourMs, to: start - hourMs }

const buildService = <I, S, E>(key: Context.Key<I, S>, layer: Layer.Layer<I, E, SourceHealth>) =>
  Effect.map(Layer.build(Layer.provide(layer, SourceHealth.layer)), (context) => Context.get(context, key))

const withoutLogs = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, Logger.layer([]))

const later = TestClock.adjust(2 * minuteMs)

const rewriting = (server: FakeServer, text: string, replacementText: string) =>
  server.fail({ _tag: "rewritten", rewrite: (body) => body.replace(text, () => replacementText) })

interface Perpetuals {
  readonly serve: Effect.Effect<FakeServer, never, Scope.Scope>
  readonly venue: (server: FakeServer) => Effect.Effect<PerpetualVenue, never, Scope.Scope>
  readonly row: string
  readonly malformedRow: string
  readonly nullSymbolRow: string
  readonly closedMarketRow: string
}

const perpetuals: Readonly<Record<string, Perpetuals>> = {
  binance: {
    serve: makeFakeServer(makeBinanceFutures(served)),
    venue: ({ url }) =>
      Effect.map(
        buildService(BinancePerpetuals, layerBinancePerpetuals({ baseUrl: url })),
        (futures) => binancePerpetualVenue(futures, coins)
      ),
    row:
      `"symbol":"BTCUSDT","contractType":"PERPETUAL","deliveryDate":4133404800000,"pair":"BTCUSDT","status":"TRADING"`,
    malformedRow: `"symbol":"BTCUSDT","contractType":5`,
    nullSymbolRow: `"symbol":null,"contractType":"PERPETUAL"`,
    closedMarketRow: `"symbol":"BTCUSDT","contractType":"PERPETUAL","deliveryDate":4133404800000,"status":"SETTLING"`
  },
  bybit: {
    serve: makeFakeServer(makeBybitMarket(served)),
    venue: ({ url }) =>
      Effect.map(
        buildService(BybitMarket, layerBybitMarket({ baseUrl: url })),
        (market) => bybitPerpetualVenue(market, coins)
      ),
    // The row of the perpetual comes before the row of the spot market.
    row: `"symbol":"BTCUSDT","status":"Trading"`,
    malformedRow: `"symbol":"BTCUSDT","status":5`,
    nullSymbolRow: `"symbol":null,"status":"Trading"`,
    closedMarketRow: `"symbol":"BTCUSDT","status":"Closed"`
  }
}

for (const [name, { closedMarketRow, nullSymbolRow, malformedRow, row, serve, venue }] of Object.entries(perpetuals)) {
  it.effect(`${name}: keeps a known perpetual whose row is unreadable, and fails for an unknown one`, () =>
    withoutLogs(Effect.scoped(Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const server = yield* serve
      const known = yield* venue(server)
      const right = yield* known.history("BTC", requestedInterval)
      assert.isAbove(right?.rows.length ?? 0, 0)
      for (const unread of [malformedRow, nullSymbolRow]) {
        rewriting(server, row, unread)
        yield* later
        assert.deepStrictEqual(yield* known.history("BTC", requestedInterval), right)
        assert.deepStrictEqual([...(yield* known.listings).keys()], ["BTC"])
        const listing = yield* venue(server)
        for (
          const ask of [
            Effect.asVoid(listing.history("BTC", requestedInterval)),
            Effect.asVoid(listing.snapshot(["BTC"], start))
          ]
        ) {
          const { failure, reason } = yield* Effect.flip(ask)
          assert.strictEqual(failure, "malformed")
          assert.include(reason, "BTC")
        }
      }
      // If all rows are readable, a market without a row counts as not listed.
      rewriting(server, row, closedMarketRow)
      yield* later
      assert.isNull(yield* known.history("BTC", requestedInterval))
      assert.isNull(yield* known.snapshot(["BTC"], start))
    }))))
}

const spotRow = `"symbol":"BTCUSDT","status":"TRADING"`

for (const unread of [`"symbol":"BTCUSDT","status":5`, `"symbol":null,"status":"TRADING"`]) {
  it.effect(`keeps a spot market with its venue if its row is unreadable (${unread})`, () =>
    withoutLogs(Effect.scoped(Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const server = yield* makeFakeServer(makeBinanceSpot(served.prices, served.books))
      const next = yield* makeFakeServer(makeBybitMarket(served))
      const spot = yield* buildService(BinanceSpot, layerBinanceSpot({ baseUrl: server.url }))
      const bybit = yield* buildService(BybitMarket, layerBybitMarket({ baseUrl: next.url }))
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
        const backfilled = yield* candles.backfill!.fetch("BTC", requestedInterval)
        const { documents } = yield* books.fetch
        return [backfilled.source, backfilled.rows.length, documents.map(({ source }) => source)]
      })
      const right = yield* sources
      assert.deepStrictEqual([right[0], right[2]], ["binance", ["binance"]])
      rewriting(server, spotRow, unread)
      yield* later
      assert.deepStrictEqual(yield* sources, right)
      const [collector] = spotCollectors([binanceSpotVenue(spot), bybitSpotVenue(bybit)], coins, {
        candleDays: 1,
        priceDays: 1
      })
      if (collector?._tag !== "series") return assert.fail("there are no candles")
      const backfillResult = yield* Effect.result(
        Effect.andThen(collector.subjects, collector.backfill!.fetch("BTC", requestedInterval))
      )
      assert.strictEqual(
        Result.isSuccess(backfillResult) ? backfillResult.success.source : backfillResult.failure.source,
        "binance"
      )
    }))))
}

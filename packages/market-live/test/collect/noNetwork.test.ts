import { assert, it } from "@effect/vitest"
import { CoinDerivatives, CoinPrices, dayMs, minuteMs, OrderBooks, readValue } from "@tapeline/core/market"
import { eventsKinds, MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { makeBinanceFutures, makeBinanceLiquidations, makeBinanceSpot, makeFakeServer } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  binance,
  coinVenueCollectors,
  derivativesVenues,
  layerCollectors,
  MarketHealth,
  SourceHealth,
  storedCoinDerivatives,
  storedCoinPrices,
  storedOrderBooks,
  trackedCoins
} from "../../src/index.ts"
import { portsOfFewCoins } from "../support/fewCoins.ts"
import { advanceUntil } from "../support/until.ts"

const start = Date.parse("2026-11-20T12:31:17.000Z")
const ports = portsOfFewCoins
const prices = Context.get(ports, CoinPrices)
const derivatives = Context.get(ports, CoinDerivatives)

it.effect(
  "starts without a network, names unreachable sources, and completes when the network returns",
  () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(start)
      const spot = yield* makeFakeServer(makeBinanceSpot(prices, Context.get(ports, OrderBooks)))
      const futures = yield* makeFakeServer(
        makeBinanceFutures({ derivatives, prices }),
        makeBinanceLiquidations(derivatives)
      )
      for (const server of [spot, futures]) server.fail({ _tag: "reset" })
      const coins = trackedCoins.filter(({ coin }) => coin === "BTC")
      const urls = {
        binanceSpot: spot.url,
        binanceFutures: futures.url,
        binanceStreams: futures.url.replace("http", "ws")
      }
      const collectors = Layer.unwrap(
        Effect.map(
          binance.make({ coins, urls, retryPolicy: {}, reconnectPolicy: {} }),
          (venue) =>
            layerCollectors(
              coinVenueCollectors([venue], { coins, candleDays: 2, priceDays: 1, derivativeDays: 1 })
            )
        )
      )
      const layer = Layer.mergeAll(
        collectors,
        storedCoinPrices,
        storedCoinDerivatives(derivativesVenues),
        storedOrderBooks
      ).pipe(
        Layer.provideMerge(MemoryMarketStore),
        Layer.provideMerge(MarketHealth.layer),
        Layer.provideMerge(SourceHealth.layer)
      )
      const context = yield* Layer.build(layer)
      const [health, store] = [Context.get(context, MarketHealth), Context.get(context, MarketStore)]
      const faults = Effect.map(health.report, ({ collectorsBySource: [one] }) =>
        one!.collectors.filter(({ lastFault }) =>
          lastFault?.failure === "unreachable"
        ).length)
      yield* advanceUntil(
        "all collectors fail",
        Effect.map(faults, (count) => count === 12)
      )
      const { collectorsBySource, sources } = yield* health.report
      assert.deepInclude(collectorsBySource[0], { source: "binance", lead: "leads" })
      for (const { lastFault, source, state } of sources) {
        assert.deepStrictEqual([state, lastFault?.failure], ["failing", "unreachable"], source)
      }
      assert.strictEqual((yield* store.records({ kind: pointsKinds.candles })).size, 0)

      for (const server of [spot, futures]) server.heal()
      // The last minutes of perpetuals are not available yet.
      const isWhole = Effect.map(
        health.report,
        ({ collectorsBySource: [one] }) =>
          one!.collectors.every(({ name, completeAt }) => completeAt !== null || name === "perpetuals")
      )
      yield* advanceUntil("all is collected", isWhole)

      const storedPrices = Context.get(context, CoinPrices)
      const query = { coin: "BTC", timeframe: "5m", from: start - dayMs, to: start - 10 * minuteMs } as const
      assert.deepStrictEqual(
        yield* readValue(storedPrices.candleRange(query)),
        yield* readValue(prices.candleRange(query))
      )
      const recordedSeries = [
        [pointsKinds.prices, "BTC"],
        [pointsKinds.takerFlow, "BTC"],
        [eventsKinds.liquidations, "binance:BTC"]
      ] as const
      for (const [kind, subject] of recordedSeries) {
        assert.deepStrictEqual([...(yield* store.records({ kind })).keys()], [subject])
      }
    }).pipe(Effect.scoped),
  60_000
)

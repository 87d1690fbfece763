/**
 * A process that collects candles from a fake source. Every 200 ms, the process also collects a current value that the
 * source provides only once.
 */
import { pointsKinds } from "@tapeline/core/market/store"
import {
  BinanceSpot,
  binanceSpotVenue,
  layerBinanceSpot,
  layerCollectors,
  MarketHealth,
  type SeriesCollector,
  SourceHealth,
  spotCollectors,
  trackedCoins
} from "@tapeline/market-live"
import { layerPostgres, PgMarketStore } from "@tapeline/postgres"
import { Effect, Layer } from "effect"

const [url = "", baseUrl = "", holder = ""] = process.argv.slice(2)

const pulseCollector: SeriesCollector = {
  _tag: "series",
  source: "binance",
  name: "pulse",
  kind: pointsKinds.fxRates,
  everyMs: 200,
  offsetMs: 0,
  rowTimes: "instants",
  subjects: Effect.succeed([{ subject: "pulse", from: 0 }]),
  snapshot: {
    maxDelayMs: 150,
    fetch: (subjects, at) =>
      Effect.succeed(subjects.map((subject) => ({ subject, source: holder, rows: [{ time: at, rate: at % 1_000 }] })))
  }
}

const collectors = Layer.unwrap(Effect.map(BinanceSpot, (spot) => {
  const coins = trackedCoins.filter(({ coin }) => coin === "BTC" || coin === "ETH")
  const coinCollectors = spotCollectors([binanceSpotVenue(spot)], coins, { candleDays: 20, priceDays: 1 })
  const pace = { leaseMs: 1_500, followerCheckMs: 200, requestsPerTick: 1, backlogPauseMs: 200, retryPauseMs: 200 }
  return layerCollectors([...coinCollectors.filter(({ name }) => name === "candles"), pulseCollector], { holder, pace })
}))

await Effect.runPromise(Layer.launch(collectors.pipe(
  Layer.provide(layerBinanceSpot({ baseUrl })),
  Layer.provide(MarketHealth.layer),
  Layer.provide(SourceHealth.layer),
  Layer.provide(Layer.provide(PgMarketStore, layerPostgres({ url })))
)))

import { Recomputation } from "@tapeline/core/analysis"
import { type DataDirLost, layerMigrations, PgDerivedDays, PgMarketStore } from "@tapeline/postgres"
import { Effect, Layer } from "effect"
import { layerDatabase } from "../database.ts"
import { layerSimulatedMarket } from "../market/layerSimulatedMarket.ts"
import type { Settings } from "../settings.ts"

/** The stored series of the live market. Derived data depends only on stored series, so no source is polled. */
const storedSeries = Layer.unwrap(
  Effect.map(
    Effect.promise(() => import("@tapeline/market-live")),
    ({ storedCoinDerivatives, storedCoinPrices, storedSocialFeed }) =>
      Layer.mergeAll(storedCoinPrices, storedCoinDerivatives({ wholeTapes: [] }), storedSocialFeed)
  )
)

/** The services of a recomputation: the series of the configured market, and the database of a server. */
export const layerRecomputation = (settings: Settings, onLost: (lost: DataDirLost) => void) => {
  const database = Layer.provideMerge(layerMigrations, layerDatabase(settings, onLost))
  const store = Layer.provideMerge(PgMarketStore, database)
  const series = settings.live === undefined
    ? layerSimulatedMarket(settings.simSeed)
    : Layer.provide(storedSeries, store)
  return Recomputation.layer.pipe(
    Layer.provide(series),
    Layer.provide(Layer.provide(PgDerivedDays, database)),
    Layer.provideMerge(store)
  )
}

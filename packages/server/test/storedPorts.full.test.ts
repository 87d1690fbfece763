import { MarketStore } from "@tapeline/core/market/store"
import { layerMigrations, layerPglite, layerPostgres, PgMarketStore } from "@tapeline/postgres"
import { Clock, Context, Effect, Layer } from "effect"
import { describe } from "vitest"
import { storedSuites } from "../../market-live/test/support/storedSuites.ts"
import { migratedPostgres } from "./support/testDatabases.ts"
import { wrapMarketStore } from "./support/wrapMarketStore.ts"

const realTime = Effect.runSync(Clock.Clock)

/** Runs store operations with the system clock, because a database does not follow the test clock. */
const inRealTime = <E>(store: Layer.Layer<MarketStore, E>) => {
  const within = <A, E2, R>(effect: Effect.Effect<A, E2, R>) => Effect.provideService(effect, Clock.Clock, realTime)
  const load = within(
    Effect.map(Layer.build(store), (context) => wrapMarketStore(Context.get(context, MarketStore), within))
  )
  return Layer.orDie(Layer.effect(MarketStore, load))
}

const embedded = layerMigrations.pipe(Layer.provideMerge(layerPglite({ memory: true })))

storedSuites("PGlite with collected data", inRealTime(Layer.provide(PgMarketStore, embedded)))

describe("stored ports", () => {
  const server = Layer.unwrap(
    Effect.map(migratedPostgres, ({ environment }) => layerPostgres({ url: environment["DATABASE_URL"]! }))
  )
  storedSuites("PostgreSQL with collected data", inRealTime(Layer.provide(PgMarketStore, server)))
})

import { PgClient } from "@effect/sql-pg"
import { vector } from "@electric-sql/pglite-pgvector"
import { layerPglite, PgNewsIndex } from "@tapeline/postgres"
import { newsIndexContract } from "@tapeline/testing/contracts/newsIndex"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { makeFreshPglite, makeFreshPostgres, readPgliteDump } from "./support/databases.ts"

const withVector = Layer.effectDiscard(
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.andThen(
      sql`create schema "Extra"`.unprepared,
      sql`create extension vector with schema "Extra"`.unprepared
    ))
).pipe(Layer.provideMerge(layerPglite({ memory: true, load: readPgliteDump(), extensions: { vector } })), Layer.orDie)

newsIndexContract("PGlite with pgvector", PgNewsIndex.pipe(Layer.provide(withVector)), { runs: isFullRun ? 40 : 8 })
if (isFullRun) {
  newsIndexContract("PGlite without pgvector", PgNewsIndex.pipe(Layer.provide(makeFreshPglite())), { runs: 15 })
}
describe(
  "news index",
  () =>
    newsIndexContract("PostgreSQL", PgNewsIndex.pipe(Layer.provide(makeFreshPostgres())), { runs: isFullRun ? 25 : 6 })
)

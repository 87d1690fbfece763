import { PgClient } from "@effect/sql-pg"
import { vector } from "@electric-sql/pglite-pgvector"
import { layerPglite, PgNewsIndex } from "@tapeline/postgres"
import { newsIndexContract } from "@tapeline/testing/contracts/newsIndex"
import { Effect, Layer } from "effect"
import { describe } from "vitest"
import { freshPglite, freshPostgres, full, pgliteDump } from "./support/databases.ts"

/** An embedded database with pgvector in its own schema. */
const withVector = Layer.effectDiscard(
  Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.andThen(
      sql`create schema "Extra"`.unprepared,
      sql`create extension vector with schema "Extra"`.unprepared
    ))
).pipe(Layer.provideMerge(layerPglite({ memory: true, load: pgliteDump(), extensions: { vector } })), Layer.orDie)

newsIndexContract("PGlite with pgvector", PgNewsIndex.pipe(Layer.provide(withVector)), { runs: full ? 40 : 8 })
if (full) {
  newsIndexContract("PGlite without pgvector", PgNewsIndex.pipe(Layer.provide(freshPglite())), { runs: 15 })
}
describe(
  "news index",
  () => newsIndexContract("PostgreSQL", PgNewsIndex.pipe(Layer.provide(freshPostgres())), { runs: full ? 25 : 6 })
)

import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { eventsKinds, MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { PgMarketStore } from "@tapeline/postgres"
import { marketFailpointContract } from "@tapeline/testing/contracts/marketFailpoints"
import { marketStoreContract } from "@tapeline/testing/contracts/marketStore"
import { isFullRun } from "@tapeline/testing/fullRun"
import { runMarketModel } from "@tapeline/testing/marketStore/modelRun"
import { Effect, Layer } from "effect"
import { findTable } from "../src/market/tables.ts"
import { type Client, makeFreshPglite, makeFreshPostgres } from "./support/databases.ts"

/** Moves leases to the past, because the clock of the database cannot be set. */
const ageLeases = (ms: number) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql`update market_leases set until = until - ${String(ms)}::bigint`)

const wrongTables = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const mismatches: Array<string> = []
  for (const kind of [...Object.values(pointsKinds), ...Object.values(eventsKinds)]) {
    const { columns, table } = findTable(kind)
    const columnRows = yield* sql<{ name: string }>`select attname::text as name from pg_attribute
      where attrelid = to_regclass(${table}) and attnum > 0 and atttypid = 'float8'::regtype order by attnum`
    if (columnRows.map(({ name }) => name).join() !== columns.join()) mismatches.push(table)
  }
  return mismatches
})

const contracts = (name: string, client: Layer.Layer<Client>) => {
  marketStoreContract(name, PgMarketStore.pipe(Layer.provideMerge(client)), ageLeases, { excludeTestServices: true })
  marketFailpointContract(name, (failpoints) => PgMarketStore.pipe(Layer.provide(failpoints), Layer.provide(client)))
}

const model = (name: string, client: Layer.Layer<Client>, runs: number) =>
  it.live(`agrees with the in-memory market store on ${name}, and has a table for each kind`, () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* wrongTables, [])
      const context = yield* Effect.context<Client>()
      const advance = (ms: number) => Effect.provideContext(ageLeases(ms), context)
      assert.isNull(
        yield* runMarketModel(yield* MarketStore, advance, { runs: isFullRun ? 300 : runs, shrink: isFullRun })
      )
    }).pipe(Effect.provide(PgMarketStore.pipe(Layer.provideMerge(client)))))

if (isFullRun) contracts("PGlite", makeFreshPglite())
model("PGlite", makeFreshPglite(), 1)
describe("market store", () => {
  contracts("PostgreSQL", makeFreshPostgres())
  model("PostgreSQL", makeFreshPostgres(), 4)
})

import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { DerivedDays } from "@tapeline/core/analysis"
import { PgDerivedDays } from "@tapeline/postgres"
import { derivedDaysContract } from "@tapeline/testing/contracts/derivedDays"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Exit, Layer } from "effect"
import { makeFreshPglite, makeFreshPostgres, withLockHeld } from "./support/databases.ts"

const dayMs = 86_400_000
const today = Math.floor(Date.now() / dayMs) * dayMs
const series = { rule: "score/1", series: "BTC", revision: "r1" }
const day = (ago: number) => ({
  day: today - ago * dayMs,
  until: today - (ago - 1) * dayMs,
  bytes: Uint8Array.of(1, 2, ago % 256)
})

if (isFullRun) derivedDaysContract("PGlite", PgDerivedDays.pipe(Layer.provide(makeFreshPglite())), { runs: 2 })

describe("derived days", () => {
  derivedDaysContract("PostgreSQL", PgDerivedDays.pipe(Layer.provide(makeFreshPostgres())), { runs: isFullRun ? 4 : 2 })

  it.live("deletes rows written long ago at the first write of a day, except locked rows", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const store = yield* Effect.provide(DerivedDays, PgDerivedDays)
      const agoOfAll = Effect.map(
        sql<{ readonly day: number }>`select day::float8 from derived_days order by day`,
        (rows) => rows.map((row) => (today - row.day) / dayMs)
      )
      yield* store.put({ ...series, days: [900, 40, 30, 20, 10].map(day) })
      yield* sql`update derived_days set written_at = now() - interval '201 days' where day < ${String(day(20).day)}`
      yield* withLockHeld(sql, "select 1 from derived_days where day = $1 for update", [day(30).day])(
        store.put({ ...series, days: [day(0)] })
      )
      assert.deepStrictEqual(yield* agoOfAll, [30, 20, 10, 0])
    }).pipe(Effect.provide(makeFreshPostgres())))

  it.live("stays outside the caller's transaction, so a failure undoes nothing there", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const store = yield* Effect.provide(DerivedDays, PgDerivedDays)
      yield* sql`create table notes (id integer)`
      yield* sql`drop table derived_days`
      yield* sql.withTransaction(Effect.gen(function*() {
        yield* sql`insert into notes values (1)`
        assert.isTrue(Exit.isFailure(yield* Effect.exit(store.get({ ...series, from: 0, to: today }))))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(store.put({ ...series, days: [day(0)] }))))
        yield* sql`insert into notes values (2)`
      }))
      assert.strictEqual((yield* sql`select id from notes`).length, 2)
    }).pipe(Effect.provide(makeFreshPostgres())))

  it.live("returns nothing for rows that the database lost, and fails if the table is missing", () =>
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const store = yield* Effect.provide(DerivedDays, PgDerivedDays)
      yield* store.put({ ...series, days: [day(0)] })
      yield* sql`truncate derived_days`
      assert.deepStrictEqual(yield* store.get({ ...series, from: 0, to: today + dayMs }), [])
      yield* sql`drop table derived_days`
      assert.isTrue(Exit.isFailure(yield* Effect.exit(store.get({ ...series, from: 0, to: today }))))
    }).pipe(Effect.provide(makeFreshPostgres())))
})

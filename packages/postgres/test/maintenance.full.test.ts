import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { messages } from "@electric-sql/pglite"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect } from "effect"
import { queryObjects } from "node:v8"
import { runMaintenance } from "../src/maintenance.ts"
import { makeFreshPglite } from "./support/databases.ts"

it.live("checkpoints an embedded database, reuses the space of dead rows, and freezes old rows", () =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    const run = (text: string) => sql.unsafe(text).unprepared
    const logMb = Effect.map(
      sql.unsafe<{ readonly mb: number }>(`
        select (pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) / 1e6)::float8 as mb from pg_control_checkpoint()`)
        .unprepared,
      ([row]) => row!.mb
    )
    yield* run("create table much (id integer primary key, text text)")
    yield* run("insert into much select n, repeat('x', 1000) from generate_series(1, 2000) n")
    for (const letter of ["a", "b", "c"]) yield* run(`update much set text = repeat('${letter}', 1000)`)
    // A session publishes its statistics only when it is idle.
    yield* run("select pg_stat_force_next_flush()")
    assert.isAbove(yield* logMb, 8)
    const size = Effect.map(
      sql.unsafe<{ readonly bytes: number }>("select pg_table_size('much')::float8 as bytes").unprepared,
      ([row]) => row!.bytes
    )
    yield* run("insert into much select n, repeat('y', 1000) from generate_series(10001, 11000) n")
    const before = yield* size
    yield* runMaintenance(sql)
    assert.isAbove(yield* logMb, 8)
    // Maintenance runs between the statements of calls, which are pipelined on the same session.
    const calls = Array.from({ length: 20 }, () => sql`select 1`)
    yield* Effect.all([...calls, runMaintenance(sql, { checkpointAfterMb: 8 }), ...calls], { concurrency: "unbounded" })
    assert.isBelow(yield* logMb, 2)
    yield* run("insert into much select n, repeat('z', 1000) from generate_series(30001, 32000) n")
    // The table reuses its free space, so only the free space map may have grown.
    assert.isBelow((yield* size) - before, 200_000)
    // Rows with old transaction ids are frozen once, and later maintenance does not scan them again.
    for (let id = 40_001; id <= 40_050; id++) yield* run(`insert into much values (${id})`)
    const oldest = Effect.map(
      sql.unsafe<{ readonly transactions: number }>(`
        select max(age(relfrozenxid)) as transactions from pg_class where relkind = 'r'`).unprepared,
      ([row]) => row!.transactions
    )
    assert.isAbove(yield* oldest, 40)
    yield* runMaintenance(sql, { freezeAge: 40 })
    assert.isBelow(yield* oldest, 40)
  }).pipe(Effect.provide(makeFreshPglite())))

it.live("retains no result messages of an embedded database in memory", () =>
  Effect.gen(function*() {
    const sql = yield* PgClient.PgClient
    for (let round = 0; round < 20; round++) {
      yield* Effect.all(Array.from({ length: 50 }, () => sql`select 1`), { concurrency: "unbounded" })
    }
    // Each count traverses the whole JavaScript heap, which takes a second.
    assert.isBelow(queryObjects(messages.DataRowMessage, { format: "count" }), 100)
    if (isFullRun) assert.isBelow(queryObjects(messages.CommandCompleteMessage, { format: "count" }), 100)
  }).pipe(Effect.provide(makeFreshPglite())))

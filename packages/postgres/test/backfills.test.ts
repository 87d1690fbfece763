import { PgClient } from "@effect/sql-pg"
import { assert, describe, layer as withLayer } from "@effect/vitest"
import { layerPostgres } from "@tapeline/postgres"
import { Effect, Fiber, Layer } from "effect"
import { type Backfill, progressTable, runBackfill, runBatch } from "../src/upgrades/backfills.ts"
import { type Client, makeFreshPglite, makeMigratedDatabase, withLockHeld } from "./support/databases.ts"

/** Not idempotent, so that the sum of `changes` shows how often each row was changed. */
const backfill: Backfill = {
  name: "count_changes",
  summary: "counts the changes of each row",
  table: "notes",
  key: ["account", "name"],
  change: `update notes n set changes = n.changes + 1 from batch b where n.account = b.account and n.name = b.name`
}
const types = ["bigint", "text"]

const rows = 2_500

/** Creates rows whose names contain characters with a meaning in SQL, JSON and array literals. */
const createNotes = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe(`drop table if exists notes, ${progressTable}`)
  yield* sql.unsafe(`create table notes (account bigint, name text, changes integer not null default 0,
    primary key (account, name))`)
  yield* sql.unsafe(
    `insert into notes select n % 7 - 3, n || e' ",{}\\\\ null \\'' , 0 from generate_series(1, ${rows}) n`
  )
  return sql
})

const readChanges = (sql: PgClient.PgClient) =>
  sql<{ changes: number; rows: number }>`select changes, count(*)::integer as rows from notes group by 1 order by 1`

const readProgress = (sql: PgClient.PgClient) =>
  Effect.map(
    sql.unsafe<{ rows: number; finished: boolean }>(
      `select rows::integer as rows, finished_at is not null as finished from ${progressTable}`
    ),
    ([row]) => row
  )

const everyRowOnce = [{ changes: 1, rows }]

const onBoth = (name: string, client: Layer.Layer<Client>) =>
  withLayer(client, { excludeTestServices: true, timeout: 60_000 })(`backfills: ${name}`, (it) => {
    it.effect("change each row once, and nothing when they run again", () =>
      Effect.gen(function*() {
        const sql = yield* createNotes
        yield* runBackfill(sql, backfill)
        assert.deepStrictEqual(yield* readChanges(sql), everyRowOnce)
        assert.deepStrictEqual(yield* readProgress(sql), { rows, finished: true })
        yield* runBackfill(sql, backfill)
        assert.deepStrictEqual(yield* readChanges(sql), everyRowOnce)
      }))

    it.effect("finish an empty table", () =>
      Effect.gen(function*() {
        const sql = yield* createNotes
        yield* sql.unsafe("delete from notes")
        yield* runBackfill(sql, backfill)
        assert.deepStrictEqual(yield* readProgress(sql), { rows: 0, finished: true })
      }))

    it.effect("undo a batch that fails, with its progress", () =>
      Effect.gen(function*() {
        const sql = yield* createNotes
        yield* runBackfill(sql, { ...backfill, name: "other" })
        yield* sql.unsafe(`insert into ${progressTable} (name) values ('${backfill.name}')`)
        yield* sql.unsafe("update notes set changes = 0")
        yield* sql.unsafe("alter table notes add constraint c check (name not like '1 %' or changes = 0)")
        yield* Effect.flip(runBatch(sql, backfill, types, rows))
        assert.deepStrictEqual(yield* readChanges(sql), [{ changes: 0, rows }])
        const [progress] = yield* sql.unsafe(`select cursor, rows::integer as rows from ${progressTable}
          where name = '${backfill.name}'`)
        assert.deepStrictEqual(progress, { cursor: null, rows: 0 })
      }))
  })

onBoth("PGlite", makeFreshPglite())

describe("backfills", () => {
  const client = Layer.unwrap(
    Effect.map(makeMigratedDatabase, ({ url }) => layerPostgres({ url, statementTimeoutMs: 10_000 }))
  ).pipe(Layer.orDie)
  onBoth("PostgreSQL", client)

  withLayer(client, { excludeTestServices: true, timeout: 60_000 })("backfills of several processes", (it) => {
    it.effect("change each row once although sessions end at any moment, while calls add and delete rows", () =>
      Effect.gen(function*() {
        const sql = yield* createNotes
        yield* runBackfill(sql, { ...backfill, name: "other" })
        yield* sql.unsafe("update notes set changes = 0")
        yield* sql.unsafe(`insert into ${progressTable} (name) values ('${backfill.name}')`)
        // A process whose session ends goes on at once, as the next process would.
        const runProcess: Effect.Effect<void> = Effect.suspend(() => runBatch(sql, backfill, types, 40)).pipe(
          Effect.map(({ _tag }) => _tag === "Finished"),
          Effect.catchCause(() => Effect.succeed(false)),
          Effect.flatMap((isFinished) => isFinished ? Effect.void : Effect.delay(runProcess, 1))
        )
        const endSessions = sql<{ ended: number }>`select count(pg_terminate_backend(pid))::integer as ended
          from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state = 'active'`
          .pipe(
            Effect.map(([row]) => row!.ended),
            Effect.orElseSucceed(() => 0)
          )
        let ended = 0
        // While the lock is held, the first session to end is certainly found.
        const processes = yield* withLockHeld(sql, "lock table notes")(
          Effect.gen(function*() {
            const started = yield* Effect.forEach([1, 2, 3], () => Effect.forkScoped(runProcess))
            while (ended === 0) {
              ended += yield* endSessions
              yield* Effect.sleep(1)
            }
            return started
          })
        )
        while (processes.some((process) => process.pollUnsafe() === undefined)) {
          ended += yield* endSessions
          yield* sql`insert into notes values (-9, ${`added ${ended} ${Math.random()}`}, 1)`.pipe(Effect.ignore)
          yield* sql`delete from notes where account = 3 and changes = 0 and name like '3%'`.pipe(Effect.ignore)
          yield* Effect.sleep(5)
        }
        yield* Effect.forEach(processes, Fiber.join)
        const [row] = yield* sql`select count(*)::integer as wrong from notes
          where changes <> 1 and not (account = -9 and changes = 2)`.pipe(Effect.retry({ times: 20 }))
        assert.deepStrictEqual(row, { wrong: 0 })
      }))

    it.effect("run in one process at a time, and not in the pause after a batch", () =>
      Effect.gen(function*() {
        const sql = yield* createNotes
        yield* runBackfill(sql, { ...backfill, name: "other" })
        yield* sql.unsafe(`insert into ${progressTable} (name) values ('${backfill.name}')`)
        const during = yield* withLockHeld(sql, `select 1 from ${progressTable} for update`)(
          runBatch(sql, backfill, types, 10)
        )
        assert.strictEqual(during._tag, "Waiting")
        const setNext = (inMs: number) =>
          sql.unsafe(`update ${progressTable} set next_at = extract(epoch from now()) * 1000 + ${inMs}`)
        yield* setNext(50_000)
        assert.deepStrictEqual(yield* runBatch(sql, backfill, types, 10), { _tag: "Waiting", forMs: 1_000 })
        // The clock of the database was a day ahead.
        yield* setNext(86_400_000)
        assert.strictEqual((yield* runBatch(sql, backfill, types, 10))._tag, "Ran")
      }))

    it.effect("give up a batch soon if a call has locked one of its rows", () =>
      Effect.gen(function*() {
        const sql = yield* createNotes
        yield* runBackfill(sql, { ...backfill, name: "other" })
        yield* sql.unsafe(`insert into ${progressTable} (name) values ('${backfill.name}')`)
        const error = yield* withLockHeld(sql, "select 1 from notes for update")(
          Effect.flip(runBatch(sql, backfill, types, 10))
        )
        assert.strictEqual(error.reason._tag, "LockTimeoutError")
        assert.strictEqual((yield* runBatch(sql, backfill, types, 10))._tag, "Ran")
      }))
  })
})

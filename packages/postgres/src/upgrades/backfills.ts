import type { PgClient } from "@effect/sql-pg"
import { Cause, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { describeFailure } from "../connection/describeFailure.ts"
import { makeBackgroundPool } from "../connection/sessions.ts"
import { int8 } from "../parameters.ts"
import { nowMsSql } from "../rowLocks.ts"

/**
 * A change of many rows, which runs in batches after the migrations, while servers answer calls. A migration changes no
 * stored rows, because its locks would last for a time in proportion to the rows.
 */
export interface Backfill {
  /** The name of the stored progress. A name is never used again. */
  readonly name: string
  /** A description of the changed rows, for the operator. */
  readonly summary: string
  /** The table whose rows the batches visit. */
  readonly table: string
  /** The columns of a unique index of `table`, none of which is ever null. */
  readonly key: readonly [string, ...Array<string>]
  /**
   * A statement that changes the rows of `batch`, a list of keys. An example is `update notes n set size =
   * length(n.text) from batch b where n.id = b.id and n.size is null`. It must change nothing if it runs again.
   */
  readonly change: string
}

/** The backfills of this version, in their order. */
export const backfills: ReadonlyArray<Backfill> = []

/** The progress of backfills. The runner creates this table before the first backfill. */
export const progressTable = "tapeline_backfills"

/** Batches should take this time. The locks of a batch and, in an embedded database, the batch itself delay calls. */
const batchMs = 50

/** The pause after a batch of any process, as a multiple of the batch's time. */
export const pauseShare = 1

const batchRows = { first: 100, max: 10_000 } as const

/** A batch gives up before the database looks for deadlocks, so that a deadlock never fails a call. */
const lockTimeoutMs = 100

const pollMs = 1_000
const retryMs = 5_000

type BatchResult =
  | { readonly _tag: "Ran"; readonly elapsedMs: number; readonly isFinished: boolean }
  | { readonly _tag: "Finished" }
  /** Another process runs a batch, or the pause after its last batch has not ended. */
  | { readonly _tag: "Waiting"; readonly forMs: number }

/** Creates the progress of a backfill, unless it exists. */
const openProgress = (sql: PgClient.PgClient, { name }: Backfill): Effect.Effect<void, SqlError> =>
  Effect.asVoid(sql.withTransaction(Effect.all([
    // Two processes that create the same table at once would fail.
    sql.unsafe("select pg_advisory_xact_lock(hashtext('tapeline.backfills'))"),
    sql.unsafe(`create table if not exists ${progressTable} (
      name text primary key,
      cursor text[],
      rows bigint not null default 0,
      busy_ms bigint not null default 0,
      next_at bigint not null default 0,
      finished_at bigint
    )`),
    sql.unsafe(`insert into ${progressTable} (name) values ($1) on conflict do nothing`, [name])
  ], { discard: true })))

const readKeyTypes = (sql: PgClient.PgClient, { key, table }: Backfill) =>
  Effect.map(
    sql.unsafe<{ readonly name: string; readonly type: string }>(
      `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute where attrelid = $1::regclass`,
      [table]
    ),
    (columns) => key.map((column) => columns.find(({ name }) => name === column)!.type)
  )

/** Returns the statement of one batch. Its parameters are the maximum number of rows, and the last key before it. */
const batchStatement = ({ change, key, table }: Backfill, types: ReadonlyArray<string>, isFirst: boolean): string => {
  const last = types.map((type, i) => `($2::text[])[${i + 1}]::${type}`)
  return `with batch as materialized (
      select ${key.join(", ")} from ${table}
      where ${isFirst ? "$2::text[] is null" : `(${key.join(", ")}) > (${last.join(", ")})`}
      order by ${key.join(", ")} limit $1
    ), changed as (${change})
    select (select count(*) from batch)::integer as rows, (
      select array[${key.map((column) => `${column}::text`).join(", ")}] from batch
      order by ${key.map((column) => `${column} desc`).join(", ")} limit 1
    ) as cursor`
}

interface Progress {
  readonly cursor: ReadonlyArray<string> | null
  readonly finished: boolean
  readonly wait: number
}

/** A pause cannot be longer, unless the clock of the database was wrong when it was stored. */
const maxPauseMs = 60_000

const findProgress = `select cursor, finished_at is not null as finished,
    case when next_at - ${nowMsSql} between 0 and ${maxPauseMs} then next_at - ${nowMsSql} else 0 end::integer as wait
  from ${progressTable} where name = $1 for update skip locked`

/** The time of the transaction so far, in ms. */
const elapsedSql = `(${nowMsSql} - floor(extract(epoch from transaction_timestamp()) * 1000)::bigint)`

const storeProgress = `update ${progressTable} set
    cursor = coalesce($2::text[], cursor), rows = rows + $3::integer, busy_ms = busy_ms + ${elapsedSql},
    next_at = ${nowMsSql} + least(${maxPauseMs}, ${pauseShare} * ${elapsedSql}),
    finished_at = case when $4::boolean then ${nowMsSql} end
  where name = $1 returning ${elapsedSql}::integer as elapsed`

/**
 * Runs the next batch. The batch and its progress are one transaction, so an ended process loses or repeats no row. The
 * lock of the progress row admits one process at a time, and also works behind a pooler.
 */
export const runBatch = (
  sql: PgClient.PgClient,
  backfill: Backfill,
  types: ReadonlyArray<string>,
  maxRows: number
): Effect.Effect<BatchResult, SqlError> =>
  sql.withTransaction(Effect.gen(function*(): Effect.fn.Return<BatchResult, SqlError> {
    yield* sql.unsafe(`set local lock_timeout = ${lockTimeoutMs}`)
    const [progress] = yield* sql.unsafe<Progress>(findProgress, [backfill.name])
    if (progress === undefined) return { _tag: "Waiting", forMs: pollMs }
    if (progress.finished) return { _tag: "Finished" }
    if (progress.wait > 0) return { _tag: "Waiting", forMs: Math.min(progress.wait, pollMs) }
    const [batch] = yield* sql.unsafe<{ readonly rows: number; readonly cursor: ReadonlyArray<string> | null }>(
      batchStatement(backfill, types, progress.cursor === null),
      [int8(maxRows), progress.cursor]
    )
    const { cursor, rows } = batch!
    const isFinished = rows < maxRows
    const [stored] = yield* sql.unsafe<{ readonly elapsed: number }>(
      storeProgress,
      [backfill.name, cursor, rows, isFinished]
    )
    return { _tag: "Ran", elapsedMs: stored!.elapsed, isFinished }
  }))

/** Each batch has a fixed cost, so that on a busy database many small batches would take longer in total. */
const adaptRows = (rows: number, elapsedMs: number): number =>
  elapsedMs > 2 * batchMs
    ? Math.max(Math.min(rows, batchRows.first), Math.floor(rows / 2))
    : Math.min(batchRows.max, rows * 2)

/** Runs a backfill to its end, together with the other processes on the database. */
export const runBackfill = Effect.fnUntraced(function*(
  sql: PgClient.PgClient,
  backfill: Backfill
): Effect.fn.Return<void, SqlError> {
  let maxRows: number = batchRows.first
  let hasLogged = false
  const runToEnd = Effect.gen(function*(): Effect.fn.Return<void, SqlError> {
    yield* openProgress(sql, backfill)
    const types = yield* readKeyTypes(sql, backfill)
    for (;;) {
      const result = yield* runBatch(sql, backfill, types, maxRows)
      if (result._tag === "Finished") return
      if (result._tag === "Waiting") yield* Effect.sleep(result.forMs)
      else {
        if (result.isFinished) return yield* Effect.logInfo(`The backfill ${backfill.name} has finished`)
        maxRows = adaptRows(maxRows, result.elapsedMs)
        hasLogged = false
        yield* Effect.sleep(pauseShare * result.elapsedMs)
      }
    }
  })
  // If a session is lost before the rollback, Effect turns the error into a defect. The batch is undone all the same.
  yield* Effect.retry(Effect.sandbox(runToEnd), {
    while: (cause) => {
      if (Cause.hasInterrupts(cause)) return Effect.succeed(false)
      // A batch that took too long, or waited for a locked row, is repeated with fewer rows.
      maxRows = Math.max(1, Math.floor(maxRows / 2))
      const log = hasLogged ? Effect.void : Effect.logWarning(
        `The backfill ${backfill.name} stopped, and will be retried: ${describeFailure(Cause.squash(cause))}`
      )
      hasLogged = true
      return Effect.as(Effect.andThen(log, Effect.sleep(retryMs)), true)
    }
  }).pipe(Effect.catch(Effect.failCause))
})

/** Runs the backfills of this version in the background, after the migrations. */
export const layerBackfills: Layer.Layer<never, never, PgClient.PgClient | SqlClient> = Layer.effectDiscard(
  Effect.gen(function*() {
    const pool = yield* makeBackgroundPool
    yield* Effect.forkScoped(
      Effect.forEach(backfills, (backfill) => pool.run((sql) => runBackfill(sql, backfill)), { discard: true })
    )
  })
)

import { PgClient } from "@effect/sql-pg"
import { StoreUnavailable } from "@tapeline/core/engine"
import { Clock, Data, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { mapSqlErrors } from "./errors.ts"

/** Whether a statement waited for a lock until its limit. Such a statement has changed nothing. */
export const isLockTimeout = (error: SqlError): boolean => error.reason._tag === "LockTimeoutError"

/**
 * Runs a statement that waits for the rows that it needs. If it does not get them in time, runs it again with null as
 * its wait, so that it skips held rows. Returns null if it needs a row that it cannot skip; nothing was changed then.
 * If `isSingleLock`, the statement is of one account only, and returns null without the second run.
 */
export const runOrSkipLocked = <A>(
  statement: (waitMs: number | null) => Effect.Effect<A, SqlError>,
  waitMs: number,
  isSingleLock: boolean
): Effect.Effect<A | null, SqlError> => {
  const none = Effect.succeed(null)
  return Effect.catchIf(
    statement(waitMs),
    isLockTimeout,
    (): Effect.Effect<A | null, SqlError> =>
      isSingleLock ? none : Effect.catchIf(statement(null), isLockTimeout, () => none)
  )
}

/** The database's clock in a statement, epoch ms. */
export const nowMsSql = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint"

/**
 * The same clock for conditions on an index. The database reads its clock once and no more of the index than necessary,
 * instead of reading the clock for each row.
 */
export const nowMsOnceSql = `(select ${nowMsSql})`

/** How long to wait for a row that another transaction holds, and the first and the longest pause between tries. */
const lockRetry = { timeoutMs: 5_000, firstPauseMs: 4, maxPauseMs: 64 } as const

/**
 * If a process freezes within a transaction, the transaction is rolled back after this time, so that its rows are free.
 */
const idleTimeoutMs = 3_000

/**
 * SQL for the first statement of a transaction: a process that freezes within it delays others by a few seconds only.
 * An embedded database has one process, and no limit.
 */
export const idleTimeoutSql = (sql: PgClient.PgClient): string =>
  `set_config('idle_in_transaction_session_timeout', '${sql.driver === "pglite" ? 0 : idleTimeoutMs}', true)`

/** Another transaction holds a row that is needed. Nothing was changed. */
export const rowLocked = Symbol("held")
export type OrRowLocked<A> = A | typeof rowLocked

/** Another transaction holds a row that this transaction needs. This transaction must be rolled back. */
export class RowLocked extends Data.TaggedError("RowHeld") {}

/** Runs a transaction. If it fails with `RowHeld`, it is rolled back, and the result is `held`. */
export const runTransaction = <A>(
  sql: PgClient.PgClient,
  transaction: Effect.Effect<A, SqlError | StoreUnavailable | RowLocked>
): Effect.Effect<OrRowLocked<A>, SqlError | StoreUnavailable> =>
  Effect.catchTag(sql.withTransaction(transaction), "RowHeld", () => Effect.succeed(rowLocked))

/**
 * Conflicts of concurrent writes, after which the database has rolled the statement back. A function that waits for a
 * lock fails with `LockTimeoutError` after a moment.
 */
const conflictErrors: ReadonlyArray<string> = [
  "DeadlockError",
  "LockTimeoutError",
  "SerializationError",
  "UniqueViolation"
]

/**
 * Runs statements that need rows which others may hold. No statement waits for a row's lock, because the statements
 * behind it on the same session would wait as well. It returns `held` instead, and is retried a little later.
 */
export const makeLockRetry = (store: string) => {
  const mapErrors = mapSqlErrors(store)
  const lockTimeout = new StoreUnavailable({
    store,
    cause: new Error(`A row was locked for longer than ${lockRetry.timeoutMs} ms`)
  })
  const retryUntilUnlocked = <A>(
    attempt: Effect.Effect<OrRowLocked<A>, StoreUnavailable>
  ): Effect.Effect<A, StoreUnavailable> =>
    Effect.gen(function*() {
      const deadline = (yield* Clock.currentTimeMillis) + lockRetry.timeoutMs
      for (let pauseMs: number = lockRetry.firstPauseMs;; pauseMs = Math.min(2 * pauseMs, lockRetry.maxPauseMs)) {
        const result = yield* attempt
        if (result !== rowLocked) return result
        if ((yield* Clock.currentTimeMillis) + pauseMs > deadline) return yield* lockTimeout
        yield* Effect.sleep(pauseMs)
      }
    })
  /**
   * Runs a change. With `retriesConflicts`, the later one of two conflicting changes is repeated, and finds the result
   * of the other one.
   */
  return <A>(
    attempt: Effect.Effect<OrRowLocked<A>, SqlError | StoreUnavailable>,
    options: { readonly retriesConflicts?: boolean } = {}
  ): Effect.Effect<A, StoreUnavailable> =>
    retryUntilUnlocked(mapErrors(
      options.retriesConflicts === true
        ? Effect.catchIf(
          attempt,
          (error): error is SqlError => "reason" in error && conflictErrors.includes(error.reason._tag),
          () => Effect.succeed(rowLocked)
        )
        : attempt
    ))
}

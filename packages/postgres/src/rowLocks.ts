import { PgClient } from "@effect/sql-pg"
import { StoreUnavailable } from "@tapeline/core/engine"
import { Clock, Data, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { mapSqlErrors } from "./errors.ts"

/**
 * Returns whether a statement waited for a lock until its time limit. A statement that fails at the time limit has
 * changed nothing.
 */
export const isLockTimeout = (error: SqlError): boolean => error.reason._tag === "LockTimeoutError"

/**
 * Runs a statement that waits for the rows that it needs. If the rows stay locked, the statement runs again with null
 * as its wait, so that it skips locked rows. Returns null without a change if a necessary row is locked and cannot be
 * skipped. With `isSingleLock`, the statement concerns only one account, so that null is returned without a second run.
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

/** SQL for the current time of the database's clock, in epoch ms. */
export const nowMsSql = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint"

/**
 * SQL for the current time in conditions on an index. The database reads its clock once instead of once for each row,
 * and therefore reads only the necessary part of the index.
 */
export const nowMsOnceSql = `(select ${nowMsSql})`

/**
 * The maximum time to wait for a row that another transaction has locked, and the first and the longest pause between
 * attempts.
 */
const lockRetry = { timeoutMs: 5_000, firstPauseMs: 4, maxPauseMs: 64 } as const

/**
 * The time after which the database rolls back the transaction of a frozen process, so that its locks are released, in
 * ms.
 */
const idleTimeoutMs = 3_000

/**
 * Returns SQL for the first statement of a transaction. A process that freezes within the transaction delays other
 * processes by only a few seconds. An embedded database has only one process, and no limit.
 */
export const idleTimeoutSql = (sql: PgClient.PgClient): string =>
  `set_config('idle_in_transaction_session_timeout', '${sql.driver === "pglite" ? 0 : idleTimeoutMs}', true)`

/**
 * The result of a change that needs a row that another transaction has locked. The failed change has written nothing.
 */
export const rowLocked = Symbol("held")
export type OrRowLocked<A> = A | typeof rowLocked

/** A row that the transaction needs is locked by another transaction. The transaction must be rolled back. */
export class RowLocked extends Data.TaggedError("RowHeld") {}

/** Runs a transaction. If the transaction fails with `RowLocked`, it is rolled back, and the result is `rowLocked`. */
export const runTransaction = <A>(
  sql: PgClient.PgClient,
  transaction: Effect.Effect<A, SqlError | StoreUnavailable | RowLocked>
): Effect.Effect<OrRowLocked<A>, SqlError | StoreUnavailable> =>
  Effect.catchTag(sql.withTransaction(transaction), "RowHeld", () => Effect.succeed(rowLocked))

/**
 * The conflicts of concurrent writes, after which the database has rolled back the statement. A database function that
 * waits for a lock fails with `LockTimeoutError` after a moment.
 */
const conflictErrors: ReadonlyArray<string> = [
  "DeadlockError",
  "LockTimeoutError",
  "SerializationError",
  "UniqueViolation"
]

/**
 * Creates a function that runs statements on rows that other transactions may have locked. No statement waits for a row
 * lock, because later statements of the same session would wait too. The statement returns `rowLocked` instead, and is
 * retried a little later.
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
   * Runs a change. With `retriesConflicts`, the later of two conflicting changes is repeated, and finds the result of
   * the earlier change.
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

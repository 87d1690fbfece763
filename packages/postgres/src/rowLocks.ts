import { PgClient } from "@effect/sql-pg"
import { StoreUnavailable } from "@tapeline/core/engine"
import { Cause, Clock, Data, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { mapSqlErrors } from "./errors.ts"

/** Returns whether a statement waited for a lock until the lock timeout, and therefore changed nothing. */
export const isLockTimeout = (error: SqlError): boolean => error.reason._tag === "LockTimeoutError"

/**
 * Runs a statement that waits up to `waitMs` for locked rows. If rows stay locked, runs `statement(null)`.
 * `statement(null)` must skip locked rows. Returns null, and changes no row, if `statement(null)` fails too. If
 * `isSingleLock` is true, the statement locks only one account, and `statement(null)` does not run.
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
 * SQL for the current time in epoch ms, to compare with an indexed column. The database reads the clock once instead of
 * once for each row, and therefore reads only the necessary part of the index.
 */
export const nowMsOnceSql = `(select ${nowMsSql})`

const lockRetry = { timeoutMs: 5_000, firstPauseMs: 4, maxPauseMs: 64 } as const

/**
 * The time in ms after which the database rolls back the transaction of a frozen process, to release the transaction's
 * locks.
 */
const idleTimeoutMs = 3_000

/**
 * Returns SQL that limits how long a transaction may be idle, so that a frozen process delays other processes only
 * briefly. An embedded database does not limit idle transactions, because no other process waits.
 */
export const idleTimeoutSql = (sql: PgClient.PgClient): string =>
  `set_config('idle_in_transaction_session_timeout', '${sql.driver === "pglite" ? 0 : idleTimeoutMs}', true)`

/** The result of a change that wrote nothing, because another transaction has locked a required row. */
export const rowLocked = Symbol("rowLocked")
export type OrRowLocked<A> = A | typeof rowLocked

/** A row that the transaction needs is locked by another transaction, so the transaction must be rolled back. */
export class RowLocked extends Data.TaggedError("RowLocked") {}

/**
 * Runs a transaction, which is rolled back and returns `rowLocked` if it fails with `RowLocked`. If the session is lost
 * before the rollback, the database rolls the transaction back, and Effect turns `RowLocked` into a defect.
 */
export const runTransaction = <A>(
  sql: PgClient.PgClient,
  transaction: Effect.Effect<A, SqlError | StoreUnavailable | RowLocked>
): Effect.Effect<OrRowLocked<A>, SqlError | StoreUnavailable> =>
  sql.withTransaction(transaction).pipe(
    Effect.catchCauseIf(
      (cause) =>
        !Cause.hasInterrupts(cause) &&
        cause.reasons.some((reason) => Cause.isDieReason(reason) && reason.defect instanceof RowLocked),
      () => Effect.fail(new RowLocked())
    ),
    Effect.catchTag("RowLocked", () => Effect.succeed(rowLocked))
  )

/**
 * The errors of conflicting concurrent writes. The database rolls back a statement that fails with a conflict error.
 */
const conflictErrors: ReadonlyArray<string> = [
  "DeadlockError",
  "LockTimeoutError",
  "SerializationError",
  "UniqueViolation"
]

/**
 * Creates a function that repeats a statement while the statement returns `rowLocked`. No statement waits for a row
 * lock, because later statements of the same session would wait too.
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
   * Repeats a change while a required row is locked. If `retriesConflicts` is true, a change that conflicts with
   * another change is also repeated.
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

import { PgClient } from "@effect/sql-pg"
import { StoreUnavailable } from "@tapeline/core/engine"
import { Clock, Data, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { unavailable } from "./errors.ts"

/** The database's clock in a statement, epoch ms. */
export const nowMs = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint"

/**
 * The same clock for conditions on an index. The database reads its clock once and no more of the index than necessary,
 * instead of reading the clock for each row.
 */
export const nowMsOnce = `(select ${nowMs})`

/** How long to wait for a row that another transaction holds, and the first and the longest pause between tries. */
const patience = { ms: 5_000, firstMs: 4, mostMs: 64 } as const

/**
 * If a process freezes within a transaction, the transaction is rolled back after this time, so that its rows are free.
 */
const idleMs = 3_000

/**
 * SQL for the first statement of a transaction: a process that freezes within it delays others by a few seconds only.
 * An embedded database has one process, and no limit.
 */
export const boundIdle = (sql: PgClient.PgClient): string =>
  `set_config('idle_in_transaction_session_timeout', '${sql.driver === "pglite" ? 0 : idleMs}', true)`

/** Another transaction holds a row that is needed. Nothing was changed. */
export const held = Symbol("held")
export type OrHeld<A> = A | typeof held

/** Another transaction holds a row that this transaction needs. This transaction must be rolled back. */
export class RowHeld extends Data.TaggedError("RowHeld") {}

/** Runs a transaction. If it fails with `RowHeld`, it is rolled back, and the result is `held`. */
export const wholly = <A>(
  sql: PgClient.PgClient,
  once: Effect.Effect<A, SqlError | StoreUnavailable | RowHeld>
): Effect.Effect<OrHeld<A>, SqlError | StoreUnavailable> =>
  Effect.catchTag(sql.withTransaction(once), "RowHeld", () => Effect.succeed(held))

/**
 * Conflicts of concurrent writes, after which the database has rolled the statement back. A function that waits for a
 * lock fails with `LockTimeoutError` after a moment.
 */
const conflicts: ReadonlyArray<string> = ["DeadlockError", "LockTimeoutError", "SerializationError", "UniqueViolation"]

/**
 * Runs statements that need rows which others may hold. No statement waits for a row's lock, because the statements
 * behind it on the same session would wait as well. It returns `held` instead, and is retried a little later.
 */
export const patiently = (store: string) => {
  const guard = unavailable(store)
  const tooLong = new StoreUnavailable({
    store,
    cause: new Error(`A row was locked for longer than ${patience.ms} ms`)
  })
  const untilFree = <A>(once: Effect.Effect<OrHeld<A>, StoreUnavailable>): Effect.Effect<A, StoreUnavailable> =>
    Effect.gen(function*() {
      const giveUpAt = (yield* Clock.currentTimeMillis) + patience.ms
      for (let pauseMs: number = patience.firstMs;; pauseMs = Math.min(2 * pauseMs, patience.mostMs)) {
        const came = yield* once
        if (came !== held) return came
        if ((yield* Clock.currentTimeMillis) + pauseMs > giveUpAt) return yield* tooLong
        yield* Effect.sleep(pauseMs)
      }
    })
  /**
   * Runs a change. With `again`, the later one of two conflicting changes is repeated, and finds the result of the
   * other one.
   */
  return <A>(
    once: Effect.Effect<OrHeld<A>, SqlError | StoreUnavailable>,
    options: { readonly again?: boolean } = {}
  ): Effect.Effect<A, StoreUnavailable> =>
    untilFree(guard(
      options.again === true
        ? Effect.catchIf(
          once,
          (error): error is SqlError => "reason" in error && conflicts.includes(error.reason._tag),
          () => Effect.succeed(held)
        )
        : once
    ))
}

import { PgClient } from "@effect/sql-pg"
import { StoreUnavailable } from "@tapeline/core/engine"
import { Clock, Data, Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { unavailable } from "./errors.ts"

/** The database's clock in a statement, epoch ms. */
export const nowMs = "floor(extract(epoch from clock_timestamp()) * 1000)::bigint"

/**
 * The same where an index is read by it: the database asks its clock once, and reads no further than it must, rather
 * than asking it anew of every row.
 */
export const nowMsOnce = `(select ${nowMs})`

/** How long somebody may hold a row that is needed, and from one look at it to the next, at first and at most. */
const patience = { ms: 5_000, firstMs: 4, mostMs: 64 } as const

/** A process that stands still within a transaction has it undone after so long, so that its rows are free. */
const idleMs = 3_000

/**
 * For the first statement of a transaction: a process that stands still in the midst of it holds up others for a few
 * seconds and no longer. An embedded database has one process.
 */
export const boundIdle = (sql: PgClient.PgClient): string =>
  `set_config('idle_in_transaction_session_timeout', '${sql.driver === "pglite" ? 0 : idleMs}', true)`

/** Somebody holds a row that is needed: nothing was changed. */
export const held = Symbol("held")
export type OrHeld<A> = A | typeof held

/** Somebody holds a row that a transaction needs: it is to be undone. */
export class RowHeld extends Data.TaggedError("RowHeld") {}

/** A transaction that says `held`, and is undone, when it fails with `RowHeld`. */
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
 * How statements are run that need rows which others may hold. None of them waits for a row's lock, for those behind it
 * on the same session would wait as well: it says `held`, and is tried again a little later.
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
  /** A change; of two that conflict the later one is done again when `again`, and finds what the other one did. */
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

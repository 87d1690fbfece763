import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** Whether a statement waited for a lock until its limit. Such a statement has changed nothing. */
export const isLocked = (error: SqlError): boolean => error.reason._tag === "LockTimeoutError"

/**
 * Runs a statement that waits for the rows that it needs. If it does not get them in time, runs it again with null as
 * its wait, so that it skips held rows. Returns null if it needs a row that it cannot skip; nothing was changed then.
 * If `alone`, the statement is of one account only, and returns null without the second run.
 */
export const orWithout = <A>(
  statement: (waitMs: number | null) => Effect.Effect<A, SqlError>,
  waitMs: number,
  alone: boolean
): Effect.Effect<A | null, SqlError> => {
  const nothing = Effect.succeed(null)
  return Effect.catchIf(
    statement(waitMs),
    isLocked,
    (): Effect.Effect<A | null, SqlError> => alone ? nothing : Effect.catchIf(statement(null), isLocked, () => nothing)
  )
}

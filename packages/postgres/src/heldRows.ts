import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

/** A statement that waited for a lock for as long as it was let, and changed nothing. */
export const isLocked = (error: SqlError): boolean => error.reason._tag === "LockTimeoutError"

/**
 * A statement that waits for the rows that it needs, and passes over those that it does not get in time (null as its
 * wait). Null when it needs one that it cannot pass over: nothing was changed then. So it is at once for what is asked
 * of one account `alone`, where there are no others to go on with.
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

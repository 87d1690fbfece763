import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { BackgroundPool } from "../connection/sessions.ts"
import { isLockTimeout } from "../rowLocks.ts"

/**
 * The maximum number of reservations that a statement deletes from the default partition. The default partition
 * contains the rows of months without a partition.
 */
const maxDeletedRows = 10_000

type DropOutcome = "dropped" | "needed" | "held" | "in_use"

/**
 * Creates partitions for the coming months, and drops old partitions. Each statement has its own transaction, so that a
 * failed statement undoes no other. A failure of the same kind is logged only once.
 */
export const makePartitionMaintenance = (run: BackgroundPool["run"]) => {
  const loggedFailures = new Set<string>()
  const logOnce = (key: string, message: string) =>
    Effect.suspend(() => {
      if (loggedFailures.has(key)) return Effect.void
      loggedFailures.add(key)
      return Effect.logWarning(`${message}; the next housekeeping run tries again`)
    })

  const createPartitions = (at: string | null) =>
    run((sql) => sql.unsafe("select credit_make_room($1)", [at])).pipe(
      Effect.tap(() => Effect.sync(() => loggedFailures.delete("room"))),
      Effect.catchIf(isLockTimeout, () =>
        logOnce("room", "Partitions of the coming months were not created, because another transaction uses the table"))
    )

  const deleteFromDefault = (keepMonths: number, at: string | null): Effect.Effect<void, SqlError> =>
    Effect.flatMap(
      run((sql) =>
        sql.unsafe<{ count: number }>("select credit_forget_default($1, $2, $3) as count", [
          keepMonths,
          maxDeletedRows,
          at
        ])
      ),
      ([row]) => row!.count < maxDeletedRows ? Effect.void : deleteFromDefault(keepMonths, at)
    )

  const dropOldPartitions = Effect.fnUntraced(function*(keepMonths: number, at: string | null) {
    const oldMonths = yield* run((sql) =>
      sql.unsafe<{ month: number }>("select credit_old_months($1, $2) as month", [keepMonths, at])
    )
    for (const { month } of oldMonths) {
      const [row] = yield* run((sql) =>
        sql.unsafe<{ came: DropOutcome }>("select credit_drop_month($1, $2, $3) as came", [month, keepMonths, at])
      )
      const name = `credit_reservations_${month}`
      if (row!.came === "held") yield* logOnce(name, `${name} was not dropped, because another transaction reads it`)
      if (row!.came === "in_use") {
        return yield* logOnce("use", `${name} was not dropped, because another transaction uses the parent table`)
      }
    }
  })

  return (keepMonths: number, at: string | null): Effect.Effect<void, SqlError> =>
    Effect.andThen(
      createPartitions(at),
      Effect.andThen(deleteFromDefault(keepMonths, at), dropOldPartitions(keepMonths, at))
    )
}

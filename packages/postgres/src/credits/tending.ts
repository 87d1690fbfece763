import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Aside } from "../connection/SideSessions.ts"
import { isLocked } from "../heldRows.ts"

/**
 * Maximum number of reservations that one statement removes from the default partition, which has the rows of months
 * without a partition.
 */
const forgetBatch = 10_000

type Dropped = "dropped" | "needed" | "held" | "in_use"

/**
 * Makes partitions for the coming months, and drops old ones. Each statement has its own transaction, so that a failure
 * undoes nothing else. Each failure is logged once.
 */
export const tending = (run: Aside["run"]) => {
  const said = new Set<string>()
  const sayOnce = (what: string, text: string) =>
    Effect.suspend(() => {
      if (said.has(what)) return Effect.void
      said.add(what)
      return Effect.logWarning(`${text}; it is tried again at each housekeeping`)
    })

  const makeRoom = (at: string | null) =>
    run((sql) => sql.unsafe("select credit_make_room($1)", [at])).pipe(
      Effect.tap(() => Effect.sync(() => said.delete("room"))),
      Effect.catchIf(isLocked, () =>
        sayOnce("room", "No room was made for the reservations of months to come: somebody uses their table"))
    )

  const forgetDefault = (keepMonths: number, at: string | null): Effect.Effect<void, SqlError> =>
    Effect.flatMap(
      run((sql) =>
        sql.unsafe<{ count: number }>("select credit_forget_default($1, $2, $3) as count", [
          keepMonths,
          forgetBatch,
          at
        ])
      ),
      ([row]) => row!.count < forgetBatch ? Effect.void : forgetDefault(keepMonths, at)
    )

  const dropOld = Effect.fnUntraced(function*(keepMonths: number, at: string | null) {
    const old = yield* run((sql) =>
      sql.unsafe<{ month: number }>("select credit_old_months($1, $2) as month", [keepMonths, at])
    )
    for (const { month } of old) {
      const [row] = yield* run((sql) =>
        sql.unsafe<{ came: Dropped }>("select credit_drop_month($1, $2, $3) as came", [month, keepMonths, at])
      )
      const name = `credit_reservations_${month}`
      if (row!.came === "held") yield* sayOnce(name, `${name} was not dropped: somebody reads it`)
      if (row!.came === "in_use") {
        return yield* sayOnce("use", `${name} was not dropped: somebody uses all months' reservations`)
      }
    }
  })

  return (keepMonths: number, at: string | null): Effect.Effect<void, SqlError> =>
    Effect.andThen(makeRoom(at), Effect.andThen(forgetDefault(keepMonths, at), dropOld(keepMonths, at)))
}

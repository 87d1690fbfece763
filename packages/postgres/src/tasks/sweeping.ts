import { writesKeptMs } from "@tapeline/core/personal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Aside } from "../connection/SideSessions.ts"
import { nowMsOnce } from "../patiently.ts"

/**
 * Removes rows that are older than $1 ms, the oldest first. Rows that other transactions hold are left to the next
 * sweep.
 */
const dropOld = (table: string, key: string, time: string) =>
  `with g as (
    select account, ${key} from ${table} where ${time} <= ${nowMsOnce} - $1::bigint
    order by ${time} limit $2::bigint for update skip locked
  )
  delete from ${table} d using g where d.account = g.account and d.${key} = g.${key} returning 1`

export const drops = [
  {
    text: dropOld("task_firings", "id", "ended_at").replace(" where ", " where state = 'ended' and "),
    remembered: false
  },
  { text: dropOld("task_writes", "call", "written_at"), remembered: true },
  { text: dropOld("notification_marks", "call", "written_at"), remembered: true }
]

/** Runs each removal as a separate statement, apart from the sessions of calls. Returns the number of removed rows. */
export const sweepOnce = (run: Aside["run"], keepMs: number, limit: number): Effect.Effect<number, SqlError> =>
  Effect.map(
    Effect.forEach(drops, ({ remembered, text }) => {
      const ms = remembered ? Math.max(keepMs, writesKeptMs) : keepMs
      return run((sql) => sql.unsafe(text, [String(Math.floor(ms)), String(limit)]))
    }),
    (rows) => rows.flat().length
  )

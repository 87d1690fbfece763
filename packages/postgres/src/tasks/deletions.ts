import { writeRetentionMs } from "@tapeline/core/personal"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { BackgroundPool } from "../connection/sessions.ts"
import { nowMsOnceSql } from "../rowLocks.ts"

/** Returns SQL that deletes rows that are older than `$1` ms, the oldest first, except locked rows. */
const deleteOldSql = (table: string, key: string, time: string) =>
  `with g as (
    select account, ${key} from ${table} where ${time} <= ${nowMsOnceSql} - $1::bigint
    order by ${time} limit $2::bigint for update skip locked
  )
  delete from ${table} d using g where d.account = g.account and d.${key} = g.${key} returning 1`

export const deletions = [
  {
    text: deleteOldSql("task_firings", "id", "ended_at").replace(" where ", " where state = 'ended' and "),
    isIdempotencyRecord: false
  },
  { text: deleteOldSql("task_writes", "call", "written_at"), isIdempotencyRecord: true },
  { text: deleteOldSql("notification_marks", "call", "written_at"), isIdempotencyRecord: true }
]

/**
 * Deletes old rows of each table in a separate statement, on background sessions, and returns the number of deleted
 * rows.
 */
export const deleteOldRows = (
  run: BackgroundPool["run"],
  retentionMs: number,
  limit: number
): Effect.Effect<number, SqlError> =>
  Effect.map(
    Effect.forEach(deletions, ({ isIdempotencyRecord, text }) => {
      const minAgeMs = isIdempotencyRecord ? Math.max(retentionMs, writeRetentionMs) : retentionMs
      return run((sql) => sql.unsafe(text, [String(Math.floor(minAgeMs)), String(limit)]))
    }),
    (rows) => rows.flat().length
  )

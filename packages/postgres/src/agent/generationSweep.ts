import type { GenerationStore } from "@tapeline/core/agent"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { BackgroundPool } from "../connection/sessions.ts"
import { nowMsOnceSql } from "../rowLocks.ts"

type SweepOptions = Parameters<GenerationStore["Service"]["sweep"]>[0]

/** Returns SQL that selects generations that ended more than `$1` ms ago, the oldest first, except locked rows. */
const selectEndedSql = (condition: string) =>
  `g as (
    select account, id from generations where ended_at < ${nowMsOnceSql} - $1::bigint and ${condition}
    order by ended_at limit $2::bigint for no key update skip locked
  )`

const deleteLogs = `e as (
    delete from generation_events e using g where e.account = g.account and e.generation = g.id
  ), s as (
    delete from generation_steps s using g where s.account = g.account and s.generation = g.id
  )`

const fromSelectedSql = "from g where u.account = g.account and u.id = g.id returning u.id::float8 as id"

const closeSql = `with ${
  selectEndedSql("state = 'ended'")
} update generations u set state = 'closed' ${fromSelectedSql}`

const deleteLogsSql = `with ${selectEndedSql("ended_at is not null and logged and state = 'closed'")}, ${deleteLogs}
  update generations u set logged = false ${fromSelectedSql}`

const deleteRowsSql = `with ${selectEndedSql("ended_at is not null and state = 'closed'")}, ${deleteLogs}
  delete from generations u using g where u.account = g.account and u.id = g.id returning u.id::float8 as id`

/**
 * Closes ended generations, and deletes old logs and old rows, on background sessions. `finished` contains the ids of
 * the closed generations, and of the generations whose log or row was deleted. A finished generation receives no more
 * events.
 */
export const sweepGenerations = (
  run: BackgroundPool["run"],
  { closeAfterMs, keepLogsMs, keepRowsMs, limit }: SweepOptions
): Effect.Effect<{ readonly finished: ReadonlySet<number>; readonly count: number }, SqlError> =>
  Effect.map(
    Effect.forEach(
      [[closeSql, closeAfterMs], [deleteLogsSql, keepLogsMs], [deleteRowsSql, keepRowsMs]] as const,
      ([text, ms]) => run((sql) => sql.unsafe<{ readonly id: number }>(text, [String(Math.floor(ms)), String(limit)]))
    ),
    (changes) => {
      const ids = changes.flat().map(({ id }) => id)
      return { finished: new Set(ids), count: ids.length }
    }
  )

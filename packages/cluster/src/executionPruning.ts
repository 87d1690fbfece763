import { Clock, Effect } from "effect"
import * as MachineId from "effect/cluster/MachineId"
import { make as snowflake } from "effect/cluster/Snowflake"
import { SqlClient } from "effect/sql/SqlClient"

export const tablePrefix = "tapeline_cluster"

/**
 * The time in ms for which the database keeps records of ended executions. Only operators read the records of ended
 * executions.
 */
const retentionMs = 86_400_000
const intervalMs = 600_000
/** The maximum number of executions that a statement deletes, so that no statement blocks other statements for long. */
const maxDeleted = 1_000

const deleteExecutions = `with done as (
    select id from ${tablePrefix}_messages where processed and id < $1::bigint
    order by id limit ${maxDeleted} for update skip locked
  ), gone as (
    delete from ${tablePrefix}_messages m using done where m.id = done.id returning m.request_id
  ), unheard as (
    delete from ${tablePrefix}_replies r using gone where r.request_id = gone.request_id
  )
  select count(*)::integer as count from gone`

/**
 * Deletes the records of executions that ended more than `ageMs` ago. The workflow engine does not delete records of
 * ended executions.
 */
export const deleteOldExecutions = (ageMs: number = retentionMs): Effect.Effect<void, never, SqlClient> =>
  Effect.gen(function*() {
    const [sql, now] = yield* Effect.all([SqlClient, Clock.currentTimeMillis])
    const cutoff = snowflake({ timestamp: now - ageMs, machineId: MachineId.make(0), sequence: 0 })
    for (;;) {
      const [removed] = yield* sql.unsafe<{ readonly count: number }>(deleteExecutions, [String(cutoff)])
      if (removed === undefined || removed.count < maxDeleted) return
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("Old executions could not be removed", cause)))

export const pruneExecutions: Effect.Effect<never, never, SqlClient> = Effect.forever(
  Effect.andThen(Effect.sleep(intervalMs), deleteOldExecutions())
)

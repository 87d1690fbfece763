import { Clock, Effect } from "effect"
import * as MachineId from "effect/cluster/MachineId"
import { make as snowflake } from "effect/cluster/Snowflake"
import { SqlClient } from "effect/sql/SqlClient"

/** What the names of the engine's tables begin with. */
export const prefix = "tapeline_cluster"

/** Executions that ended are kept so long, for whoever looks what happened; nothing reads them. */
const keepMs = 86_400_000
const everyMs = 600_000
/** In one statement: none holds up what runs meanwhile. */
const most = 1_000

/** What another process removes at the same time is left to it. */
const remove = `with done as (
    select id from ${prefix}_messages where processed and id < $1::bigint
    order by id limit ${most} for update skip locked
  ), gone as (
    delete from ${prefix}_messages m using done where m.id = done.id returning m.request_id
  ), unheard as (
    delete from ${prefix}_replies r using gone where r.request_id = gone.request_id
  )
  select count(*)::integer as count from gone`

/** Removes what the engine keeps of executions that ended longer ago than `ageMs`; it does not do that itself. */
export const pruneOnce = (ageMs: number = keepMs): Effect.Effect<void, never, SqlClient> =>
  Effect.gen(function*() {
    const [sql, now] = yield* Effect.all([SqlClient, Clock.currentTimeMillis])
    const cutoff = snowflake({ timestamp: now - ageMs, machineId: MachineId.make(0), sequence: 0 })
    for (;;) {
      const [removed] = yield* sql.unsafe<{ readonly count: number }>(remove, [String(cutoff)])
      if (removed === undefined || removed.count < most) return
    }
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("Old executions could not be removed", cause)))

/** Removes them now and again. */
export const prune: Effect.Effect<never, never, SqlClient> = Effect.forever(
  Effect.andThen(Effect.sleep(everyMs), pruneOnce())
)

import { Clock, Effect } from "effect"
import * as MachineId from "effect/cluster/MachineId"
import { make as snowflake } from "effect/cluster/Snowflake"
import { SqlClient } from "effect/sql/SqlClient"

/** What the names of the engine's tables begin with. */
export const prefix = "tapeline_cluster"

/** Executions that ended are kept so long, for whoever looks what happened; nothing reads them. */
const keepMs = 86_400_000
const everyMs = 600_000
const most = 1_000

const remove = `with done as (
    select id from ${prefix}_messages where processed and id < $1::bigint order by id limit ${most}
  ), gone as (
    delete from ${prefix}_messages m using done where m.id = done.id returning m.request_id
  )
  delete from ${prefix}_replies r using gone where r.request_id = gone.request_id`

/** Removes what the engine keeps of executions that ended long ago; it does not do that itself. */
export const pruneOnce = (ageMs: number = keepMs): Effect.Effect<void, never, SqlClient> =>
  Effect.gen(function*() {
    const [sql, now] = yield* Effect.all([SqlClient, Clock.currentTimeMillis])
    const cutoff = snowflake({ timestamp: now - ageMs, machineId: MachineId.make(0), sequence: 0 })
    yield* sql.unsafe(remove, [String(cutoff)])
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("Old executions could not be removed", cause)))

/** Removes them now and again. */
export const prune: Effect.Effect<never, never, SqlClient> = Effect.forever(
  Effect.andThen(Effect.sleep(everyMs), pruneOnce())
)

import type { PgClient } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { describeFailure } from "./connection/describeFailure.ts"
import type { DiskReserve } from "./diskReserve.ts"

const intervalMs = 30_000

/** The size of the write-ahead log in MB after which a checkpoint truncates the log. */
const defaultCheckpointAfterMb = 32

/** A table is vacuumed if its dead rows exceed `vacuumThresholdRows` plus `vacuumThresholdShare` of its live rows. */
const vacuumThresholdRows = 1_000
const vacuumThresholdShare = 0.2

/**
 * The age in transactions after which maintenance freezes rows. The default is far below the limit at which transaction
 * ids wrap around.
 */
const defaultFreezeAge = 100_000_000

/**
 * Runs the maintenance of an embedded database, which a PostgreSQL server would do in background processes. Without
 * checkpoints, the write-ahead log would grow without limit. Without vacuum, the space of changed rows would never be
 * reused. Statements wait during the maintenance, about 50 ms for a checkpoint.
 */
export const runMaintenance = (
  sql: PgClient.PgClient,
  { freezeAge = defaultFreezeAge, checkpointAfterMb = defaultCheckpointAfterMb, isBackupRunning = () => false }: {
    readonly checkpointAfterMb?: number
    readonly freezeAge?: number
    /** No checkpoint runs during a backup, because a checkpoint deletes the log that the backup needs. */
    readonly isBackupRunning?: () => boolean
  } = {}
): Effect.Effect<void, SqlError> =>
  Effect.gen(function*() {
    const tables = yield* sql.unsafe<{ readonly name: string; readonly old: boolean }>(`
      select c.oid::regclass::text as name, age(c.relfrozenxid) > ${freezeAge} as old
      from pg_class c join pg_stat_all_tables s on s.relid = c.oid
      where c.relkind = 'r' and (
        s.n_dead_tup > ${vacuumThresholdRows} + ${vacuumThresholdShare} * s.n_live_tup
        or age(c.relfrozenxid) > ${freezeAge}
      )
      order by s.n_dead_tup desc`).unprepared
    // A plain vacuum skips pages whose rows are all visible, and does not freeze their rows.
    for (const { name, old } of tables) yield* sql.unsafe(`vacuum ${old ? "(freeze) " : ""}${name}`).unprepared
    const [wal] = yield* sql.unsafe<{ readonly long: boolean }>(`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > ${checkpointAfterMb} * 1024 * 1024 as long
      from pg_control_checkpoint()`).unprepared
    if (wal?.long === true && !isBackupRunning()) yield* sql.unsafe("checkpoint").unprepared
  })

/**
 * Repeats `runMaintenance` until the scope ends, and logs the first of consecutive failures. While less disk space is
 * free than the reserve, no maintenance runs, because a vacuum writes even in a read-only session.
 */
export const scheduleMaintenance = (
  sql: PgClient.PgClient,
  diskReserve: DiskReserve,
  isBackupRunning: () => boolean
): Effect.Effect<void, never, Scope.Scope> => {
  let hasLogged = false
  const maintain = Effect.matchEffect(runMaintenance(sql, { isBackupRunning }), {
    onSuccess: () => Effect.sync(() => void (hasLogged = false)),
    onFailure: (error) =>
      Effect.suspend(() => {
        if (hasLogged) return Effect.void
        hasLogged = true
        return Effect.logWarning(
          `The maintenance of the embedded database failed, and will be retried: ${describeFailure(error)}`
        )
      })
  })
  const maintainUnlessFull = Effect.suspend(() => diskReserve.isLow() ? Effect.void : maintain)
  return Effect.asVoid(Effect.forkScoped(Effect.forever(Effect.delay(maintainUnlessFull, intervalMs))))
}

import type { PgClient } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { reasonOf } from "./connection/failure.ts"
import type { Reserve } from "./reserve.ts"

/** From the end of one look to the next. */
const everyMs = 30_000

/** A checkpoint cuts the log of changes off when so much of it was written since the last one. */
const defaultWalMb = 32

/** A table is vacuumed when so many of its rows are dead, and such a share of those that live on top. */
const deadRows = 1_000
const deadShare = 0.2

/** Rows that are so many transactions old are frozen, long before their numbers come round. */
const defaultOldestTransactions = 100_000_000

/**
 * What a server of PostgreSQL does in processes beside those of its sessions, and the embedded database, which is one
 * session, never does by itself: without checkpoints its log of changes grows as long as it runs, and is read again
 * after a kill; without vacuum the room of rows that were changed is never used again. Statements wait for it
 * meanwhile, some 50 ms for a checkpoint.
 */
export const upkeep = (
  sql: PgClient.PgClient,
  { oldestTransactions = defaultOldestTransactions, walMb = defaultWalMb }: {
    readonly walMb?: number
    readonly oldestTransactions?: number
  } = {}
): Effect.Effect<void, SqlError> =>
  Effect.gen(function*() {
    const tables = yield* sql.unsafe<{ readonly name: string; readonly old: boolean }>(`
      select c.oid::regclass::text as name, age(c.relfrozenxid) > ${oldestTransactions} as old
      from pg_class c join pg_stat_all_tables s on s.relid = c.oid
      where c.relkind = 'r' and (
        s.n_dead_tup > ${deadRows} + ${deadShare} * s.n_live_tup or age(c.relfrozenxid) > ${oldestTransactions}
      )
      order by s.n_dead_tup desc`).unprepared
    // By itself a vacuum passes over pages of which all rows are seen, and leaves them as old as they are.
    for (const { name, old } of tables) yield* sql.unsafe(`vacuum ${old ? "(freeze) " : ""}${name}`).unprepared
    const [log] = yield* sql.unsafe<{ readonly long: boolean }>(`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > ${walMb} * 1024 * 1024 as long
      from pg_control_checkpoint()`).unprepared
    if (log?.long === true) yield* sql.unsafe("checkpoint").unprepared
  })

/**
 * `upkeep` again and again, until the scope ends. A failure is said once, and tried again. A vacuum writes too, and a
 * session that only reads would let it: while the reserve is touched there is none.
 */
export const keepUp = (sql: PgClient.PgClient, reserve: Reserve): Effect.Effect<void, never, Scope.Scope> => {
  let said = false
  const kept = Effect.matchEffect(upkeep(sql), {
    onSuccess: () => Effect.sync(() => void (said = false)),
    onFailure: (error) =>
      Effect.suspend(() => {
        if (said) return Effect.void
        said = true
        return Effect.logWarning(`The embedded database's upkeep is tried again: ${reasonOf(error)}`)
      })
  })
  const once = Effect.suspend(() => reserve.isTouched() ? Effect.void : kept)
  return Effect.asVoid(Effect.forkScoped(Effect.forever(Effect.delay(once, everyMs))))
}

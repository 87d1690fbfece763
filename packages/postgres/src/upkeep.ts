import type { PgClient } from "@effect/sql-pg"
import { Effect, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { reasonOf } from "./connection/failure.ts"
import type { Reserve } from "./reserve.ts"

/** The pause between two checks, in ms. */
const everyMs = 30_000

/** A checkpoint truncates the write-ahead log after this many MB. */
const defaultWalMb = 32

/** A table is vacuumed if it has more dead rows than this number plus this share of its live rows. */
const deadRows = 1_000
const deadShare = 0.2

/** Rows that are older than this many transactions are frozen, long before transaction ids wrap around. */
const defaultOldestTransactions = 100_000_000

/**
 * Runs the maintenance that a PostgreSQL server does in background processes, and that the embedded database with its
 * one session never does. Without checkpoints, the write-ahead log grows without limit, and is read again after a
 * crash. Without vacuum, the space of changed rows is never reused. Statements wait meanwhile, about 50 ms for a
 * checkpoint.
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
    // A plain vacuum skips pages whose rows are all visible, and does not freeze them.
    for (const { name, old } of tables) yield* sql.unsafe(`vacuum ${old ? "(freeze) " : ""}${name}`).unprepared
    const [log] = yield* sql.unsafe<{ readonly long: boolean }>(`
      select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn) > ${walMb} * 1024 * 1024 as long
      from pg_control_checkpoint()`).unprepared
    if (log?.long === true) yield* sql.unsafe("checkpoint").unprepared
  })

/**
 * Repeats `upkeep` until the scope ends. A failure is logged once, and retried. A vacuum writes, even in a session that
 * only reads, so there is no upkeep while the reserve is touched.
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

import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import {
  type DatabaseUnavailable,
  latestMigration,
  listMigrations,
  migrationsTable,
  toDatabaseUnavailable
} from "../migrations/index.ts"
import { oldestUpgradable, SchemaTooOld } from "../migrations/SchemaTooOld.ts"
import { type Backfill, backfills, pauseShare, progressTable } from "./backfills.ts"
import { migrationEffects } from "./migrationEffects.ts"

export interface PendingMigration {
  readonly name: string
  readonly summary: string
  readonly locks: ReadonlyArray<string>
  readonly scans: ReadonlyArray<string>
  readonly estimated_seconds: number
}

export interface PendingBackfill {
  readonly name: string
  readonly summary: string
  readonly table: string
  readonly estimated_rows: number
  readonly done_rows: number
  readonly estimated_seconds: number
}

/** A process on the database, as its sessions describe it. The version is null for versions before 0.2. */
export interface RunningVersion {
  readonly version: string | null
  readonly sessions: number
}

/** The changes that the start of this version makes to a database. */
export interface UpgradePlan {
  /** The newest migration of the database, or null if it has no schema. */
  readonly current_migration: number | null
  readonly target_migration: number
  readonly migrations: ReadonlyArray<PendingMigration>
  readonly backfills: ReadonlyArray<PendingBackfill>
  /** The processes whose heartbeats are recent, without those that have just started. */
  readonly processes: number
  readonly versions: ReadonlyArray<RunningVersion>
  /** Why the upgrade would fail. Empty if nothing is known that prevents it. */
  readonly problems: ReadonlyArray<string>
}

/** A low estimate of the bytes per second that a migration reads. */
const scannedBytesPerSecond = 20_000_000
/** The time in seconds for changes of the catalogues, and for waiting for locks. */
const secondsPerMigration = 1
/** A low estimate of the rows per second that a backfill changes while it runs. */
const backfillRowsPerSecond = 5_000

/** A process is running if its last heartbeat is not older. Heartbeats are renewed about every second. */
const maxHeartbeatAgeMs = 15_000

interface Size {
  readonly name: string
  readonly bytes: number
  readonly rows: number
  readonly owned: boolean
}

/** Selects the sizes of tables with their partitions, and whether the role may change them. */
const selectSizes = `select r.name, sum(pg_table_size(t.relid))::float8 as bytes,
    sum(greatest(c.reltuples, 0))::float8 as rows, bool_and(pg_has_role(c.relowner, 'USAGE')) as owned
  from unnest($1::text[]) r (name) cross join lateral (
    select relid from pg_partition_tree(to_regclass(r.name)) union select to_regclass(r.name)::oid
  ) t join pg_class c on c.oid = t.relid group by r.name order by r.name`

const exists = (sql: SqlClient, table: string) =>
  Effect.map(
    sql.unsafe<{ readonly found: boolean }>("select to_regclass($1) is not null as found", [table]),
    ([row]) => row!.found
  )

const readCurrent = Effect.fnUntraced(function*(sql: SqlClient) {
  if (!(yield* exists(sql, migrationsTable))) return null
  const [row] = yield* sql.unsafe<{ readonly latest: number | null }>(
    `select max(migration_id) as latest from ${migrationsTable}`
  )
  return row!.latest
})

const findPendingMigrations = Effect.fnUntraced(function*(sql: SqlClient, current: number | null) {
  const pending = listMigrations.filter(({ id }) => id > (current ?? 0))
    .map(({ id, name }) => ({ name, ...migrationEffects[id]! }))
  // A new database has no tables that could be locked.
  if (current === null) {
    return { tables: [], migrations: pending.map((one) => ({ ...one, locks: [], scans: [], estimated_seconds: 0 })) }
  }
  const names = [...new Set(pending.flatMap(({ locks, scans }) => [...locks, ...scans]))]
  const tables = yield* sql.unsafe<Size>(selectSizes, [names])
  const bytesOf = (scans: ReadonlyArray<string>) =>
    tables.filter(({ name }) => scans.includes(name)).reduce((total, { bytes }) => total + bytes, 0)
  return {
    tables,
    migrations: pending.map((one): PendingMigration => ({
      ...one,
      estimated_seconds: secondsPerMigration + Math.ceil(bytesOf(one.scans) / scannedBytesPerSecond)
    }))
  }
})

interface StoredProgress {
  readonly name: string
  readonly rows: number
  readonly busy_ms: number
  readonly finished: boolean
}

const findPendingBackfills = Effect.fnUntraced(function*(sql: SqlClient, all: ReadonlyArray<Backfill>) {
  const stored = (yield* exists(sql, progressTable))
    ? yield* sql.unsafe<StoredProgress>(`select name, rows::float8 as rows, busy_ms::float8 as busy_ms,
        finished_at is not null as finished from ${progressTable}`)
    : []
  const sizes = yield* sql.unsafe<Size>(selectSizes, [all.map(({ table }) => table)])
  return all.flatMap(({ name, summary, table }): ReadonlyArray<PendingBackfill> => {
    const progress = stored.find((one) => one.name === name)
    if (progress?.finished === true) return []
    const rows = sizes.find((one) => one.name === table)?.rows ?? 0
    const doneRows = progress?.rows ?? 0
    const rate = progress === undefined || progress.busy_ms === 0 || doneRows === 0
      ? backfillRowsPerSecond
      : 1_000 * doneRows / progress.busy_ms
    return [{
      name,
      summary,
      table,
      estimated_rows: rows,
      done_rows: doneRows,
      estimated_seconds: Math.ceil((1 + pauseShare) * Math.max(0, rows - doneRows) / rate)
    }]
  })
})

const findRunningVersions = (sql: SqlClient) =>
  sql.unsafe<RunningVersion>(`select substring(application_name from '^tapeline (.*)') as version,
      count(*)::integer as sessions
    from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and application_name ~ '^tapeline( |$)'
    group by 1 order by 1`)

const countProcesses = Effect.fnUntraced(function*(sql: SqlClient) {
  const table = "tapeline_cluster_runners"
  if (!(yield* exists(sql, table))) return 0
  // Heartbeats have no time zone. Sessions of processes use UTC.
  const [row] = yield* sql.unsafe<{ readonly processes: number }>(`select count(*)::integer as processes from ${table}
    where last_heartbeat > clock_timestamp() at time zone 'UTC' - interval '${maxHeartbeatAgeMs} ms'`)
  return row!.processes
})

const findProblems = Effect.fnUntraced(function*(
  sql: SqlClient,
  current: number | null,
  tables: ReadonlyArray<Size>
) {
  if (current !== null && current < oldestUpgradable) {
    return [`The database cannot be upgraded: ${new SchemaTooOld({ latest: current }).message}.`]
  }
  if (current !== null && current > latestMigration) {
    return [
      `A newer version has upgraded the database: its schema is at migration ${current}, and this version knows ` +
      `migrations up to ${latestMigration}. Only the minor version before the newer one can run on it.`
    ]
  }
  if (current === latestMigration) return []
  const [role] = yield* sql.unsafe<{ readonly name: string; readonly creates: boolean }>(
    `select current_user::text as name, coalesce(has_schema_privilege(current_schema(), 'create'), false) as creates`
  )
  const foreign = tables.filter(({ owned }) => !owned).map(({ name }) => name)
  return [
    ...(role!.creates ? [] : [`The role ${role!.name} must be allowed to create tables in its schema.`]),
    ...(foreign.length === 0 ? [] : [`The role ${role!.name} must own these tables: ${foreign.join(", ")}.`])
  ]
})

/** Reads what the start of this version will do to a database. Changes nothing. */
export const readUpgradePlan = (
  allBackfills: ReadonlyArray<Backfill> = backfills
): Effect.Effect<UpgradePlan, DatabaseUnavailable, SqlClient> =>
  Effect.gen(function*() {
    const sql = yield* SqlClient
    const read = Effect.gen(function*(): Effect.fn.Return<UpgradePlan, SqlError> {
      yield* sql.unsafe("set transaction read only")
      const current = yield* readCurrent(sql)
      const { migrations, tables } = yield* findPendingMigrations(sql, current)
      return {
        current_migration: current,
        target_migration: latestMigration,
        migrations,
        backfills: yield* findPendingBackfills(sql, allBackfills),
        processes: yield* countProcesses(sql),
        versions: yield* findRunningVersions(sql),
        problems: yield* findProblems(sql, current, tables)
      }
    })
    return yield* Effect.mapError(sql.withTransaction(read), toDatabaseUnavailable(sql, false))
  })

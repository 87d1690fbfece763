import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { latestMigration, layerPostgres } from "@tapeline/postgres"
import { Effect } from "effect"
import { statements } from "../src/migrations/statements.ts"
import { lastScanningMigration, migrationEffects } from "../src/upgrades/migrationEffects.ts"
import { type Client, makeFreshDatabase, makeMigratedDatabase } from "./support/databases.ts"
import { loadMigrations } from "./support/migrateBefore.ts"

type Migration = ReturnType<typeof statements>

interface TableUse {
  readonly id: number
  /** The name of the table. Partitions have the name of their table. */
  readonly name: string
  /** The scans and changed rows of the session until now. `create index` and `alter table` scan empty tables, too. */
  readonly scans: number
  readonly isLocked: boolean
}

const readTables = Effect.flatMap(
  PgClient.PgClient,
  (sql) =>
    sql<TableUse>`select c.oid::integer as id, coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name,
      coalesce(seq_scan + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del, 0)::integer as scans,
      exists (
        select 1 from pg_locks l where l.pid = pg_backend_pid() and l.relation = c.oid and l.mode in
          ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      ) as "isLocked"
    from pg_class c left join pg_stat_xact_user_tables s on s.relid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 2`
)

/** Runs a migration in a transaction, and returns how it used the tables that existed before. */
const measure = Effect.fnUntraced(function*(migration: Migration) {
  const sql = yield* PgClient.PgClient
  return yield* sql.withTransaction(Effect.gen(function*() {
    const before = new Map((yield* readTables).map(({ id, scans }) => [id, scans]))
    yield* migration
    const after = (yield* readTables).filter(({ id }) => before.has(id))
    const select = (isUsed: (table: TableUse) => boolean) => [...new Set(after.filter(isUsed).map(({ name }) => name))]
    return { locks: select(({ isLocked }) => isLocked), scans: select(({ id, scans }) => scans > before.get(id)!) }
  }))
})

const onDatabase = <A, E>(database: typeof makeFreshDatabase, effect: Effect.Effect<A, E, Client>) =>
  Effect.flatMap(database, ({ url }) => Effect.provide(effect, layerPostgres({ url, maxConnections: 1 })))

describe("the effects of migrations", () => {
  it.live("are as declared, and no migration after 28 reads or writes rows of an existing table", () =>
    onDatabase(
      makeFreshDatabase,
      Effect.gen(function*() {
        const measured: Record<number, object> = {}
        for (const [name, migration] of yield* loadMigrations) {
          const number = Number.parseInt(name, 10)
          const { locks, scans } = yield* measure(migration)
          measured[number] = { summary: migrationEffects[number]?.summary, locks, scans }
          if (number > lastScanningMigration) assert.deepStrictEqual(scans, [], `${name}: use a backfill instead`)
        }
        assert.deepStrictEqual(measured, migrationEffects)
        assert.include(Object.keys(measured).map(Number), latestMigration)
      })
    ))

  const changes: ReadonlyArray<readonly [change: string, scans: ReadonlyArray<string>]> = [
    ["alter table accounts add column a text not null default 'x'", []],
    ["alter table accounts add constraint c check (id > 0) not valid", []],
    ["create table other (id bigint references accounts)", []],
    ["create trigger t before insert on messages for each row execute function commit_durably()", []],
    ["alter table accounts add column a uuid default gen_random_uuid()", ["accounts"]],
    ["alter table accounts add column a integer check (a > 0)", ["accounts"]],
    ["alter table accounts add constraint c check (id > 0)", ["accounts"]],
    ["alter table accounts alter column external_id set not null", ["accounts"]],
    ["alter table accounts alter column name type varchar(10)", ["accounts"]],
    ["create index i on messages (account)", ["messages"]],
    ["update accounts set name = name", ["accounts"]],
    ["create table other as select * from conversations", ["conversations"]],
    ["alter table keys add foreign key (account) references accounts", ["keys"]]
  ]
  it.live("are detected, also if the tables are empty", () =>
    onDatabase(
      makeMigratedDatabase,
      Effect.gen(function*() {
        const sql = yield* PgClient.PgClient
        for (const [change, expected] of changes) {
          let scans: ReadonlyArray<string> = []
          const undone = Effect.flatMap(measure(statements(change)), (measured) => {
            scans = measured.scans
            return Effect.fail("undo")
          })
          yield* Effect.ignore(sql.withTransaction(undone))
          assert.deepStrictEqual(scans, expected, change)
        }
      })
    ))
})

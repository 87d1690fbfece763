import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { accountTables } from "../src/access/accountTables.ts"
import { makeFreshPostgres } from "./support/databases.ts"

interface Column {
  readonly table: string
  readonly name: string
}

/** The columns of all tables; the partitions of a table count as the table. */
const selectColumns = Effect.flatMap(
  PgClient.PgClient,
  (sql) =>
    sql<Column>`select distinct coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as "table",
      k.column_name::text as name
    from information_schema.columns k join pg_class c on c.relname = k.table_name
    where k.table_schema = 'public' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
    order by 1, 2`
)

/** The tables with a foreign key to another table, with the table to which the key refers. */
const selectReferences = Effect.flatMap(
  PgClient.PgClient,
  (sql) =>
    sql<{ readonly table: string; readonly to: string }>`select conrelid::regclass::text as "table",
      confrelid::regclass::text as "to" from pg_constraint where contype = 'f' and conparentid = 0`
)

/** The names of columns that contain ids of accounts. */
const accountColumns = ["account", "accounts"]

layer(makeFreshPostgres(), { excludeTestServices: true })("the tables of accounts", (it) => {
  it.effect("include every table with an account column, and every table that refers to such a table", () =>
    Effect.gen(function*() {
      const columns = yield* selectColumns
      const references = yield* selectReferences
      const found = new Set(columns.filter(({ name }) => accountColumns.includes(name)).map(({ table }) => table))
      found.add("accounts")
      for (let size = 0; size !== found.size;) {
        size = found.size
        for (const { table, to } of references) if (found.has(to)) found.add(table)
      }
      assert.isAbove(found.size, 25)
      assert.sameMembers(
        [...found],
        accountTables.map(({ table }) => table),
        "add the table to accountTables, and decide what an export contains and what an erasure does"
      )
    }))

  it.effect("either export or omit each column, and never export a hash", () =>
    Effect.gen(function*() {
      const columns = yield* selectColumns
      for (const { account, columns: exported, omitted = {}, table } of accountTables) {
        const inSchema = columns.filter((column) => column.table === table).map(({ name }) => name)
        const listed = [...Object.keys(exported ?? {}), ...Object.keys(omitted)]
        assert.sameMembers(inSchema.filter((name) => name !== account || account === "id"), listed, table)
        assert.notIncludeMembers(Object.keys(exported ?? {}), ["hash", "fingerprint"])
      }
    }))

  it("have distinct kinds", () => {
    const kinds = [...accountTables.map(({ kind }) => kind), "archive", "end"]
    assert.strictEqual(new Set(kinds).size, kinds.length)
  })
})

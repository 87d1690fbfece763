import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/**
 * Returns, for each table, the transactions that last wrote or locked its rows. Rows of a partition count as rows of
 * its table.
 */
const readTableMarks = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const tables = yield* sql<{ name: string; root: string }>`select c.oid::regclass::text as name,
      coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as root
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`
  const functionsByTable = new Map<string, string>()
  for (const { name, root } of tables) {
    const [row] = yield* sql.unsafe<{ mark: string }>(
      `select coalesce(md5(string_agg(concat_ws(' ', ctid, xmin, xmax), ',' order by ctid)), '') as mark from ${name}`
    )
    functionsByTable.set(root, `${functionsByTable.get(root) ?? ""} ${row!.mark}`)
  }
  return functionsByTable
})

export const findTouchedTables = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const before = yield* readTableMarks
    yield* effect
    const after = yield* readTableMarks
    return [...after.keys()].filter((table) => after.get(table) !== before.get(table))
  })

/** Returns the tables to which the functions of calls may write, even if no write occurred in the test. */
export const findTablesWrittenByFunctions = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const bodies = yield* sql<{ text: string }>`select prosrc as text from pg_proc where prosrc like '%/* hot %'`
  const writtenNames = bodies.flatMap(({ text }) =>
    [...text.matchAll(/\b(?:insert\s+into|update|delete\s+from|merge\s+into)\s+(?:only\s+)?(?:public\.)?(\w+)/gi)].map((
      [, name]
    ) => name!.toLowerCase())
  )
  // The clause `for update of e` names an alias and not a table.
  const tables = yield* sql<{ name: string }>`select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
  return tables.map(({ name }) => name).filter((name) => writtenNames.includes(name))
})

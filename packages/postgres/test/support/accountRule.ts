import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"

/*
 * Checks that keys, references and exclusion constraints of the tables that calls write are within one account. The
 * limitation to one account lets a PostgreSQL with sharding (Citus), or several servers, store each account's rows in
 * one place.
 */

const accountColumn = (table: string): string => table === "accounts" ? "id" : "account"

interface UniqueConstraint {
  readonly table: string
  readonly name: string
  readonly primary: boolean
  /** The columns in the order of the constraint; null stands for an expression. */
  readonly columns: ReadonlyArray<string | null>
}

const selectUniqueConstraints = Effect.flatMap(
  PgClient.PgClient,
  (sql) =>
    sql<UniqueConstraint>`select coalesce(pg_partition_root(i.indrelid), i.indrelid)::regclass::text as "table",
      i.indexrelid::regclass::text as name, i.indisprimary as primary, to_json(array(
        select a.attname::text from generate_series(0, i.indnkeyatts - 1) n
        left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[n] and a.attnum > 0
        order by n
      )) as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and (i.indisunique or i.indisexclusion) order by 1, 2`
)

const describeUniqueBreach = ({ columns, name, primary, table }: UniqueConstraint): string | null => {
  const account = accountColumn(table)
  if (!columns.includes(account)) return `${table}: ${name} (${columns.join(", ")}) spans accounts`
  if (!primary || columns[0] === account && (!columns.includes("month") || columns[1] === "month")) return null
  return `${table}: ${name} (${columns.join(", ")}) does not begin with the account${
    columns.includes("month") ? " and the month" : ""
  }`
}

interface Reference {
  readonly from: string
  readonly to: string
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly referencedColumns: ReadonlyArray<string>
}

const selectReferences = Effect.flatMap(
  PgClient.PgClient,
  (sql) =>
    sql<
      Reference
    >`select c.conrelid::regclass::text as from, c.confrelid::regclass::text as to, c.conname::text as name,
      to_json(array(select a.attname::text from unnest(c.conkey) with ordinality k (n, place)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.place)) as columns,
      to_json(array(select a.attname::text from unnest(c.confkey) with ordinality k (n, place)
        join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by k.place)) as "referencedColumns"
    from pg_constraint c
    where c.contype = 'f' and c.connamespace = 'public'::regnamespace and c.conparentid = 0 order by 1, 3`
)

const describeReferenceBreach = ({ columns, from, name, referencedColumns, to }: Reference): string | null =>
  columns.some((column, i) => column === accountColumn(from) && referencedColumns[i] === accountColumn(to))
    ? null
    : `${from}: ${name} refers to ${to} (${referencedColumns.join(", ")}) across accounts`

/** Returns the hot tables whose account column is missing, can be null, or has another type than in other tables. */
const findTablesWithoutAccount = Effect.fnUntraced(function*(hotTables: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const columns = yield* sql<{ table: string; name: string }>`select attrelid::regclass::text as "table",
        attname::text as name
      from pg_attribute join pg_class c on c.oid = attrelid
      where c.relnamespace = 'public'::regnamespace and attnum > 0 and attnotnull and atttypid = 'bigint'::regtype`
  return hotTables
    .filter((table) => !columns.some((column) => column.table === table && column.name === accountColumn(table)))
    .map((table) => `${table}: no account (bigint not null)`)
})

/**
 * Returns the generated numbers of hot tables that are unique over all accounts: identity columns, serials and other
 * defaults.
 */
const selectGeneratedColumns = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(
    sql<{ table: string; name: string }>`select a.attrelid::regclass::text as "table", a.attname::text as name
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and c.relkind in ('r', 'p')
        and (a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) like 'nextval(%') order by 1, 2`,
    (rows) => rows.map(({ name, table }) => ({ table, text: `${table}: ${name} is drawn from one sequence` }))
  ))

/**
 * Returns the triggers that send notifications. A notification locks the whole database until its transaction is
 * committed.
 */
const selectNotifyingTriggers = Effect.flatMap(PgClient.PgClient, (sql) =>
  Effect.map(
    sql<{ table: string; name: string }>`select t.tgrelid::regclass::text as "table", t.tgname::text as name
      from pg_trigger t join pg_proc p on p.oid = t.tgfoid
      where not t.tgisinternal and p.prosrc ~* '\\mnotify\\M|pg_notify' order by 1, 2`,
    (rows) => rows.map(({ name, table }) => ({ table, text: `${table}: ${name} notifies` }))
  ))

/** Returns the objects of hot tables that are not within one account, one per line. */
export const findAccountBreaches = Effect.fnUntraced(function*(hotTables: ReadonlyArray<string>) {
  const isHot = ({ table }: { readonly table: string }) => hotTables.includes(table)
  const withoutNulls = (lines: ReadonlyArray<string | null>) => lines.filter((line) => line !== null)
  return [
    ...yield* findTablesWithoutAccount(hotTables),
    ...withoutNulls((yield* selectUniqueConstraints).filter(isHot).map(describeUniqueBreach)),
    ...withoutNulls(
      (yield* selectReferences).filter(({ from, to }) => hotTables.includes(from) || hotTables.includes(to)).map(
        describeReferenceBreach
      )
    ),
    ...(yield* selectGeneratedColumns).filter(isHot).map(({ text }) => text),
    ...(yield* selectNotifyingTriggers).filter(isHot).map(({ text }) => text)
  ].sort()
})

const sharedResourcePattern = new RegExp(
  [
    String.raw`\bpg_(?:try_)?advisory\w*`,
    // A lock statement without a mode takes the strongest lock, so the pattern also matches such a statement.
    String.raw`\block\s+(?:table\s+)?(?:only\s+)?[\w.%]+(?:\s*,\s*(?:only\s+)?[\w.%]+)*(?:\s+in\s+[\w\s]+?\s+mode)?`,
    String.raw`\bnextval\s*\([^)]*\)`,
    String.raw`\bpg_notify\b|\bnotify\s+\w+|\btruncate\s+[\w.]+`
  ].join("|"),
  "gi"
)

/**
 * Returns the resources that functions share between accounts, one per line: locks other than row locks, sequences, and
 * notifications.
 */
export const findSharedResources = Effect.gen(function*() {
  const sql = yield* PgClient.PgClient
  const functions = yield* sql<{ name: string; text: string }>`select proname::text as name, prosrc as text
    from pg_proc where pronamespace = 'public'::regnamespace order by 1`
  const lines = functions.flatMap(({ name, text }) =>
    [...text.matchAll(sharedResourcePattern)].map(([match]) => `${name}: ${match.replaceAll(/\s+/g, " ")}`)
  )
  return [...new Set(lines)].sort()
})

import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { AccountTable } from "../../src/access/accountTable.ts"
import { accountTables } from "../../src/access/accountTables.ts"

/*
 * Rows of an account in every table, whose texts contain a marker.
 */

interface Column {
  readonly name: string
  readonly type: string
  readonly generated: boolean
}

/** SQL of the values of columns whose constraints reject a generated value, and of columns without texts of users. */
const fixedValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  accounts: { plan: "'pro'", status: "'active'" },
  keys: { scopes: "'{read:market}'", revoked_at: "null", expires_at: "null", first_key: "null" },
  sessions: { signed_in_by: "'link'", ended_at: "null", ended_how: "null" },
  session_texts: { session: "(select max(id) from sessions)", state: "'current'" },
  credit_months: { cap: "5", reserved: "0", adjusted: "0" },
  credit_key_months: { cap: "5", reserved: "0" },
  credit_reservations: { state: "'settled'", task: "null", tool: "'get_price'" },
  credit_usage_days: { tool: "'get_price'", failed: "0" },
  credit_adjustments: { kind: "'grant'", reference: "'invoice 17'", call: "null", call_month: "null" },
  messages: { role: "'user'", scopes_stored: "true" },
  generations: { state: "'closed'", outcome: "'failed'" },
  journal_positions: { side: "'long'" },
  journal_trades: { side: "'long'" },
  tasks: { kind: "'watch'", status: "'active'", next_at: "null", done_at: "null" },
  task_firings: { state: "'ended'" },
  proposals: { state: "'open'", conversation: "(select max(id) from conversations)" },
  events: { type: "'account.updated'", actor: "'session 1'", target: "'session 1'" },
  queued_events: { type: "'answer.failed'" },
  webhook_deliveries: {
    webhook: "(select max(id) from webhooks)",
    event: "(select max(id) from events)",
    state: "'failed'",
    last_error: "'timeout'"
  }
}

const selectColumns = (sql: PgClient.PgClient, table: string) =>
  sql<Column>`select column_name::text as name, data_type::text as type,
      is_generated = 'ALWAYS' or identity_generation = 'ALWAYS' as generated
    from information_schema.columns where table_schema = 'public' and table_name = ${table} order by ordinal_position`

/** Returns SQL of a value with the marker, or of a number. `n` makes the keys of the generated rows distinct. */
const valueSql = (table: AccountTable, { name, type }: Column, account: number, marker: string, n: number): string => {
  if (name === table.account) return String(account)
  const fixed = fixedValues[table.table]?.[name]
  if (fixed !== undefined) return fixed
  const text = `${marker} ${table.table} ${name} ${n}`
  switch (type) {
    case "text":
      return `'${table.columns?.[name] === "json" ? JSON.stringify({ text }) : text}'`
    case "bigint":
    case "integer":
    case "smallint":
      return name === "month" ? "203501" : name in table.key ? String(account * 100 + n) : "1"
    case "numeric":
    case "double precision":
      return "0.5"
    case "boolean":
      return "true"
    case "bytea":
      return `convert_to('${JSON.stringify({ text })}', 'UTF8')`
    case "timestamp with time zone":
      return "clock_timestamp()"
    case "ARRAY":
      return name === "accounts" ? `array[${account}]` : name === "takes" ? "'{1,2}'" : `array['${marker}']`
    default:
      throw new Error(`${table.table}.${name} has the type ${type}; add a value`)
  }
}

/** The tables without a row for the test: the report of an erasure, which the test creates. */
const unseeded = ["erasures"]

/** The tables that have at most one row of an account in the test. */
const singleRows = ["session_texts", "credit_months", "webhook_deliveries"]

/** Inserts `count` rows of an account into every table, or one row if an account has at most one. */
export const insertAccountRows = Effect.fnUntraced(function*(account: number, marker: string, count: number) {
  const sql = yield* PgClient.PgClient
  const inserted: Record<string, number> = {}
  yield* sql`insert into webhooks (url, secret, created_at, cursor) values ('https://example.com/', 'secret', 0, 0)`
  const tables = accountTables.filter(({ table }) => !unseeded.includes(table))
  // The row of a conversation must exist before its proposals.
  const isProposals = ({ table }: AccountTable) => table === "proposals"
  for (const table of [...tables.filter((table) => !isProposals(table)), ...tables.filter(isProposals)]) {
    const columns = (yield* selectColumns(sql, table.table)).filter(({ generated }) => !generated)
    const isSingle = table.account === "id" || Object.keys(table.key).length === 0 ||
      singleRows.includes(table.table)
    for (let n = 0; n < (isSingle ? 1 : count); n++) {
      const values = columns.map((column) => valueSql(table, column, account, marker, n))
      yield* sql.unsafe(
        `insert into ${table.table} (${columns.map(({ name }) => `"${name}"`).join(", ")}) values (${
          values.join(", ")
        })`
      ).unprepared
      inserted[table.kind] = (inserted[table.kind] ?? 0) + 1
    }
  }
  // A trigger queues an event for each firing.
  inserted["queued_event"] = inserted["queued_event"]! + inserted["firing"]!
  return inserted
})

/** Returns the tables that contain a text in any column, with the number of rows: `table: rows`. */
export const findText = Effect.fnUntraced(function*(text: string) {
  const sql = yield* PgClient.PgClient
  const hex = Buffer.from(text).toString("hex")
  const tables = yield* sql<{ readonly name: string }>`select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`
  const found: Array<string> = []
  for (const { name } of tables) {
    const [row] = yield* sql.unsafe<{ readonly rows: number }>(
      `select count(*)::integer as rows from ${name} t where t::text like '%${text}%' or t::text like '%${hex}%'`
    )
    if (row!.rows > 0) found.push(`${name}: ${row!.rows}`)
  }
  return found
})

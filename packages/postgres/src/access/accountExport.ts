import type { ExportedRow, ExportPage, ExportReader } from "@tapeline/core/engine"
import { Effect, type Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { BackgroundPool } from "../connection/sessions.ts"
import type { AccountTable, ColumnType } from "./accountTable.ts"
import { accountTables } from "./accountTables.ts"

const selectSql: Readonly<Record<ColumnType, (column: string) => string>> = {
  value: (column) => column,
  number: (column) => `${column}::float8`,
  numbers: (column) => `${column}::float8[]`,
  time: (column) => `${column}::float8`,
  timestamp: (column) => `(extract(epoch from ${column}) * 1000)::float8`,
  json: (column) => column,
  jsonBytes: (column) => column,
  bytes: (column) => column
}

const decoder = new TextDecoder()

/** Parses a stored JSON text. Returns a text that is not JSON unchanged. */
const parseJson = (text: string): Schema.Json => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const toJson = (value: unknown, type: ColumnType): Schema.Json => {
  if (value === null) return null
  if (value instanceof Uint8Array) {
    return type === "jsonBytes" ? parseJson(decoder.decode(value)) : Buffer.from(value).toString("base64")
  }
  if (type === "json" && typeof value === "string") return parseJson(value)
  if (type === "time" || type === "timestamp") return toIsoTime(Number(value))
  // Values of the remaining types are numbers, booleans, texts, and lists of them.
  return value as Schema.Json
}

/** Returns a time in ISO 8601, or the number itself if the time exceeds the range of dates. */
const toIsoTime = (time: number): Schema.Json => Math.abs(time) <= 8.64e15 ? new Date(time).toISOString() : time

/** A table that exports contain. */
type ExportedTable = AccountTable & { readonly columns: Readonly<Record<string, ColumnType>> }

export const exportedTables: ReadonlyArray<ExportedTable> = accountTables.flatMap((table) =>
  table.columns === null ? [] : [{ ...table, columns: table.columns }]
)

export const exportKinds = exportedTables.map(({ kind }) => kind)

const columnsFor = (table: ExportedTable, reader: ExportReader) =>
  Object.entries(table.columns).filter(([name]) =>
    reader === "operator" || table.operatorColumns?.includes(name) !== true
  )

/**
 * Returns SQL that selects a page of the table's rows. `$1` is the account and `$2` the limit; further parameters are
 * the key of the last row.
 */
export const pageSql = (table: ExportedTable, reader: ExportReader, hasStart: boolean): string => {
  const key = Object.entries(table.key)
  const columns = columnsFor(table, reader).map(([name, type]) => `${selectSql[type](`"${name}"`)} as "${name}"`)
  const position = key.map(([name], i) => `"${name}"::text as k${i}`)
  const after = hasStart
    ? `and (${key.map(([name]) => `"${name}"`).join(", ")}) > (${
      key.map(([, type], i) => `$${i + 3}::${type}`).join(", ")
    })`
    : ""
  const own = reader === "owner" && table.ownerRows !== undefined ? `and ${table.ownerRows}` : ""
  // Without the alias `t`, PostgreSQL would sort by the converted result columns, and could not use the index.
  const order = key.length === 0 ? "" : `order by ${key.map(([name]) => `t."${name}"`).join(", ")}`
  return `select ${[...columns, ...position].join(", ")} from ${table.table} t
    where "${table.account}" = $1::bigint ${after} ${own} ${order} limit $2::bigint`
}

const parsePosition = (after: string | null): ReadonlyArray<string> => after === null ? [] : JSON.parse(after)

/** Reads a page of an account's rows of one kind, in one statement. */
export const readExportPage = (
  run: BackgroundPool["run"],
  { account, after, kind, reader }: {
    readonly account: number
    readonly after: string | null
    readonly kind: string
    readonly reader: ExportReader
  }
): Effect.Effect<ExportPage, SqlError> => {
  const table = exportedTables.find((table) => table.kind === kind)
  if (table === undefined) throw new Error(`No table has the kind ${kind}`)
  const columns = columnsFor(table, reader)
  const keyLength = Object.keys(table.key).length
  const parameters = [String(account), String(table.pageSize), ...parsePosition(after)]
  return Effect.map(
    run((sql) => sql.unsafe<Readonly<Record<string, unknown>>>(pageSql(table, reader, after !== null), parameters)),
    (rows) => {
      const last = rows.at(-1)
      return {
        rows: rows.map((row): ExportedRow =>
          Object.fromEntries(columns.map(([name, type]) => [name, toJson(row[name], type)]))
        ),
        next: last === undefined || rows.length < table.pageSize || keyLength === 0
          ? null
          : JSON.stringify(Array.from({ length: keyLength }, (_, i) => last[`k${i}`]))
      }
    }
  )
}

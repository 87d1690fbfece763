/**
 * The representation of a column in an export. `time` is in epoch ms, `json` is a text with JSON, and `jsonBytes` are
 * UTF-8 bytes of JSON.
 */
export type ColumnType =
  | "value"
  | "number"
  | "numbers"
  | "time"
  | "timestamp"
  | "json"
  | "jsonBytes"
  | "bytes"

/**
 * How an erasure treats the rows of a table. `set` is the SQL of the assignments. `where` is the SQL condition for rows
 * with personal data.
 */
type Erasure =
  | { readonly action: "delete" }
  | { readonly action: "redact"; readonly set: string; readonly where: string; readonly reason: string }
  | { readonly action: "keep"; readonly reason: string }

export interface AccountTable {
  readonly table: string
  /** The name of a row of the table in exports and reports. */
  readonly kind: string
  /** The column with the account's id; null if rows belong to an account through another table. */
  readonly account: "account" | "id" | null
  /** The columns that, with the account, identify a row and order an export, with their types. */
  readonly key: Readonly<Record<string, "bigint" | "integer" | "text">>
  /** The exported columns; null if no export contains the table. */
  readonly columns: Readonly<Record<string, ColumnType>> | null
  /** The columns that no export contains, with the reason. */
  readonly omitted?: Readonly<Record<string, string>>
  /** The columns that only the operator's export contains. */
  readonly operatorColumns?: ReadonlyArray<string>
  /** SQL that selects the rows of the user's own export; all rows if omitted. */
  readonly ownerRows?: string
  /** The maximum number of rows in a page of an export and in a batch of an erasure. */
  readonly pageSize: number
  readonly erasure: Erasure
}

/** Creates the entry of a table whose rows an erasure deletes, unless `rest` states another treatment. */
export const defineTable = (
  name: string,
  kind: string,
  key: AccountTable["key"],
  columns: AccountTable["columns"],
  rest: Partial<AccountTable> = {}
): AccountTable => ({
  table: name,
  kind,
  account: "account",
  key,
  columns,
  pageSize: 200,
  erasure: { action: "delete" },
  ...rest
})

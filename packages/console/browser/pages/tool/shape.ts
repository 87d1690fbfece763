/** How a tool's result is best looked at: what it says once, what it lists, and what is neither. */

export type Scalar = string | number | boolean | null
export type Row = Readonly<Record<string, unknown>>

export interface Table {
  /** Where it stands: `candles`, `days.rows`. */
  readonly path: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  /** The column that says when, where there is one, and the columns of numbers: what can be plotted. */
  readonly time: string | undefined
  readonly numbers: ReadonlyArray<string>
}

export interface Shape {
  readonly facts: ReadonlyArray<{ readonly path: string; readonly value: Scalar }>
  readonly tables: ReadonlyArray<Table>
  /** What is shown as a tree. */
  readonly rest: ReadonlyArray<{ readonly path: string; readonly value: unknown }>
}

/** The greatest depth of objects within objects that is laid out flat. */
const deepest = 3

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value)

export const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== "object"

/** An instant or a day, as every tool writes them. */
export const isInstant = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(value)

/** The objects of a row as columns: `{ spec: { metric } }` as `spec.metric`. Lists of scalars are one text. */
const flat = (row: Row, before: ReadonlyArray<string> = []): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      const path = [...before, name]
      const at = path.join(".")
      if (Array.isArray(value)) return [[at, value.every(isScalar) ? value.join(", ") : value]]
      if (!isObject(value) || path.length >= deepest) return [[at, value]]
      return Object.entries(flat(value, path))
    })
  )

const tableOf = (path: string, nested: ReadonlyArray<Row>): Table => {
  const rows = nested.map((row) => flat(row))
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const all = (column: string, is: (value: unknown) => boolean) =>
    rows.every((row) => row[column] === undefined || row[column] === null || is(row[column])) &&
    rows.some((row) => is(row[column]))
  // A date within an object, such as the expiry of an option, is not the time of the row.
  const time = columns.find((column) => !column.includes(".") && all(column, isInstant))
  return {
    path,
    columns,
    rows,
    time,
    numbers: columns.filter((column) => all(column, (value) => typeof value === "number"))
  }
}

export const shapeOf = (data: unknown): Shape => {
  const facts: Array<Shape["facts"][number]> = []
  const tables: Array<Table> = []
  const rest: Array<Shape["rest"][number]> = []
  const look = (value: unknown, path: ReadonlyArray<string>): void => {
    const at = path.join(".")
    if (isScalar(value)) return void facts.push({ path: at, value })
    if (Array.isArray(value)) {
      const items: ReadonlyArray<unknown> = value
      if (items.length === 0) return
      if (items.every(isScalar)) return void facts.push({ path: at, value: items.join(", ") })
      return void (items.every(isObject) ? tables.push(tableOf(at, items)) : rest.push({ path: at, value }))
    }
    if (path.length >= deepest) return void rest.push({ path: at, value })
    for (const [name, one] of Object.entries(value ?? {})) look(one, [...path, name])
  }
  look(data, [])
  return { facts, tables, rest }
}

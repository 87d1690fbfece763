/** Divides a tool's result into single facts, tables and trees for display. */

export type Scalar = string | number | boolean | null
export type Row = Readonly<Record<string, unknown>>

export interface Table {
  /** The path of the table's list in the tool result, such as `candles` or `days.rows`. */
  readonly path: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  readonly numbers: ReadonlyArray<string>
  /** The column with the times of the rows, if the rows are a time series. */
  readonly timeColumn: string | undefined
  readonly plotColumns: ReadonlyArray<string>
}

export interface ResultShape {
  readonly facts: ReadonlyArray<{ readonly path: string; readonly value: Scalar }>
  readonly tables: ReadonlyArray<Table>
  readonly trees: ReadonlyArray<{ readonly path: string; readonly value: unknown }>
}

/** The maximum depth of nested objects whose fields become separate facts or columns. */
const maxFlatDepth = 3

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value)

export const isScalar = (value: unknown): value is Scalar => value === null || typeof value !== "object"

export const isInstant = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z)?$/.test(value)

/**
 * Flattens the nested objects of a row to columns. For example, `{ spec: { metric } }` becomes the column
 * `spec.metric`.
 */
const flatten = (row: Row, parentPath: ReadonlyArray<string> = []): Row =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]): ReadonlyArray<readonly [string, unknown]> => {
      const path = [...parentPath, name]
      const at = path.join(".")
      if (Array.isArray(value)) return [[at, value.every(isScalar) ? value.join(", ") : value]]
      if (!isObject(value) || path.length >= maxFlatDepth) return [[at, value]]
      return Object.entries(flatten(value, path))
    })
  )

/**
 * The names of columns that can be the time axis of a plot. Other columns of times, such as the listing time of a coin,
 * cannot be the time axis.
 */
const timeColumnNames = new Set(["time", "date", "day", "expiry"])

/** The maximum number of distinct texts in a column of grades, whose texts rate the rows instead of naming them. */
const maxGrades = 8

const isText = (value: unknown): value is string => typeof value === "string" && !isInstant(value)

/** Returns whether texts are in time order, such as the quarters 2025Q3 and 2025Q4. */
const isOrdered = (texts: ReadonlyArray<string>): boolean =>
  texts.every((text, i) => /\d/.test(text) && (i === 0 || texts[i - 1]! < text))

/**
 * Returns whether a column contains the names of a table's rows. The rows of a table with names are different items,
 * not a time series. In a column of names, every row has a text, and most of the texts differ.
 */
const isIdentityColumn = (rows: ReadonlyArray<Row>, column: string): boolean => {
  const texts = rows.map((row) => row[column]).filter(isText)
  const isRepeated = new Set(texts).size <= Math.max(2, Math.min(maxGrades, rows.length / 2))
  return texts.length === rows.length && !isRepeated && !isOrdered(texts)
}

const dayMs = 86_400_000
const units = [1, 1 / 24].flatMap((days) => [days, -days]).map((days) => days * dayMs)

/** Matches names of columns that can count days or hours: `days`, `days_until`, `hours_since`. */
const countColumnName = /(?:^|[._])(?:days|hours)(?:$|_)|_since$/

/** Returns whether values count days or hours, like the days until an expiry. */
const isTimeCount = (points: ReadonlyArray<{ readonly at: number; readonly value: number }>): boolean =>
  units.some((unit) => {
    // If the values count days or hours, the difference between the time in the same unit and the value is constant.
    const offsets = points.map(({ at, value }) => at / unit - value)
    return Math.max(...offsets) - Math.min(...offsets) < 0.05
  })

export const pointsOf = (rows: ReadonlyArray<Row>, time: string, column: string) =>
  rows.flatMap((row) => {
    const [at, value] = [row[time], row[column]]
    return typeof at === "string" && typeof value === "number" ? [{ at: Date.parse(at), value }] : []
  }).sort((a, b) => a.at - b.at)

/** The minimum number of points in a plot. With fewer points, a plot would show no more than the table. */
const minPoints = 3

const findPlot = (
  rows: ReadonlyArray<Row>,
  columns: ReadonlyArray<string>,
  numbers: ReadonlyArray<string>
): Pick<Table, "timeColumn" | "plotColumns"> => {
  const noPlot = { timeColumn: undefined, plotColumns: [] }
  const timeColumn = columns.find((column) =>
    timeColumnNames.has(column) && rows.every((row) => isInstant(row[column]))
  )
  if (timeColumn === undefined) return noPlot
  const sorted = rows.toSorted((a, b) => String(a[timeColumn]).localeCompare(String(b[timeColumn])))
  if (new Set(sorted.map((row) => row[timeColumn])).size < rows.length) return noPlot
  if (columns.some((column) => isIdentityColumn(sorted, column))) return noPlot
  const plotColumns = numbers.filter((column) => {
    const points = pointsOf(rows, timeColumn, column)
    return points.length >= minPoints && !(countColumnName.test(column) && isTimeCount(points))
  })
  return { timeColumn, plotColumns }
}

const toTable = (path: string, nested: ReadonlyArray<Row>): Table => {
  const rows = nested.map((row) => flatten(row))
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const numbers = columns.filter((column) => {
    const values = rows.map((row) => row[column]).filter((value) => value !== undefined && value !== null)
    return values.length > 0 && values.every((value) => typeof value === "number")
  })
  return { path, columns, rows, numbers, ...findPlot(rows, columns, numbers) }
}

export const toResultShape = (data: unknown): ResultShape => {
  const facts: Array<ResultShape["facts"][number]> = []
  const tables: Array<Table> = []
  const trees: Array<ResultShape["trees"][number]> = []
  const visit = (value: unknown, path: ReadonlyArray<string>): void => {
    const at = path.join(".")
    if (isScalar(value)) return void facts.push({ path: at, value })
    if (Array.isArray(value)) {
      const items: ReadonlyArray<unknown> = value
      if (items.length === 0) return
      if (items.every(isScalar)) return void facts.push({ path: at, value: items.join(", ") })
      return void (items.every(isObject) ? tables.push(toTable(at, items)) : trees.push({ path: at, value }))
    }
    if (path.length >= maxFlatDepth) return void trees.push({ path: at, value })
    for (const [name, one] of Object.entries(value ?? {})) visit(one, [...path, name])
  }
  visit(data, [])
  return { facts, tables, trees }
}

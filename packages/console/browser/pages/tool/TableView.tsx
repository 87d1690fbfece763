import { useMemo, useState } from "react"
import { Chips } from "../../widgets/Chips.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { LinePlot } from "../../widgets/LinePlot.tsx"
import { type Numbers, useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { isInstant, isScalar, pointsOf, type Row, type Table } from "./shape.ts"
import styles from "./ToolPage.module.css"
import { Tree } from "./Tree.tsx"
import { Value } from "./Value.tsx"
import { toolWords } from "./words.ts"

/** The column that is plotted first. */
const firstOf = (numbers: ReadonlyArray<string>): string | undefined =>
  ["close", "score", "price", "value", "equity"].find((name) => numbers.includes(name)) ?? numbers[0]

const Plotted = ({ table: { plotted, rows }, time }: { readonly table: Table; readonly time: string }) => {
  const says = useWords(toolWords)
  const [column, setColumn] = useState(() => firstOf(plotted)!)
  const points = useMemo(() => pointsOf(rows, time, column), [rows, time, column])
  return (
    <div className={styles["plotted"]}>
      {plotted.length > 1 && (
        <Chips
          label={says.plot}
          chosen={column}
          onChange={setColumn}
          options={plotted.map((value) => ({ value, label: value }))}
        />
      )}
      <LinePlot label={time === "expiry" ? says.plotByExpiry(column) : says.plotOf(column)} points={points} />
    </div>
  )
}

const orderOf = (name: string) => (row: Row): number | string | null => {
  const value = row[name]
  return typeof value === "number" || typeof value === "string" ? value : null
}

const rowId = (_: Row, index: number): number => index

/** The maximum length of texts in narrow columns. Columns with longer texts are wide. */
const shortText = 24

/** A value in a table. An object or a list is folded: only its name and size are visible. */
export const Cell = ({ name, numbers, value }: {
  readonly name: string
  readonly value: unknown
  readonly numbers: Numbers
}) => {
  if (value !== undefined && !isScalar(value)) {
    return (
      <div className={styles["nested"]}>
        <Tree name={name.split(".").at(-1) ?? name} value={value} isOpen={false} />
      </div>
    )
  }
  const text = <Value name={name} value={value} numbers={numbers} />
  const isLong = typeof value === "string" && value.length > shortText && !isInstant(value)
  return <div className={isLong ? styles["text"] : styles["short"]}>{text}</div>
}

/** A list of a result as a table, with a plot above it if its rows are one thing over time. */
export const TableView = ({ table }: { readonly table: Table }) => {
  const says = useWords(toolWords)
  const numbers = useNumbers()
  const columns = useMemo(() =>
    table.columns.map((name): DataColumn<Row> => ({
      id: name,
      title: name,
      isNumber: table.numbers.includes(name),
      order: orderOf(name),
      cell: (row) => <Cell name={name} value={row[name]} numbers={numbers} />
    })), [table, numbers])
  return (
    <section className={styles["table"]}>
      <h3>
        {table.path} <span className={styles["soft"]}>{says.rows(numbers.whole(table.rows.length))}</span>
      </h3>
      {table.time !== undefined && table.plotted.length > 0 && <Plotted table={table} time={table.time} />}
      <div className={styles["framed"]}>
        <DataTable label={table.path} rows={table.rows} columns={columns} rowId={rowId} />
      </div>
    </section>
  )
}

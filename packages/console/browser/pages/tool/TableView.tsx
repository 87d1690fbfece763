import { useMemo, useState } from "react"
import { type Numbers, useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Chips } from "../../widgets/Chips.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { LinePlot } from "../../widgets/LinePlot.tsx"
import { isInstant, isScalar, pointsOf, type Row, type Table } from "./resultShape.ts"
import { toolTexts } from "./texts.ts"
import styles from "./ToolPage.module.css"
import { Tree } from "./Tree.tsx"
import { Value } from "./Value.tsx"

const initialColumn = (numbers: ReadonlyArray<string>): string | undefined =>
  ["close", "score", "price", "value", "equity"].find((name) => numbers.includes(name)) ?? numbers[0]

const TablePlot = ({ table: { plotColumns, rows }, time }: { readonly table: Table; readonly time: string }) => {
  const texts = useTexts(toolTexts)
  const [column, setColumn] = useState(() => initialColumn(plotColumns)!)
  const points = useMemo(() => pointsOf(rows, time, column), [rows, time, column])
  return (
    <div className="column gap-2">
      {plotColumns.length > 1 && (
        <Chips
          label={texts.plot}
          selected={column}
          onChange={setColumn}
          options={plotColumns.map((value) => ({ value, label: value }))}
        />
      )}
      <LinePlot label={time === "expiry" ? texts.plotByExpiry(column) : texts.plotOf(column)} points={points} />
    </div>
  )
}

const sortKeyOf = (name: string) => (row: Row): number | string | null => {
  const value = row[name]
  return typeof value === "number" || typeof value === "string" ? value : null
}

const rowId = (_: Row, index: number): number => index

const maxShortText = 24

/** A table cell of a tool's result. Shows a single value, or the name and size of a nested object or list. */
export const TableCell = ({ name, numbers, value }: {
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
  const isLong = typeof value === "string" && value.length > maxShortText && !isInstant(value)
  return <div className={isLong ? styles["text"] : "nowrap"}>{text}</div>
}

/** Shows a list in a tool's result as a table, below a plot if the rows are a time series. */
export const TableView = ({ table }: { readonly table: Table }) => {
  const texts = useTexts(toolTexts)
  const numbers = useNumbers()
  const columns = useMemo(() =>
    table.columns.map((name): DataColumn<Row> => ({
      id: name,
      title: name,
      isNumber: table.numbers.includes(name),
      order: sortKeyOf(name),
      cell: (row) => <TableCell name={name} value={row[name]} numbers={numbers} />
    })), [table, numbers])
  return (
    <section className="column gap-3">
      <h3>
        {table.path} <span className={styles["soft"]}>{texts.rows(numbers.integer(table.rows.length))}</span>
      </h3>
      {table.timeColumn !== undefined && table.plotColumns.length > 0 && (
        <TablePlot table={table} time={table.timeColumn} />
      )}
      <div className={styles["framed"]}>
        <DataTable label={table.path} rows={table.rows} columns={columns} rowId={rowId} />
      </div>
    </section>
  )
}

import { ChevronDown, ChevronUp } from "lucide-react"
import { type ReactNode, useMemo, useState } from "react"
import { Cell, Column, Row, Table, TableBody, TableHeader } from "react-aria-components"
import { useNumbers } from "../words/numbers.ts"
import { useWords } from "../words/words.ts"
import { Button } from "./Button.tsx"
import styles from "./DataTable.module.css"
import { widgetWords } from "./words.ts"

export interface DataColumn<A> {
  readonly id: string
  readonly title: string
  readonly cell: (row: A) => ReactNode
  /** What the rows can be ordered by; a column without it orders nothing. Nulls come last. */
  readonly order?: ((row: A) => number | string | null) | undefined
  /** Numbers stand to the right. */
  readonly isNumber?: boolean | undefined
  /** What a narrow screen does without. */
  readonly isMinor?: boolean | undefined
  /** Names the row. */
  readonly isHead?: boolean | undefined
}

interface Order {
  readonly column: string
  readonly direction: "ascending" | "descending"
}

const compare = (a: number | string | null, b: number | string | null): number => {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))
}

/** The rows in an order, those without a value at its end either way. */
export const ordered = <A extends object>(
  rows: ReadonlyArray<A>,
  of: (row: A) => number | string | null,
  direction: Order["direction"]
): ReadonlyArray<A> => {
  const sign = direction === "ascending" ? 1 : -1
  return rows.toSorted((a, b) => {
    const [x, y] = [of(a), of(b)]
    return x === null || y === null ? compare(x, y) : sign * compare(x, y)
  })
}

/** So many rows more are drawn at a time: a browser is slow with thousands. */
const step = 100

const Title = ({ allowsSorting, children, sortDirection }: {
  readonly children: string
  readonly allowsSorting: boolean
  readonly sortDirection?: Order["direction"] | undefined
}) => (
  <span className={styles["titled"]}>
    {children}
    {allowsSorting && (
      <span className={styles["arrow"]} aria-hidden>
        {sortDirection === "ascending" ? <ChevronUp /> : sortDirection === "descending" && <ChevronDown />}
      </span>
    )}
  </span>
)

/** Rows under titles by which they can be ordered; a row may lead somewhere. */
export const DataTable = <A extends object>({ columns, empty, href, label, rowId, rows }: {
  readonly label: string
  readonly rows: ReadonlyArray<A>
  readonly columns: ReadonlyArray<DataColumn<A>>
  readonly rowId: (row: A, index: number) => string | number
  readonly href?: ((row: A) => string) | undefined
  readonly empty?: ReactNode
}) => {
  const says = useWords(widgetWords)
  const { whole } = useNumbers()
  const [order, setOrder] = useState<Order>()
  const [shown, setShown] = useState(step)
  const sorted = useMemo(() => {
    const numbered = rows.map((row, index) => ({ row, id: rowId(row, index) }))
    const by = columns.find(({ id }) => id === order?.column)?.order
    return by === undefined || order === undefined ? numbered : ordered(numbered, ({ row }) => by(row), order.direction)
  }, [rows, rowId, columns, order])
  const look = ({ isMinor = false, isNumber = false }: DataColumn<A>): string =>
    `${isNumber ? styles["number"] : ""} ${isMinor ? styles["minor"] : ""}`
  const head = columns.find(({ isHead }) => isHead === true)?.id ?? columns[0]?.id
  return (
    <div className={styles["frame"]}>
      <Table
        aria-label={label}
        className={styles["table"]!}
        {...(order === undefined ? {} : { sortDescriptor: order })}
        onSortChange={({ column, direction }) => setOrder({ column: String(column), direction })}
      >
        <TableHeader>
          {columns.map((column) => (
            <Column
              key={column.id}
              id={column.id}
              allowsSorting={column.order !== undefined}
              isRowHeader={column.id === head}
              className={`${styles["title"]} ${look(column)}`}
            >
              {(state) => <Title {...state}>{column.title}</Title>}
            </Column>
          ))}
        </TableHeader>
        <TableBody renderEmptyState={() => empty}>
          {sorted.slice(0, shown).map(({ id, row }) => (
            <Row
              key={id}
              id={id}
              className={`${styles["row"]} ${href === undefined ? "" : styles["leads"]}`}
              {...(href === undefined ? {} : { href: href(row) })}
            >
              {columns.map((column) => (
                <Cell key={column.id} className={`${styles["cell"]} ${look(column)}`}>{column.cell(row)}</Cell>
              ))}
            </Row>
          ))}
        </TableBody>
      </Table>
      {sorted.length > shown && (
        <div className={styles["more"]}>
          <span>{says.rows(whole(shown), whole(sorted.length))}</span>
          <Button look="quiet" onPress={() => setShown(shown + 5 * step)}>{says.more}</Button>
        </div>
      )}
    </div>
  )
}

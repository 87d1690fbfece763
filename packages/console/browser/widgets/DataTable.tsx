import { ChevronDown, ChevronUp } from "lucide-react"
import { type ReactNode, useMemo, useState } from "react"
import {
  Cell,
  Column,
  ResizableTableContainer,
  Row,
  Table,
  TableBody,
  TableHeader,
  TableLayout,
  Virtualizer
} from "react-aria-components"
import styles from "./DataTable.module.css"
import { HorizontalScroll, horizontalScrollClass, useScrollRegion } from "./HorizontalScroll.tsx"
import { useIsNarrow } from "./useIsNarrow.ts"

export interface DataColumn<A> {
  readonly id: string
  readonly title: string
  readonly cell: (row: A) => ReactNode
  /** Returns the sort key of a row, or null for rows that come last; undefined for a column that cannot be sorted. */
  readonly order?: ((row: A) => number | string | null) | undefined
  readonly isNumber?: boolean | undefined
  readonly isMinor?: boolean | undefined
  /** If true, screen readers announce this column's cell as the name of the row. */
  readonly isHead?: boolean | undefined
}

/** Returns a sortable column of numbers, with a dash for a missing number. */
export const numberColumn = <A extends object>(
  id: string,
  title: string,
  valueOf: (row: A) => number | null,
  format: (value: number, row: A) => ReactNode,
  options: Pick<DataColumn<A>, "isMinor"> = {}
): DataColumn<A> => ({
  ...options,
  id,
  title,
  isNumber: true,
  order: valueOf,
  cell: (row) => {
    const value = valueOf(row)
    return value === null ? <span className="faint">–</span> : format(value, row)
  }
})

export const actionsColumn = <A extends object>(title: string, cell: (row: A) => ReactNode): DataColumn<A> => ({
  id: "actions",
  title,
  isNumber: true,
  cell: (row) => <span className={styles["actions"]}>{cell(row)}</span>
})

interface SortOrder {
  readonly column: string
  readonly direction: "ascending" | "descending"
}

const compare = (a: number | string | null, b: number | string | null): number => {
  if (a === null || b === null) return (a === null ? 1 : 0) - (b === null ? 1 : 0)
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b))
}

/** Returns the sorted rows, with rows without a sort key last in both directions. */
export const sortRows = <A extends object>(
  rows: ReadonlyArray<A>,
  sortKeyOf: (row: A) => number | string | null,
  direction: SortOrder["direction"]
): ReadonlyArray<A> => {
  const sign = direction === "ascending" ? 1 : -1
  return rows.toSorted((a, b) => {
    const [x, y] = [sortKeyOf(a), sortKeyOf(b)]
    return x === null || y === null ? compare(x, y) : sign * compare(x, y)
  })
}

/** The maximum number of rows in a table that renders all rows instead of only the visible rows. */
const maxRenderedRows = 100

const Title = ({ allowsSorting, children, sortDirection }: {
  readonly children: string
  readonly allowsSorting: boolean
  readonly sortDirection?: SortOrder["direction"] | undefined
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

interface TableRow<A> {
  readonly row: A
  readonly id: string | number
}

/**
 * Returns column widths in px for a table that renders only visible rows, estimated from the lengths of the sort keys.
 */
const estimateWidths = <A extends object>(
  columns: ReadonlyArray<DataColumn<A>>,
  rows: ReadonlyArray<TableRow<A>>
): ReadonlyMap<string, number> => {
  const sample = rows.slice(0, maxRenderedRows)
  return new Map(columns.map(({ id, isNumber = false, order, title }) => {
    const longest = sample.map(({ row }) => String(order?.(row) ?? "").length).reduce((a, b) => Math.max(a, b), 0)
    const characters = Math.max(title.length + 2, isNumber ? Math.min(longest, 10) : longest)
    return [id, Math.min(320, Math.max(80, Math.round(characters * 7.6) + 24))]
  }))
}

interface RowsProps<A> {
  readonly label: string
  readonly columns: ReadonlyArray<DataColumn<A>>
  readonly rows: ReadonlyArray<TableRow<A>>
  readonly order: SortOrder | undefined
  readonly onOrder: (order: SortOrder) => void
  readonly href: ((row: A) => string) | undefined
  readonly empty: ReactNode
  readonly widths?: ReadonlyMap<string, number>
}

const Rows = <A extends object>({ columns, empty, href, label, onOrder, order, rows, widths }: RowsProps<A>) => {
  const cellClass = ({ isMinor = false, isNumber = false }: DataColumn<A>): string =>
    `${isNumber ? styles["number"] : ""} ${isMinor ? "wide-only" : ""}`
  const rowHeaderId = columns.find(({ isHead }) => isHead === true)?.id ?? columns[0]?.id
  return (
    <Table
      aria-label={label}
      className={`${styles["table"]} ${widths === undefined ? "" : styles["virtual"]}`}
      {...(order === undefined ? {} : { sortDescriptor: order })}
      onSortChange={({ column, direction }) => onOrder({ column: String(column), direction })}
    >
      <TableHeader>
        {columns.map((column) => (
          <Column
            key={column.id}
            id={column.id}
            allowsSorting={column.order !== undefined}
            isRowHeader={column.id === rowHeaderId}
            className={`${styles["title"]} ${cellClass(column)}`}
            {...(widths === undefined ? {} : {
              minWidth: widths.get(column.id) ?? null,
              defaultWidth: `${widths.get(column.id) ?? 1}fr`
            })}
          >
            {(state) => <Title {...state}>{column.title}</Title>}
          </Column>
        ))}
      </TableHeader>
      <TableBody items={rows} dependencies={[columns]} renderEmptyState={() => empty}>
        {({ id, row }) => (
          <Row
            id={id}
            className={`${styles["row"]} ${href === undefined ? "" : styles["leads"]}`}
            {...(href === undefined ? {} : { href: href(row) })}
          >
            {columns.map((column) => (
              <Cell key={column.id} className={`${styles["cell"]} ${cellClass(column)}`}>{column.cell(row)}</Cell>
            ))}
          </Row>
        )}
      </TableBody>
    </Table>
  )
}

/** A table for many rows that renders only the visible rows, with a separate scrollbar and keyboard navigation. */
const VirtualRows = <A extends object>(props: RowsProps<A>) => {
  const isNarrow = useIsNarrow()
  const columns = useMemo(
    () => props.columns.filter(({ isMinor = false }) => !isNarrow || !isMinor),
    [props.columns, isNarrow]
  )
  const widths = useMemo(() => estimateWidths(columns, props.rows), [columns, props.rows])
  const region = useScrollRegion(props.label)
  return (
    <ResizableTableContainer
      className={`${styles["many"]} ${horizontalScrollClass}`}
      render={(container) => <div {...container} {...region} />}
    >
      <Virtualizer layout={TableLayout} layoutOptions={{ headingHeight: 32, estimatedRowHeight: 32 }}>
        <Rows {...props} columns={columns} widths={widths} />
      </Virtualizer>
    </ResizableTableContainer>
  )
}

/** A table with sortable columns, whose rows are links if `href` is given. */
export const DataTable = <A extends object>({ columns, empty, href, label, rowId, rows }: {
  readonly label: string
  readonly rows: ReadonlyArray<A>
  readonly columns: ReadonlyArray<DataColumn<A>>
  readonly rowId: (row: A, index: number) => string | number
  readonly href?: ((row: A) => string) | undefined
  readonly empty?: ReactNode
}) => {
  const [sortOrder, setSortOrder] = useState<SortOrder>()
  const sorted = useMemo(() => {
    const identifiedRows = rows.map((row, index) => ({ row, id: rowId(row, index) }))
    const sortKey = columns.find(({ id }) => id === sortOrder?.column)?.order
    return sortKey === undefined || sortOrder === undefined
      ? identifiedRows
      : sortRows(identifiedRows, ({ row }) => sortKey(row), sortOrder.direction)
  }, [rows, rowId, columns, sortOrder])
  const tableProps = { label, columns, rows: sorted, order: sortOrder, onOrder: setSortOrder, href, empty }
  if (sorted.length > maxRenderedRows) return <VirtualRows {...tableProps} />
  return (
    <HorizontalScroll label={label}>
      <Rows {...tableProps} />
    </HorizontalScroll>
  )
}

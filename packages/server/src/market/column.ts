/** A column of numbers out of rows; NaN is null. */
export const column = <Row>(rows: ReadonlyArray<Row>, of: (row: Row) => number | null): Float64Array =>
  Float64Array.from(rows, (row) => of(row) ?? NaN)

/** What a column's number was. */
export const known = (x: number | undefined): number | null => x === undefined || Number.isNaN(x) ? null : x

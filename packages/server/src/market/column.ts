/** Returns one number of each row as a column. Null becomes NaN. */
export const column = <Row>(rows: ReadonlyArray<Row>, of: (row: Row) => number | null): Float64Array =>
  Float64Array.from(rows, (row) => of(row) ?? NaN)

/** Returns a number of a column. NaN and undefined become null. */
export const known = (x: number | undefined): number | null => x === undefined || Number.isNaN(x) ? null : x

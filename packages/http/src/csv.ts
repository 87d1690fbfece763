type Cell = string | number | boolean | null

/**
 * Returns the text of a cell (RFC 4180). Spreadsheets run a cell that begins with `=`, `+`, `-`, `@`, a tab or a
 * carriage return as a formula. An apostrophe in front of the text prevents the execution.
 */
const csvCell = (cell: Cell): string => {
  if (typeof cell !== "string") return cell === null ? "" : String(cell)
  const isFormula = /^[=+\-@\t\r]/u.test(cell)
  return isFormula || /[",\r\n]/u.test(cell) ? `"${isFormula ? "'" : ""}${cell.replaceAll("\"", "\"\"")}"` : cell
}

/** Returns a line of comma-separated values, with its line break. */
export const csvLine = (cells: ReadonlyArray<Cell>): string => `${cells.map(csvCell).join(",")}\r\n`

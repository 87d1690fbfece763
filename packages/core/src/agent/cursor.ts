const part = "(?:0|[1-9a-z][0-9a-z]{0,10})"
const form = new RegExp(`^${part}(?:\\.${part})*$`)

/** Whole numbers as the text of a cursor. */
export const writeCursor = (...numbers: ReadonlyArray<number>): string =>
  numbers.map((number) => number.toString(36)).join(".")

/** The numbers of a cursor; null for a text that is none of so many. */
export const readCursor = (cursor: string, count: number): ReadonlyArray<number> | null => {
  if (!form.test(cursor)) return null
  const numbers = cursor.split(".").map((text) => Number.parseInt(text, 36))
  return numbers.length === count && numbers.every(Number.isSafeInteger) ? numbers : null
}

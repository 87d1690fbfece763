const digits = "(?:0|[1-9a-z][0-9a-z]{0,10})"
const cursorPattern = new RegExp(`^${digits}(?:\\.${digits})*$`)

/** Encodes non-negative integers as the text of a cursor. */
export const encodeCursor = (...numbers: ReadonlyArray<number>): string =>
  numbers.map((number) => number.toString(36)).join(".")

/** Decodes the numbers of a cursor, or returns null unless the cursor contains exactly `count` numbers. */
export const decodeCursor = (cursor: string, count: number): ReadonlyArray<number> | null => {
  if (!cursorPattern.test(cursor)) return null
  const numbers = cursor.split(".").map((text) => Number.parseInt(text, 36))
  return numbers.length === count && numbers.every(Number.isSafeInteger) ? numbers : null
}

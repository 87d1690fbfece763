import { assert } from "@effect/vitest"

/** Whatever clocks say, numbers are the same; only what is over by them may differ. */
export const isTheSame = (told: unknown, right: unknown, byClock: "rows" | "time" | undefined, name: string): void => {
  const plain = (value: unknown): string =>
    JSON.stringify(value, (key, one: unknown) => key === "closed" || (key === "time" && byClock === "time") ? 0 : one)
  const expected = byClock === "rows" && Array.isArray(right) && Array.isArray(told)
    ? right.slice(0, told.length)
    : right
  assert.strictEqual(plain(told), plain(expected), name)
}

const rowsIn = (value: unknown): ReadonlyArray<unknown> | undefined =>
  Array.isArray(value) ? value : value instanceof Map ? [...value] : undefined

/**
 * The same, or, of a list that leaves odd records out, all but what came of the one record that was changed: never
 * another one. True where it is less.
 */
export const isLess = (told: unknown, right: unknown, leavesOut: boolean, name: string): boolean => {
  const [rows, all] = [rowsIn(told), rowsIn(right)]
  if (!leavesOut || rows === undefined || all === undefined || rows.length >= all.length) {
    assert.deepStrictEqual(told, right, name)
    return false
  }
  assert.isAtLeast(rows.length, all.length - 1, name)
  const known = new Set(all.map((row) => JSON.stringify(row)))
  for (const row of rows) assert.isTrue(known.has(JSON.stringify(row)), `${name}: ${JSON.stringify(row)}`)
  return true
}

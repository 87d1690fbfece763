import { assert } from "@effect/vitest"

/** Asserts that two values are equal, except for the parts that depend on the clock. */
export const assertEqualForAnyClock = (
  actual: unknown,
  expectedValue: unknown,
  byClock: "rows" | "time" | undefined,
  name: string
): void => {
  const toComparable = (value: unknown): string =>
    JSON.stringify(value, (key, one: unknown) => key === "closed" || (key === "time" && byClock === "time") ? 0 : one)
  const expected = byClock === "rows" && Array.isArray(expectedValue) && Array.isArray(actual)
    ? expectedValue.slice(0, actual.length)
    : expectedValue
  assert.strictEqual(toComparable(actual), toComparable(expected), name)
}

const rowsIn = (value: unknown): ReadonlyArray<unknown> | undefined =>
  Array.isArray(value) ? value : value instanceof Map ? [...value] : undefined

/**
 * Asserts that a value equals the expected value. With `isMissingOne`, a list may lack the changed record. Returns
 * true if a list lacks the record.
 */
export const assertEqualOrMissingOne = (
  actual: unknown,
  expectedValue: unknown,
  isMissingOne: boolean,
  name: string
): boolean => {
  const [rows, all] = [rowsIn(actual), rowsIn(expectedValue)]
  if (!isMissingOne || rows === undefined || all === undefined || rows.length >= all.length) {
    assert.deepStrictEqual(actual, expectedValue, name)
    return false
  }
  assert.isAtLeast(rows.length, all.length - 1, name)
  const known = new Set(all.map((row) => JSON.stringify(row)))
  for (const row of rows) assert.isTrue(known.has(JSON.stringify(row)), `${name}: ${JSON.stringify(row)}`)
  return true
}

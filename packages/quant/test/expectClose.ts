import { expect } from "vitest"

/**
 * Asserts that two series are nearly equal from index `from` on. A difference may be `tolerance` times the expected
 * value, or `tolerance` if the expected value is below 1.
 */
export function expectClose(
  label: string,
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
  from = 0
): void {
  const differences: Array<string> = []
  if (actual.length !== expected.length) differences.push(`${label}: lengths ${actual.length} and ${expected.length}`)
  for (let i = from; i < actual.length && differences.length < 3; i++) {
    const a = actual[i]!
    const b = expected[i]!
    if (Object.is(a, b)) continue
    if (!(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)))) {
      differences.push(`${label}[${i}]: got ${a}, wanted ${b}`)
    }
  }
  expect(differences).toEqual([])
}

export function expectNear(label: string, actual: number | null, expected: number | null, tolerance: number): void {
  expectClose(label, [actual ?? NaN], [expected ?? NaN], tolerance)
}

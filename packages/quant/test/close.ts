import { expect } from "vitest"

/**
 * Asserts that two series agree from `from` on, within `tolerance` of the larger of 1 and the expected value. The
 * message names the first difference.
 */
export function expectClose(
  label: string,
  got: ArrayLike<number>,
  wanted: ArrayLike<number>,
  tolerance: number,
  from = 0
): void {
  const differing: Array<string> = []
  if (got.length !== wanted.length) differing.push(`${label}: lengths ${got.length} and ${wanted.length}`)
  for (let i = from; i < got.length && differing.length < 3; i++) {
    const a = got[i]!
    const b = wanted[i]!
    if (Object.is(a, b)) continue
    if (!(Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(b)))) {
      differing.push(`${label}[${i}]: got ${a}, wanted ${b}`)
    }
  }
  expect(differing).toEqual([])
}

/** Asserts that two numbers agree within a tolerance relative to the larger of 1 and the expected number. */
export function expectNear(label: string, got: number | null, wanted: number | null, tolerance: number): void {
  expectClose(label, [got ?? NaN], [wanted ?? NaN], tolerance)
}

import { expect } from "vitest"

/**
 * Expects two series to agree from `from` on, within `tolerance` of the larger of 1 and the wanted value, and names the
 * first place where they do not.
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

/** Expects two numbers to agree within a tolerance relative to the larger of 1 and the wanted one. */
export function expectNear(label: string, got: number | null, wanted: number | null, tolerance: number): void {
  expectClose(label, [got ?? NaN], [wanted ?? NaN], tolerance)
}

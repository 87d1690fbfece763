import * as fc from "fast-check"

/** Whether tests run with their full number of cases (TAPELINE_TEST_FULL=1), or with a 25th of it. */
export const isFullRun = process.env["TAPELINE_TEST_FULL"] === "1"

export const seed = Number(process.env["TAPELINE_TEST_SEED"])

export const scaleRuns = (count: number): number => (isFullRun ? count : Math.max(20, Math.round(count / 25)))

/**
 * Runs a property with `count` tries in a full run, and fewer otherwise. Returns the reason and the counterexample if
 * the property fails, or undefined.
 */
export function findCounterexample<T>(count: number, property: fc.IProperty<T>): string | undefined {
  const outcome = fc.check(property, { seed, numRuns: scaleRuns(count) })
  return outcome.failed ? (fc.defaultReportMessage(outcome) ?? "failed") : undefined
}

/** Throws an error with the label unless the condition holds, for use inside a property. */
export function assertHolds(condition: boolean, label: () => string): void {
  if (!condition) throw new Error(label())
}

/** Throws an error unless two numbers agree within a tolerance relative to the larger of `scale` and `expected`. */
export function assertNear(label: string, actual: number, expected: number, tolerance: number, scale = 1): void {
  assertHolds(
    Object.is(actual, expected) || Math.abs(actual - expected) <= tolerance * Math.max(scale, Math.abs(expected)),
    () => `${label}: got ${actual}, wanted ${expected}`
  )
}

import * as fc from "fast-check"

/** Whether tests run at full counts: TAPELINE_TEST_FULL=1. Otherwise, they run a 25th of the full counts. */
export const isFullRun = process.env["TAPELINE_TEST_FULL"] === "1"

/** The seed of this run. The summary of the run prints it. */
export const seed = Number(process.env["TAPELINE_TEST_SEED"])

/** Scales a full count down for the usual run. */
export const scaleRuns = (count: number): number => (isFullRun ? count : Math.max(20, Math.round(count / 25)))

/**
 * Returns why a property fails, with the counterexample, or undefined if it holds. `count` is the number of tries at
 * full counts.
 */
export function findCounterexample<T>(count: number, property: fc.IProperty<T>): string | undefined {
  const outcome = fc.check(property, { seed, numRuns: scaleRuns(count) })
  return outcome.failed ? (fc.defaultReportMessage(outcome) ?? "failed") : undefined
}

/** Throws with the label unless the condition holds. For use inside a property. */
export function assertHolds(condition: boolean, label: () => string): void {
  if (!condition) throw new Error(label())
}

/** Throws unless two numbers agree within a tolerance relative to the larger of `scale` and `expected`. */
export function assertNear(label: string, actual: number, expected: number, tolerance: number, scale = 1): void {
  assertHolds(
    Object.is(actual, expected) || Math.abs(actual - expected) <= tolerance * Math.max(scale, Math.abs(expected)),
    () => `${label}: got ${actual}, wanted ${expected}`
  )
}

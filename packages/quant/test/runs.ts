import * as fc from "fast-check"

/** Whether tests run at full counts: TAPELINE_TEST_FULL=1. Otherwise, they run a 25th of the full counts. */
export const full = process.env["TAPELINE_TEST_FULL"] === "1"

/** The seed of this run. The summary of the run prints it. */
export const seed = Number(process.env["TAPELINE_TEST_SEED"])

/** Scales a full count down for the usual run. */
export const runs = (count: number): number => (full ? count : Math.max(20, Math.round(count / 25)))

/**
 * Returns why a property fails, with the counterexample, or undefined if it holds. `count` is the number of tries at
 * full counts.
 */
export function counterexample<T>(count: number, property: fc.IProperty<T>): string | undefined {
  const outcome = fc.check(property, { seed, numRuns: runs(count) })
  return outcome.failed ? (fc.defaultReportMessage(outcome) ?? "failed") : undefined
}

/** Throws with the label unless the condition holds. For use inside a property. */
export function must(condition: boolean, label: () => string): void {
  if (!condition) throw new Error(label())
}

/** Throws unless two numbers agree within a tolerance relative to the larger of `scale` and `wanted`. */
export function near(label: string, got: number, wanted: number, tolerance: number, scale = 1): void {
  must(
    Object.is(got, wanted) || Math.abs(got - wanted) <= tolerance * Math.max(scale, Math.abs(wanted)),
    () => `${label}: got ${got}, wanted ${wanted}`
  )
}

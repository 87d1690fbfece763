export const isFullRun = process.env["TAPELINE_TEST_FULL"] === "1"

/** Returns the full count, or a tenth in the usual run. */
export const scaleRuns = (count: number): number => isFullRun ? count : Math.max(1, Math.round(count / 10))

/** Returns fast-check's settings with a fixed seed, so that a failure repeats. */
export const makePropertyOptions = (count: number) => ({ numRuns: scaleRuns(count), seed: 20_260_101 })

/** Whether the suite runs at full counts (`npm run test:full`); otherwise it runs about a tenth of them. */
export const isFullRun = process.env["TAPELINE_TEST_FULL"] === "1"

/** A count of runs, cut to a tenth in the normal suite. */
export const scaleRuns = (count: number): number => isFullRun ? count : Math.max(1, Math.round(count / 10))

/** fast-check's settings: a fixed seed, so that a failure replays. */
export const makePropertyOptions = (count: number) => ({ numRuns: scaleRuns(count), seed: 20_260_101 })

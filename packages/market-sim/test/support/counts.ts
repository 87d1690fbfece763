import { isFullRun } from "@tapeline/testing/fullRun"
/** Returns the full count in the full run, and a tenth of the count in the usual run. */
export const scaleRuns = (count: number): number => isFullRun ? count : Math.max(1, Math.round(count / 10))

/** Returns fast-check's settings with a fixed seed, so that every failure can be reproduced. */
export const makePropertyOptions = (count: number) => ({ numRuns: scaleRuns(count), seed: 20_260_101 })

/**
 * The seed of the test run, a whole number below 2^31. The configuration of Vitest draws the seed, and the summary
 * prints the seed. Setting `TAPELINE_TEST_SEED` repeats a run.
 */
export const seed = Number(process.env["TAPELINE_TEST_SEED"])

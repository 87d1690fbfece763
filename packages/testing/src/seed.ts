/**
 * The seed of the test run, a whole number below 2^31, which `TAPELINE_TEST_SEED` sets to repeat a run. The
 * configuration of Vitest draws the seed, and the summary prints the seed.
 */
export const seed = Number(process.env["TAPELINE_TEST_SEED"])

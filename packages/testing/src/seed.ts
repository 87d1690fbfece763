/**
 * The seed of the test run, a whole number below 2^31. To repeat a run, set `TAPELINE_TEST_SEED` to the seed of that
 * run. By default, the configuration of Vitest chooses the seed. The summary of the test run shows the seed.
 */
export const seed = Number(process.env["TAPELINE_TEST_SEED"])

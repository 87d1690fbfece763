/**
 * The seed of this test run, a whole number below 2^31. Vitest's configuration draws it, and the summary prints it.
 * `TAPELINE_TEST_SEED` repeats a run.
 */
export const seed = Number(process.env["TAPELINE_TEST_SEED"])

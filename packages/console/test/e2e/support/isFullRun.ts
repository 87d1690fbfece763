/** True if `npm run test:full` runs. */
export const isFullRun = process.env["TAPELINE_TEST_FULL"] === "1"

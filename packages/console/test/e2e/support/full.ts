/** True if `npm run test:full` runs. */
export const full = process.env["TAPELINE_TEST_FULL"] === "1"

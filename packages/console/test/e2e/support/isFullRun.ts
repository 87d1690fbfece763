export const isFullRun = process.env["TAPELINE_TEST_FULL"] === "1"

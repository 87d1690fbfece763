/** Whether tests run completely (`TAPELINE_TEST_FULL=1`), or with fewer cases. */
export const isFullRun = process.env["TAPELINE_TEST_FULL"] === "1"

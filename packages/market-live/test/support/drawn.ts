/** Whether the suite runs at full counts (`npm run test:full`). */
export const full = process.env["TAPELINE_TEST_FULL"] === "1"

/**
 * Drawn for each run, and printed: which record of lists is changed, and which faults a request meets that does not
 * meet them all. `TEST_FAULT_SEED` replays a run.
 */
export const seed = Number(process.env["TEST_FAULT_SEED"] ?? Math.floor(Math.random() * 997))

/** One of several; neighbours draw others. */
export const drawnBy = <A>(nth: number, all: ReadonlyArray<A>): A => all[(seed + nth) % all.length]!

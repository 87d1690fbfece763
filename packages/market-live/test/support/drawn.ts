import { seed } from "@tapeline/testing/seed"

/** Whether the suite runs at full counts (`npm run test:full`). */
export const isFullRun = process.env["TAPELINE_TEST_FULL"] === "1"

/** Returns one of several values, where neighbouring numbers select different values. */
export const pickBySeed = <A>(nth: number, all: ReadonlyArray<A>): A => all[(seed + nth) % all.length]!

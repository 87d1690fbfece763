import fc from "fast-check"

/** Whether the full counts are wanted: TAPELINE_TEST_FULL=1. Otherwise about a tenth of them runs. */
export const full = process.env["TAPELINE_TEST_FULL"] === "1"

/** The seed of this run, from TAPELINE_TEST_SEED when it is to be replayed. */
export const seed = Number(process.env["TAPELINE_TEST_SEED"] ?? Date.now() % 2 ** 31)
console.log(`seed ${seed} (TAPELINE_TEST_SEED=${seed} replays it)${full ? ", full counts" : ""}`)

/** Scales a full count down to an everyday one. */
export const runs = (count: number): number => (full ? count : Math.max(20, Math.round(count / 10)))

/** Parameters of a property that is tried `count` times at full counts. */
export const property = (count: number): fc.Parameters<never> => ({ seed, numRuns: runs(count) })

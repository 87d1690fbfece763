/**
 * What Node is told for the servers of these tests: none lives long enough to earn back what V8's optimizing compiler
 * spends on the embedded database at each start, a quarter of all that a start computes.
 */
export const nodeArguments: ReadonlyArray<string> = ["--liftoff-only"]

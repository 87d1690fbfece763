/**
 * The Node options of the servers in these tests. They turn off V8's optimizing compiler for the embedded database,
 * which takes a quarter of the processor time of a start. No server runs long enough to benefit from it.
 */
export const nodeArguments: ReadonlyArray<string> = ["--liftoff-only"]

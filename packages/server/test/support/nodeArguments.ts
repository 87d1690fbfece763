/**
 * Node options that turn off V8's optimizing compiler for the embedded database, which takes a quarter of the processor
 * time of a start.
 */
export const nodeArguments: ReadonlyArray<string> = ["--liftoff-only"]

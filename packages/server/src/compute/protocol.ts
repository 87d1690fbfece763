import { inspect } from "node:util"

/** What a worker is started with. */
export interface WorkerData {
  /** Modules by their URLs, each of which exports `jobs`. */
  readonly modules: ReadonlyArray<string>
  /** Where this process keeps compiled sources, if it does: a thread does not know it by itself. */
  readonly compiled: string | undefined
}

/** What a worker is asked: one job at a time. */
export interface Asked {
  readonly job: string
  readonly input: unknown
}

/** What was thrown, in words: what was thrown itself need not cross to another thread, nor arrive whole. */
export interface Thrown {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly cause: Thrown | undefined
}

/** What a worker tells: that it may be asked, or never may, and what became of a job. */
export type Told =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Unready"; readonly thrown: Thrown }
  | { readonly _tag: "Done"; readonly output: unknown }
  | { readonly _tag: "Threw"; readonly thrown: Thrown }

/** A chain of causes is told so far. */
const depth = 4

/** Puts into words what was thrown, whatever it is. */
export const toThrown = (error: unknown, left = depth): Thrown => {
  if (!(error instanceof Error)) {
    const message = typeof error === "string" ? error : inspect(error, { depth: 1 })
    return { name: "Error", message, stack: undefined, cause: undefined }
  }
  const cause = error.cause === undefined || left === 0 ? undefined : toThrown(error.cause, left - 1)
  return { name: error.name, message: error.message, stack: error.stack, cause }
}

/** An error of these words, to be thrown or logged here. */
export const fromThrown = ({ cause, message, name, stack }: Thrown): Error => {
  const error = new Error(message, cause && { cause: fromThrown(cause) })
  error.name = name
  // Never this thread's own, where nothing was thrown.
  error.stack = stack ?? `${name}: ${message}`
  return error
}

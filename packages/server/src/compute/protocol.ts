import { inspect } from "node:util"

/** The data that a worker starts with. */
export interface WorkerData {
  /** URLs of modules, each of which exports `jobs`. */
  readonly modules: ReadonlyArray<string>
  /** The folder of this process's compile cache, if there is one. A thread does not inherit it. */
  readonly compiled: string | undefined
}

/** A request to a worker, which runs one job at a time. */
export interface Asked {
  readonly job: string
  readonly input: unknown
}

/** A thrown value as plain text. The value itself may not be transferable to another thread, or may lose parts. */
export interface Thrown {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly cause: Thrown | undefined
}

/** A message from a worker: whether it can run jobs, or how a job ended. */
export type Told =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Unready"; readonly thrown: Thrown }
  | { readonly _tag: "Done"; readonly output: unknown }
  | { readonly _tag: "Threw"; readonly thrown: Thrown }

/** The maximum number of nested causes that are converted. */
const depth = 4

/** Converts any thrown value. */
export const toThrown = (error: unknown, left = depth): Thrown => {
  if (!(error instanceof Error)) {
    const message = typeof error === "string" ? error : inspect(error, { depth: 1 })
    return { name: "Error", message, stack: undefined, cause: undefined }
  }
  const cause = error.cause === undefined || left === 0 ? undefined : toThrown(error.cause, left - 1)
  return { name: error.name, message: error.message, stack: error.stack, cause }
}

/** Creates an error from its description, to be thrown or logged in this thread. */
export const fromThrown = ({ cause, message, name, stack }: Thrown): Error => {
  const error = new Error(message, cause && { cause: fromThrown(cause) })
  error.name = name
  // Replaces the stack of this function, which threw nothing.
  error.stack = stack ?? `${name}: ${message}`
  return error
}

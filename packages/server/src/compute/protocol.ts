import { inspect } from "node:util"

/** The data that a worker starts with. */
export interface WorkerData {
  /** URLs of modules, each of which exports `jobs`. */
  readonly modules: ReadonlyArray<string>
  /** The folder of this process's compile cache, if there is one. A thread does not inherit it. */
  readonly compileCacheFolder: string | undefined
}

/** A request to a worker, which runs one job at a time. */
export interface JobRequest {
  readonly job: string
  readonly input: unknown
}

/** A thrown value as plain text. The value itself may not be transferable to another thread, or may lose parts. */
export interface SerializedError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly cause: SerializedError | undefined
}

/** A message from a worker: whether it can run jobs, or how a job ended. */
export type WorkerMessage =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Unready"; readonly thrown: SerializedError }
  | { readonly _tag: "Done"; readonly output: unknown }
  | { readonly _tag: "Threw"; readonly thrown: SerializedError }

/** The maximum number of nested causes that are converted. */
const maxCauseDepth = 4

/** Converts any thrown value. */
export const serializeError = (error: unknown, remainingDepth = maxCauseDepth): SerializedError => {
  if (!(error instanceof Error)) {
    const message = typeof error === "string" ? error : inspect(error, { depth: 1 })
    return { name: "Error", message, stack: undefined, cause: undefined }
  }
  const cause = error.cause === undefined || remainingDepth === 0
    ? undefined
    : serializeError(error.cause, remainingDepth - 1)
  return { name: error.name, message: error.message, stack: error.stack, cause }
}

/** Creates an error from its description, to be thrown or logged in this thread. */
export const deserializeError = ({ cause, message, name, stack }: SerializedError): Error => {
  const error = new Error(message, cause && { cause: deserializeError(cause) })
  error.name = name
  // Replaces the stack of this function, which threw nothing.
  error.stack = stack ?? `${name}: ${message}`
  return error
}

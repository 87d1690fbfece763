import { inspect } from "node:util"

export interface WorkerData {
  /** The URLs of the modules that export the thread's jobs as `jobs`. */
  readonly modules: ReadonlyArray<string>
  /**
   * The folder of the compile cache of the process, or undefined without a compile cache. A thread does not inherit the
   * compile cache folder of the process.
   */
  readonly compileCacheFolder: string | undefined
}

export interface JobRequest {
  readonly job: string
  readonly input: unknown
}

/** A thrown value as plain text, because a thrown value may not be transferable to another thread. */
export interface SerializedError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly cause: SerializedError | undefined
}

/** A message from a worker: whether the worker can run jobs, or the result of a job. */
export type WorkerMessage =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Unready"; readonly thrown: SerializedError }
  | { readonly _tag: "Done"; readonly output: unknown }
  | { readonly _tag: "Threw"; readonly thrown: SerializedError }

const maxCauseDepth = 4

/** Converts a thrown value to plain text, because another thread may be unable to receive the value itself. */
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

/** Creates an error from its serialized form, so that the error can be thrown or logged in the current thread. */
export const deserializeError = ({ cause, message, name, stack }: SerializedError): Error => {
  const error = new Error(message, cause && { cause: deserializeError(cause) })
  error.name = name
  // The stack of `deserializeError` would be misleading, so the stack of the original error is used.
  error.stack = stack ?? `${name}: ${message}`
  return error
}

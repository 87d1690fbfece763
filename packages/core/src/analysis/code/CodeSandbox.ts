import { Context, Effect, type Schema } from "effect"
import { NoSandbox, type SandboxError } from "./errors.ts"

/** The name of the tool that runs scripts. */
export const runCodeToolName = "run_code"

/** The error of a host function that a script called. */
export interface HostError {
  readonly message: string
  /** The `code` property of the error that the script receives. */
  readonly code?: string
}

/** A function of the host program that a script may call. */
export interface HostFunction<E extends HostError> {
  /** The maximum number of calls of the function in one script run. Further calls are rejected. */
  readonly maxCalls: number
  /** Returns the JSON result of one call, given the script's arguments as JSON values. */
  readonly call: (args: ReadonlyArray<unknown>) => Effect.Effect<unknown, E>
}

/** A script to run. */
export interface Script<E extends HostError> {
  readonly code: string
  /** The value of the script's global `inputs`. */
  readonly inputs: { readonly [name: string]: Schema.Json }
  /** The maximum duration of the script, measured from its start, in ms. */
  readonly limitMs: number
  /** The maximum time that the script waits for a free sandbox slot, in ms. */
  readonly maxWaitMs: number
  /** A callback that is called when the script starts running in its sandbox. */
  readonly onStart?: (() => void) | undefined
  /** The id of the script's owner. Owners with waiting scripts take turns. */
  readonly owner: number
  /** A callback that receives each line that the script logs. */
  readonly onLog?: (line: string) => void
  /** The asynchronous host functions that the script can call, keyed by their names in the script. */
  readonly functions: { readonly [name: string]: HostFunction<E> }
}

/** The limits of a script's result, log and function arguments. A script that exceeds a limit fails. */
export const scriptLimits = {
  /** The maximum size of the script's value as JSON, in bytes of UTF-8. */
  valueBytes: 128 * 1024,
  valueDepth: 64,
  /** The maximum size of the script's log as JSON, in bytes of UTF-8. */
  logBytes: 64 * 1024,
  /** The maximum number of `console` calls in a script. */
  logLines: 1_000,
  /** The maximum size of the arguments of one function call as JSON, in UTF-16 units. */
  argumentsLength: 16 * 1024
} as const

/**
 * Runs untrusted scripts of callers.
 *
 * - A script is ECMAScript and may use `await` anywhere. The script's value is its return value, or else the awaited
 *   value of its last expression.
 * - The script's value becomes JSON: undefined and non-finite numbers become null, and a typed array becomes a list. A
 *   script fails if its value has no JSON form, such as a function or a cycle. A script also fails if its value exceeds
 *   a limit of `scriptLimits`.
 * - A script can use the language's own objects, `console` (`log`, `info`, `warn`, `error`, `debug`), `inputs`, and
 *   `functions`. If the script's text contains the word `quant`, a global `quant` has the functions of
 *   `@tapeline/quant`.
 * - A script has no access to the network, files, timers, modules, or objects of the host program. Values cross the
 *   boundary as JSON in both directions.
 * - Each run starts in a new environment.
 * - A failed function call rejects with an `Error` that has the failure's message and code. If the script does not
 *   catch the error, the run fails with the original failure. A defect of a function ends the run with the defect.
 * - Functions that are still running when the script ends are interrupted.
 * - A script fails with `ScriptError` if it throws, exhausts its memory or stack, logs too much, waits for a promise
 *   that never settles, crashes its sandbox, or runs longer than `limitMs` of real time.
 * - If the thread dies for a reason outside the script, the run fails with `SandboxUnavailable`.
 * - No script affects another run or blocks the calling thread for more than a moment.
 * - Concurrent and waiting scripts are limited, in total and for each owner. Above a limit, or after waiting
 *   `maxWaitMs` for a slot, the run fails with `SandboxBusy`.
 * - The next free slot goes to the owner who used slots for the shortest time in the last minute. While other owners
 *   wait, a script can be stopped before its time limit with `SandboxCrowded`. The more owners wait, the earlier a
 *   script is stopped. If an owner's scripts used too much time, the owner's next run fails with `SandboxBudget`.
 * - The interruption of a run ends its script and frees its slot.
 * - After the sandbox layer has ended, or if no script can be started, a run fails with `SandboxUnavailable`.
 *
 * Without an adapter, every script fails with `NoSandbox`, because JavaScript has no safe way to run untrusted code.
 */
export const CodeSandbox = Context.Reference<{
  /** Runs a script and returns its value as JSON. */
  readonly run: <E extends HostError>(script: Script<E>) => Effect.Effect<Schema.Json, SandboxError | E>
}>("@tapeline/core/code/CodeSandbox", {
  defaultValue: () => ({ run: () => Effect.fail(new NoSandbox()) })
})

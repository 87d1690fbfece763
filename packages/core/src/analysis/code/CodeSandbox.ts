import { Context, Effect, type Schema } from "effect"
import { NoSandbox, type SandboxError } from "./errors.ts"

/** The name of the tool that runs scripts. An answer counts an open call of this tool as output. */
export const runCodeToolName = "run_code"

/** The error of a host function that a script called. */
export interface HostError {
  readonly message: string
  /** The `code` of the error that the script sees. */
  readonly code?: string
}

/** A function of the host program that a script may call. */
export interface HostFunction<E extends HostError> {
  /** The maximum number of calls per run. Further calls reject. */
  readonly maxCalls: number
  /** Returns the result of one call, as JSON. The arguments are the JSON of the script's values. */
  readonly call: (args: ReadonlyArray<unknown>) => Effect.Effect<unknown, E>
}

/** A script that is to be run. */
export interface Script<E extends HostError> {
  /** JavaScript. */
  readonly code: string
  /** The script's global `inputs`. */
  readonly inputs: { readonly [name: string]: Schema.Json }
  /** The time limit of the run, ms, from its start. */
  readonly limitMs: number
  /** The maximum wait of the script for a place, ms. */
  readonly maxWaitMs: number
  /** Called when the script starts, after its wait and the start of its sandbox. */
  readonly onStart?: (() => void) | undefined
  /** The owner of the script. If scripts wait, their owners take turns. */
  readonly owner: number
  /** Receives each line that the script logs, even if the script fails later. */
  readonly onLog?: (line: string) => void
  /** Asynchronous functions, by their names in the script. */
  readonly functions: { readonly [name: string]: HostFunction<E> }
}

/** Limits of a script's output. A script that exceeds one fails. */
export const scriptLimits = {
  /** The size of its value as JSON, in bytes of UTF-8. */
  valueBytes: 128 * 1024,
  /** The nesting depth of its value. */
  valueDepth: 64,
  /** The size of its log as JSON, in bytes of UTF-8. */
  logBytes: 64 * 1024,
  /** Calls of `console`. */
  logLines: 1_000,
  /** The arguments of one function call as JSON, in UTF-16 units. */
  argumentsLength: 16 * 1024
} as const

/**
 * Runs scripts of callers, which are untrusted.
 *
 * - A script is ECMAScript and may use `await` anywhere. Its value is what it returns, or else the value of its last
 *   expression; a promise is awaited. The value becomes JSON: undefined and non-finite numbers become null, and a typed
 *   array becomes a list. A value without a JSON form (a function, a symbol, a big integer, a cycle), or beyond
 *   `scriptLimits`, fails.
 * - A script has the language's own objects, `console` (`log`, `info`, `warn`, `error`, `debug`), `inputs`, and
 *   `functions`. It also has `quant` with the functions of `@tapeline/quant` if its text contains the word `quant`. It
 *   has nothing else: no network, files, timers, modules, or objects of the host program. Values cross the boundary as
 *   JSON in both directions.
 * - Each run starts in a new environment. Changes that a script makes to it are not visible to the next run.
 * - A failed function call rejects with an `Error` that has the failure's message and code. If the script does not
 *   catch it, the run fails with the original failure. A defect of a function ends the run with that defect. Functions
 *   that still run when the script ends are interrupted.
 * - A script fails with `ScriptError` if it throws, exhausts its memory or stack, or floods its log. It also does so if
 *   it waits for a promise that never settles, or crashes its sandbox. A script that runs longer than `limitMs` of real
 *   time is ended and fails with `ScriptError`. If its thread dies for a reason outside the script, the run fails with
 *   `SandboxUnavailable`. No script affects another run or blocks the calling thread for more than a moment.
 * - Concurrent and waiting scripts are limited, in total and for each owner. Above a limit, or after `maxWaitMs`
 *   without a place, the run fails with `SandboxBusy`. The next place goes to the owner who used places for the
 *   shortest time in the last minute. While other owners wait, a script can end before its limit with `SandboxCrowded`,
 *   the earlier the more owners wait. An owner whose scripts ran for too long gets `SandboxBudget`.
 * - The interruption of a run ends its script and frees its place.
 * - After its layer has ended, or if no script can be started, it fails with `SandboxUnavailable`.
 *
 * Without an adapter, every script fails with `NoSandbox`, because the language has no safe way to run untrusted code.
 */
export const CodeSandbox = Context.Reference<{
  /** Runs a script and returns its value as JSON. */
  readonly run: <E extends HostError>(script: Script<E>) => Effect.Effect<Schema.Json, SandboxError | E>
}>("@tapeline/core/code/CodeSandbox", {
  defaultValue: () => ({ run: () => Effect.fail(new NoSandbox()) })
})

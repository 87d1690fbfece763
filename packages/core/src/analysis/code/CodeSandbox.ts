import { Context, Effect, type Schema } from "effect"
import { NoSandbox, type SandboxError } from "./errors.ts"

/** The name of the tool that runs scripts. An answer counts an open call of this tool as output. */
export const runCodeName = "run_code"

/** Why a function that a script called did not answer. */
export interface HostError {
  readonly message: string
  /** The `code` of the error that the script sees. */
  readonly code?: string
}

/** What a script may ask of the program that runs it. */
export interface HostFunction<E extends HostError> {
  /** Calls of it that one run may make; the ones beyond reject. */
  readonly atMost: number
  /** Answers one call with what JSON can say. The arguments are what JSON says of what the script gave. */
  readonly answer: (args: ReadonlyArray<unknown>) => Effect.Effect<unknown, E>
}

/** A script to be run. */
export interface Script<E extends HostError> {
  /** JavaScript. */
  readonly code: string
  /** What the script has as `inputs`. */
  readonly inputs: { readonly [name: string]: Schema.Json }
  /** How long it may run, in ms, from its begin. */
  readonly limitMs: number
  /** How long it may wait for its turn, in ms. */
  readonly waitMs: number
  /** Called when the script begins, after its wait and the start of its sandbox. */
  readonly begun?: (() => void) | undefined
  /** For whom it runs: where scripts wait, their owners take turns. */
  readonly owner: number
  /** Receives each line that the script logs, even if the script fails later. */
  readonly log?: (line: string) => void
  /** Asynchronous functions, by the names under which the script has them. */
  readonly functions: { readonly [name: string]: HostFunction<E> }
}

/** What a script may say at most: beyond that it fails. */
export const scriptLimits = {
  /** Its value as JSON, in bytes of UTF-8. */
  valueBytes: 128 * 1024,
  /** Levels that its value may be nested. */
  valueDepth: 64,
  /** Its log, in bytes of UTF-8 as JSON. */
  logBytes: 64 * 1024,
  /** Calls of `console`. */
  logLines: 1_000,
  /** The arguments of one call of a function, as JSON, in UTF-16 units. */
  argumentsLength: 16 * 1024
} as const

/**
 * Where scripts of callers run, of whom nothing good is supposed.
 *
 * - A script is ECMAScript, and may `await` anywhere. Its value is what it returns or, where it does not return, that
 *   of its last expression; a promise is waited for. JSON says it: undefined is null, so is a number that is none,
 *   and a typed array is a list. What JSON cannot say (a function, a symbol, a big integer, a circle), and what is
 *   larger or deeper than `scriptLimits`, fails.
 * - Inside there are the language's own objects, `console` (`log`, `info`, `warn`, `error`, `debug`), `inputs`,
 *   `quant` with the functions of `@tapeline/quant` (where the script's text names it), and `functions`; nothing
 *   else: no network, no files, no timers, no modules, no object of the program outside. Values cross as JSON, both
 *   ways.
 * - Each run begins anew: nothing that a script does to its world is there in the next one.
 * - A call of a function that fails rejects with an `Error` that has its message and code; where the script lets it
 *   pass, the run fails with that very failure. A function that dies ends the run with its defect. What still runs of
 *   functions when the script ends is interrupted.
 * - What throws, uses up its memory or its stack, floods its log, waits for what never comes, or breaks what it runs
 *   in fails with `ScriptError`. A script that runs for longer than `limitMs` of the machine's clock is ended, whatever
 *   it does, and fails with `ScriptError`. If its thread dies without a cause in the script, the run fails with
 *   `SandboxUnavailable`. No script affects another run or blocks the calling thread for more than a moment.
 * - Concurrent and waiting scripts are limited, in total and for each owner. Above a limit, or after `waitMs` without
 *   a turn, the run fails with `SandboxBusy`. The next place goes to the owner who used places for the shortest time in
 *   the last minute. While other owners wait, a script can end before its limit with `SandboxCrowded`, the earlier
 *   the more owners wait, and an owner whose scripts ran for too long gets `SandboxBudget`.
 * - Who is interrupted ends his script, and his place is free.
 * - Once its layer has ended, or where nothing can be started, it fails with `SandboxUnavailable`.
 *
 * Left alone an engine has none, and every script fails with `NoSandbox`: there is no safe way to run one that needs
 * nothing but the language.
 */
export const CodeSandbox = Context.Reference<{
  /** Runs a script and returns its value as JSON. */
  readonly run: <E extends HostError>(script: Script<E>) => Effect.Effect<Schema.Json, SandboxError | E>
}>("@tapeline/core/code/CodeSandbox", {
  defaultValue: () => ({ run: () => Effect.fail(new NoSandbox()) })
})

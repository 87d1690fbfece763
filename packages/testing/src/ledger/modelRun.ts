import { Effect } from "effect"
import fc from "fast-check"
import { Auditor } from "./auditor.ts"
import { executed, ledgerCommands, type LedgerUnderTest } from "./commands.ts"

export interface ModelRunOptions {
  readonly runs: number
  /** The average number of commands in a run. */
  readonly commands: number
  /** Replays an earlier run. By default a new seed is drawn. The result contains the seed in both cases. */
  readonly seed?: number
  readonly path?: string
  /** Whether to search for the shortest failing commands; true by default. */
  readonly shrink?: boolean
}

export interface ModelRunResult {
  readonly seed: number
  readonly runs: number
  readonly commands: number
  /** The failure with the shortest commands that cause it, or null. */
  readonly failure: string | null
}

let drawn = 0

/**
 * Runs random commands against a ledger, each run with its own accounts. An auditor checks every answer and, after
 * every command, all stored rows. `next` returns the ledger of each run, which may be the same one.
 */
export const runLedgerModel = async (
  next: () => Promise<LedgerUnderTest>,
  options: ModelRunOptions
): Promise<ModelRunResult> => {
  const seed = options.seed ?? (Date.now() ^ (++drawn << 16)) | 0
  const before = executed.commands
  const start = Date.UTC(2026, 10, 28)
  let last = start
  const setup = (ledger: LedgerUnderTest) =>
    Effect.gen(function*() {
      const plans = { zero: 0, small: 7, middle: 30, large: 100 }
      const own = Object.fromEntries(
        Object.entries(plans).map(([name, credits]) => [`${name}-${seed}-${++drawn}`, credits])
      )
      const [, small] = Object.keys(own)
      const auditor = yield* Effect.andThen(
        ledger.store.definePlans(own, { at: start }),
        Effect.map(
          Effect.forEach([1, 2, 3], () => ledger.keys.createAccount({ name: "model", plan: small!, now: start })),
          (accounts) => new Auditor(start, accounts.map(({ id }) => id), small!, own)
        )
      )
      return { model: auditor, real: ledger }
    })
  // The next run's sweeps would count reservations that this run left open.
  const clear = (ledger: LedgerUnderTest): Effect.Effect<void, unknown> =>
    Effect.flatMap(
      ledger.store.expire(1_000, { at: last + 400 * 86_400_000 }),
      (count) => count === 0 ? Effect.void : clear(ledger)
    )
  const details = await fc.check(
    fc.asyncProperty(
      // The number of commands is drawn evenly from 0 to the maximum. A few are skipped, because nothing exists yet
      // that they could end.
      fc.commands(ledgerCommands, { maxCommands: Math.ceil(options.commands * 2.4), size: "max" }),
      async (commands) => {
        const ledger = await next()
        const prepared = await Effect.runPromise(setup(ledger))
        try {
          await fc.asyncModelRun(() => prepared, commands)
        } finally {
          last = Math.max(last, prepared.model.now)
          await Effect.runPromise(clear(ledger))
        }
      }
    ),
    {
      numRuns: options.runs,
      seed,
      endOnFailure: options.shrink === false,
      ...(options.path === undefined ? {} : { path: options.path })
    }
  )
  return {
    seed: details.seed,
    runs: details.numRuns,
    commands: executed.commands - before,
    failure: details.failed ? fc.defaultReportMessage(details) ?? "failed" : null
  }
}

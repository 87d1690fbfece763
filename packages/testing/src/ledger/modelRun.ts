import { Effect } from "effect"
import fc from "fast-check"
import { Auditor } from "./auditor.ts"
import { ledgerCommands } from "./commands.ts"
import { modelKeyName } from "./expectedEntries.ts"
import { counters, type LedgerUnderTest } from "./modelCommand.ts"

export interface ModelRunOptions {
  readonly runs: number
  readonly commands: number
  /** The seed of an earlier run to replay, or undefined for a new seed. */
  readonly seed?: number
  readonly path?: string
  /** Whether to search for the shortest failing sequence of commands, true by default. */
  readonly shrink?: boolean
}

export interface ModelRunResult {
  readonly seed: number
  readonly runs: number
  readonly commands: number
  /** The failure, with the shortest failing sequence of commands, or null if all runs passed. */
  readonly failure: string | null
}

let drawCount = 0

const makeHash = (): string => crypto.randomUUID().replaceAll("-", "").repeat(2)

/** Creates three keys of an account. The third key is the successor of the second key. */
const createKeys = Effect.fnUntraced(function*({ keys }: LedgerUnderTest, account: number, now: number) {
  const newKey = { account, name: modelKeyName, prefix: "tl", scopes: [], expiresAt: null, limit: 10, now }
  const first = yield* keys.createKey({ ...newKey, hash: makeHash() })
  const rotated = yield* keys.createKey({ ...newKey, hash: makeHash() })
  const { successor } = yield* keys.rotateKey(rotated.id, {
    prefix: "tl",
    hash: makeHash(),
    overlapMs: 0,
    expiresAt: undefined,
    now
  })
  return [first, rotated, successor].map(({ firstKey, id }) => ({ id, account, firstKey }))
})

/**
 * Runs random commands against a ledger, and checks every result and all stored rows. `nextLedger` returns a ledger for
 * each run. All runs may share one ledger.
 */
export const runLedgerModel = async (
  nextLedger: () => Promise<LedgerUnderTest>,
  options: ModelRunOptions
): Promise<ModelRunResult> => {
  const seed = options.seed ?? (Date.now() ^ (++drawCount << 16)) | 0
  const before = counters.commands
  const start = Date.UTC(2026, 10, 28)
  let latestTime = start
  const setup = (ledger: LedgerUnderTest) =>
    Effect.gen(function*() {
      const plans = { zero: 0, small: 7, middle: 30, large: 100 }
      const plansOfRun = Object.fromEntries(
        Object.entries(plans).map(([name, credits]) => [`${name}-${seed}-${++drawCount}`, credits])
      )
      const [, small] = Object.keys(plansOfRun)
      const auditor = yield* Effect.andThen(
        ledger.store.definePlans(plansOfRun, { at: start }),
        Effect.map(
          Effect.forEach([1, 2, 3], () => ledger.keys.createAccount({ name: "model", plan: small!, now: start })),
          (accounts) => new Auditor(start, accounts.map(({ id }) => id), small!, plansOfRun)
        )
      )
      for (const account of auditor.accounts) auditor.keyLimits.keys.push(...yield* createKeys(ledger, account, start))
      return { model: auditor, real: ledger }
    })
  // Without the expiry at the end of a run, the sweeps of the next run would expire the open reservations.
  const expireAllReservations = (ledger: LedgerUnderTest): Effect.Effect<void, unknown> =>
    Effect.flatMap(
      ledger.store.expire(1_000, { at: latestTime + 400 * 86_400_000 }),
      (count) => count === 0 ? Effect.void : expireAllReservations(ledger)
    )
  const result = await fc.check(
    fc.asyncProperty(
      // More commands are generated than needed, because commands without a reservation to end are skipped.
      fc.commands(ledgerCommands, { maxCommands: Math.ceil(options.commands * 2.4), size: "max" }),
      async (commands) => {
        const ledger = await nextLedger()
        const setupResult = await Effect.runPromise(setup(ledger))
        try {
          await fc.asyncModelRun(() => setupResult, commands)
        } finally {
          latestTime = Math.max(latestTime, setupResult.model.now)
          await Effect.runPromise(expireAllReservations(ledger))
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
    seed: result.seed,
    runs: result.numRuns,
    commands: counters.commands - before,
    failure: result.failed ? fc.defaultReportMessage(result) ?? "failed" : null
  }
}

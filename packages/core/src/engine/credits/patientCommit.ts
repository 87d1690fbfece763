import { Clock, type Context, Effect, Exit, Semaphore } from "effect"
import { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { type Commit, groupCommitIn, type GroupCommitOptions } from "./groupCommit.ts"
import type { Busy } from "./LedgerStore.ts"

/**
 * An attempt for a busy account waits at most `waitMs` for a row. At most `inFlight` such attempts run concurrently.
 */
const attempt = { waitMs: 20, inFlight: 4 } as const

/** The pause between two attempts: the first and the maximum. */
const pause = { firstMs: 10, mostMs: 200 } as const

const isBusy = (answer: object): answer is Busy => "_tag" in answer && answer._tag === "Busy"

/** Stores each answer at the index of its input, and returns the inputs that must be retried. */
const note = <I extends { readonly i: number }, B extends object>(
  answers: Array<B>,
  asked: ReadonlyArray<I>,
  found: ReadonlyArray<B | Busy>
): ReadonlyArray<I> =>
  asked.filter(({ i }, n) => {
    const answer = found[n]!
    if (isBusy(answer)) return true
    answers[i] = answer
    return false
  })

/** Passes the outcome of an abandoned write to `onAbandoned`, unless it was `Busy` and so changed nothing. */
const unlessBusy =
  <B extends object>(onAbandoned: (exit: Exit.Exit<B, StoreUnavailable>) => Effect.Effect<void>) =>
  (exit: Exit.Exit<B | Busy, StoreUnavailable>): Effect.Effect<void> => {
    if (Exit.isFailure(exit)) return onAbandoned(Exit.failCause(exit.cause))
    return isBusy(exit.value) ? Effect.void : onAbandoned(Exit.succeed(exit.value))
  }

/**
 * The time for which the writes of an account are tried, and the names of the store and the locked resource for error
 * messages.
 */
export interface PatientCommitOptions extends GroupCommitOptions {
  readonly patienceMs: number
  readonly store: string
  readonly held: string
}

/** Like `patientCommit`, but runs the batches in `context`. */
const patientCommitIn = <A, B extends object>(
  context: Context.Context<never>,
  write: (
    inputs: ReadonlyArray<A>,
    options: { readonly waitMs?: number }
  ) => Effect.Effect<ReadonlyArray<B | Busy>, StoreUnavailable>,
  accountOf: (input: A) => number,
  options: PatientCommitOptions
): Commit<A, B, StoreUnavailable> => {
  type Lane = { callers: number; readonly commit: Commit<A, B, StoreUnavailable> }
  const lanes = new Map<number, Lane>()
  const attempts = Semaphore.makeUnsafe(attempt.inFlight)
  const together = groupCommitIn(context, (inputs: ReadonlyArray<A>) => write(inputs, {}), options)

  const tooLong = (account: number) =>
    new StoreUnavailable({
      store: options.store,
      cause: new Error(`Account ${account}: its ${options.held} was locked for longer than ${options.patienceMs} ms`)
    })

  const untilFree = (account: number) =>
    Effect.fnUntraced(function*(inputs: ReadonlyArray<A>) {
      const answers: Array<B> = []
      let left: ReadonlyArray<{ readonly input: A; readonly i: number }> = inputs.map((input, i) => ({ input, i }))
      const giveUpAt = (yield* Clock.currentTimeMillis) + options.patienceMs
      for (let pauseMs: number = pause.firstMs;; pauseMs = Math.min(2 * pauseMs, pause.mostMs)) {
        const found = yield* attempts.withPermit(write(left.map(({ input }) => input), { waitMs: attempt.waitMs }))
        left = note(answers, left, found)
        if (left.length === 0) return answers
        if ((yield* Clock.currentTimeMillis) + pauseMs > giveUpAt) return yield* tooLong(account)
        yield* Effect.sleep(pauseMs)
      }
    })

  const open = (account: number): Lane => {
    const lane = { callers: 0, commit: groupCommitIn(context, untilFree(account), { ...options, batchesInFlight: 1 }) }
    lanes.set(account, lane)
    return lane
  }

  const alone: Commit<A, B, StoreUnavailable> = (input, onAbandoned) =>
    Effect.suspend(() => {
      const account = accountOf(input)
      const lane = lanes.get(account) ?? open(account)
      lane.callers++
      return lane.commit(input, onAbandoned).pipe(
        // A write that arrives during the attempts for its account also waits for their end.
        Effect.timeoutOrElse({ duration: options.patienceMs, orElse: () => Effect.fail(tooLong(account)) }),
        Effect.ensuring(Effect.sync(() => {
          if (--lane.callers === 0) lanes.delete(account)
        }))
      )
    })

  return (input, onAbandoned) =>
    Effect.suspend(() =>
      lanes.has(accountOf(input))
        ? alone(input, onAbandoned)
        : Effect.flatMap(
          together(input, onAbandoned && unlessBusy(onAbandoned)),
          (answer) => isBusy(answer) ? alone(input, onAbandoned) : Effect.succeed(answer)
        )
    )
}

/**
 * Batches concurrent writes, and retries the writes of busy accounts separately. Each busy account has its own batches
 * until `patienceMs` have passed. New writes of a busy account join its own batches immediately, so that a locked row
 * delays only its own account.
 */
export const patientCommit = <A, B extends object>(
  write: (
    inputs: ReadonlyArray<A>,
    options: { readonly waitMs?: number }
  ) => Effect.Effect<ReadonlyArray<B | Busy>, StoreUnavailable>,
  accountOf: (input: A) => number,
  options: PatientCommitOptions
): Effect.Effect<Commit<A, B, StoreUnavailable>> =>
  Effect.map(Effect.context<never>(), (context) => patientCommitIn(context, write, accountOf, options))

import { Clock, type Context, Effect, Exit, Semaphore } from "effect"
import { StoreUnavailable } from "../store/StoreUnavailable.ts"
import { type Commit, groupCommitIn, type GroupCommitOptions } from "./groupCommit.ts"
import type { Busy } from "./LedgerStore.ts"

/** How long an attempt of an account that is busy waits for a row, and how many such attempts run at once. */
const attempt = { waitMs: 20, inFlight: 4 } as const

/** From one attempt to the next, at first and at most. */
const pause = { firstMs: 10, mostMs: 200 } as const

const isBusy = (answer: object): answer is Busy => "_tag" in answer && answer._tag === "Busy"

/** Notes what was answered, each where its input stands; gives back what is to be tried again. */
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

/** What becomes of a write that was abandoned; one that was busy changed nothing. */
const unlessBusy =
  <B extends object>(onAbandoned: (exit: Exit.Exit<B, StoreUnavailable>) => Effect.Effect<void>) =>
  (exit: Exit.Exit<B | Busy, StoreUnavailable>): Effect.Effect<void> => {
    if (Exit.isFailure(exit)) return onAbandoned(Exit.failCause(exit.cause))
    return isBusy(exit.value) ? Effect.void : onAbandoned(Exit.succeed(exit.value))
  }

/** How long an account's writes are tried, whose they are, and what of it is waited for. */
export interface PatientCommitOptions extends GroupCommitOptions {
  readonly patienceMs: number
  readonly store: string
  readonly held: string
}

/** The same as `patientCommit`, whose batches run in `context`. */
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
        // Those who come while the account is tried already wait for that as well.
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
 * Lets concurrent writes share batches, and tries those whose account was busy again, apart from the others: each
 * account by itself, in batches of its own, until `patienceMs` are over. While it is busy, its new writes go there at
 * once, so that a row that somebody holds delays its own account alone.
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

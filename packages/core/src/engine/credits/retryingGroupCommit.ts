import { Clock, type Context, Effect, Exit, Semaphore } from "effect"
import { StoreUnavailable } from "../store/errors.ts"
import { groupCommitInContext, type GroupCommitOptions, type GroupedWrite } from "./groupCommit.ts"
import type { Busy } from "./LedgerStore.ts"

/** The settings of retries for busy accounts: the wait for a locked row in ms, and the number of concurrent batches. */
const busyAttempt = { waitMs: 20, inFlight: 4 } as const

const retryPause = { firstMs: 10, maxMs: 200 } as const

const isBusy = (answer: object): answer is Busy => "_tag" in answer && answer._tag === "Busy"

/** Stores each answer other than `Busy` in `results`, and returns the writes whose answer is `Busy`. */
const collectAnswers = <I extends { readonly i: number }, B extends object>(
  results: Array<B>,
  pending: ReadonlyArray<I>,
  outcomes: ReadonlyArray<B | Busy>
): ReadonlyArray<I> =>
  pending.filter(({ i }, n) => {
    const answer = outcomes[n]!
    if (isBusy(answer)) return true
    results[i] = answer
    return false
  })

/** Wraps `onAbandoned` so that it is not called for `Busy`, because a busy write changed nothing. */
const ignoringBusy =
  <B extends object>(onAbandoned: (exit: Exit.Exit<B, StoreUnavailable>) => Effect.Effect<void>) =>
  (exit: Exit.Exit<B | Busy, StoreUnavailable>): Effect.Effect<void> => {
    if (Exit.isFailure(exit)) return onAbandoned(Exit.failCause(exit.cause))
    return isBusy(exit.value) ? Effect.void : onAbandoned(Exit.succeed(exit.value))
  }

/** The options of `groupCommit`, a time limit for retries, and the names for error messages. */
export interface RetryingCommitOptions extends GroupCommitOptions {
  readonly maxWaitMs: number
  readonly store: string
  readonly lockedResource: string
}

/**
 * Batches and retries writes like `retryingGroupCommit`. Every batch runs in `context`, and not in the context of a
 * caller.
 */
const retryingCommitInContext = <A, B extends object>(
  context: Context.Context<never>,
  write: (
    inputs: ReadonlyArray<A>,
    options: { readonly waitMs?: number }
  ) => Effect.Effect<ReadonlyArray<B | Busy>, StoreUnavailable>,
  accountOf: (input: A) => number,
  options: RetryingCommitOptions
): GroupedWrite<A, B, StoreUnavailable> => {
  type AccountQueue = { callers: number; readonly commit: GroupedWrite<A, B, StoreUnavailable> }
  const accountQueues = new Map<number, AccountQueue>()
  const attempts = Semaphore.makeUnsafe(busyAttempt.inFlight)
  const commitTogether = groupCommitInContext(context, (inputs: ReadonlyArray<A>) => write(inputs, {}), options)

  const lockedTooLong = (account: number) =>
    new StoreUnavailable({
      store: options.store,
      cause: new Error(
        `Account ${account}: its ${options.lockedResource} was locked for longer than ${options.maxWaitMs} ms`
      )
    })

  const writeUntilUnlocked = (account: number) =>
    Effect.fnUntraced(function*(inputs: ReadonlyArray<A>) {
      const results: Array<B> = []
      let remaining: ReadonlyArray<{ readonly input: A; readonly i: number }> = inputs.map((input, i) => ({ input, i }))
      const deadline = (yield* Clock.currentTimeMillis) + options.maxWaitMs
      for (let pauseMs: number = retryPause.firstMs;; pauseMs = Math.min(2 * pauseMs, retryPause.maxMs)) {
        const outcomes = yield* attempts.withPermit(
          write(remaining.map(({ input }) => input), { waitMs: busyAttempt.waitMs })
        )
        remaining = collectAnswers(results, remaining, outcomes)
        if (remaining.length === 0) return results
        if ((yield* Clock.currentTimeMillis) + pauseMs > deadline) return yield* lockedTooLong(account)
        yield* Effect.sleep(pauseMs)
      }
    })

  const openQueue = (account: number): AccountQueue => {
    const queue = {
      callers: 0,
      commit: groupCommitInContext(context, writeUntilUnlocked(account), { ...options, batchesInFlight: 1 })
    }
    accountQueues.set(account, queue)
    return queue
  }

  const commitSeparately: GroupedWrite<A, B, StoreUnavailable> = (input, onAbandoned) =>
    Effect.suspend(() => {
      const account = accountOf(input)
      const queue = accountQueues.get(account) ?? openQueue(account)
      queue.callers++
      return queue.commit(input, onAbandoned).pipe(
        // A write that arrives while earlier writes of its account are retried also waits for these retries.
        Effect.timeoutOrElse({ duration: options.maxWaitMs, orElse: () => Effect.fail(lockedTooLong(account)) }),
        Effect.ensuring(Effect.sync(() => {
          if (--queue.callers === 0) accountQueues.delete(account)
        }))
      )
    })

  return (input, onAbandoned) =>
    Effect.suspend(() =>
      accountQueues.has(accountOf(input))
        ? commitSeparately(input, onAbandoned)
        : Effect.flatMap(
          commitTogether(input, onAbandoned && ignoringBusy(onAbandoned)),
          (answer) => isBusy(answer) ? commitSeparately(input, onAbandoned) : Effect.succeed(answer)
        )
    )
}

/**
 * Batches concurrent writes, and retries the writes of busy accounts in separate batches until `maxWaitMs` have passed.
 * While an account is busy, its new writes join its separate batches. A locked row of one account therefore delays no
 * other account.
 */
export const retryingGroupCommit = <A, B extends object>(
  write: (
    inputs: ReadonlyArray<A>,
    options: { readonly waitMs?: number }
  ) => Effect.Effect<ReadonlyArray<B | Busy>, StoreUnavailable>,
  accountOf: (input: A) => number,
  options: RetryingCommitOptions
): Effect.Effect<GroupedWrite<A, B, StoreUnavailable>> =>
  Effect.map(Effect.context<never>(), (context) => retryingCommitInContext(context, write, accountOf, options))

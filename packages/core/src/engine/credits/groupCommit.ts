import { type Context, Effect, Exit } from "effect"

export interface GroupCommitOptions {
  /** The maximum number of writes per batch. */
  readonly maxBatch: number
  /** The maximum number of concurrent batches. */
  readonly batchesInFlight: number
}

/**
 * Sends one write. If the caller is interrupted after its write was sent, `onAbandoned` runs with the outcome of the
 * write.
 */
export type Commit<A, B, E> = (
  input: A,
  onAbandoned?: (exit: Exit.Exit<B, E>) => Effect.Effect<void>
) => Effect.Effect<B, E>

/** A pending write, and the callback that receives its outcome. */
interface Write<A, B, E> {
  readonly input: A
  readonly answer: (exit: Exit.Exit<B, E>) => void
  readonly onAbandoned: ((exit: Exit.Exit<B, E>) => Effect.Effect<void>) | undefined
  /** True once its caller was interrupted. A write that still waits is dropped then. */
  abandoned: boolean
}

/** Like `groupCommit`, but runs the batches in `context`. */
export const groupCommitIn = <A, B, E>(
  context: Context.Context<never>,
  write: (inputs: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  { batchesInFlight, maxBatch }: GroupCommitOptions
): Commit<A, B, E> => {
  const run = Effect.runForkWith(context)
  // In the order of arrival.
  const waiting = new Set<Write<A, B, E>>()
  let underWay = 0
  let collecting = false

  const take = (): ReadonlyArray<Write<A, B, E>> => {
    const batch: Array<Write<A, B, E>> = []
    for (const one of waiting) {
      if (batch.length === maxBatch) break
      batch.push(one)
      waiting.delete(one)
    }
    return batch
  }

  const tell = (batch: ReadonlyArray<Write<A, B, E>>, exit: Exit.Exit<ReadonlyArray<B>, E>): void =>
    batch.forEach(({ abandoned, answer, onAbandoned }, i) => {
      const outcome = Exit.map(exit, (outputs) => outputs[i]!)
      if (!abandoned) answer(outcome)
      else if (onAbandoned !== undefined) run(Effect.suspend(() => onAbandoned(outcome)))
    })

  const send = Effect.suspend(() => {
    collecting = false
    const batch = take()
    // All callers may have been interrupted.
    if (batch.length === 0) return Effect.void
    underWay++
    collect()
    return Effect.map(Effect.exit(Effect.suspend(() => write(batch.map(({ input }) => input)))), (exit) => {
      underWay--
      // Before outcomes are delivered, so that callers that write again immediately join this batch.
      collect()
      tell(batch, exit)
    })
  })

  /** Schedules the next batch. It contains all waiting writes, and those that arrive in this turn of the scheduler. */
  const collect = (): void => {
    if (collecting || waiting.size === 0 || underWay === batchesInFlight) return
    collecting = true
    run(Effect.andThen(Effect.yieldNow, send))
  }

  return (input, onAbandoned) =>
    Effect.callback((answer) => {
      const one: Write<A, B, E> = { input, answer, onAbandoned, abandoned: false }
      waiting.add(one)
      collect()
      return Effect.sync(() => {
        waiting.delete(one)
        one.abandoned = true
      })
    })
}

/**
 * Batches concurrent writes. While `batchesInFlight` batches are running, the next batch collects writes. A single
 * caller therefore does not wait, and many callers share a few large batches. A batch that fails fails only its own
 * writes.
 *
 * A caller that is interrupted while it waits returns immediately. A write that was already sent is still executed.
 *
 * Batches run in the context in which `groupCommit` is called, not in that of a caller. The context of one caller, such
 * as a transaction, must not apply to the writes of other callers.
 */
export const groupCommit = <A, B, E>(
  write: (inputs: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  options: GroupCommitOptions
): Effect.Effect<Commit<A, B, E>> =>
  Effect.map(Effect.context<never>(), (context) => groupCommitIn(context, write, options))

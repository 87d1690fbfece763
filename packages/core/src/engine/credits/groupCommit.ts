import { type Context, Effect, Exit } from "effect"

export interface GroupCommitOptions {
  readonly maxBatch: number
  readonly batchesInFlight: number
}

/**
 * Sends one write in a batch. If the caller is interrupted during the write, `onAbandoned` receives the outcome of the
 * write.
 */
export type GroupedWrite<A, B, E> = (
  input: A,
  onAbandoned?: (exit: Exit.Exit<B, E>) => Effect.Effect<void>
) => Effect.Effect<B, E>

interface PendingWrite<A, B, E> {
  readonly input: A
  readonly complete: (exit: Exit.Exit<B, E>) => void
  readonly onAbandoned: ((exit: Exit.Exit<B, E>) => Effect.Effect<void>) | undefined
  /** Whether the caller was interrupted. An abandoned write that is not sent yet is dropped. */
  isAbandoned: boolean
}

/** Batches concurrent writes like `groupCommit`. Every batch runs in `context`, and not in the context of a caller. */
export const groupCommitInContext = <A, B, E>(
  context: Context.Context<never>,
  write: (inputs: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  { batchesInFlight, maxBatch }: GroupCommitOptions
): GroupedWrite<A, B, E> => {
  const run = Effect.runForkWith(context)
  // The writes that wait for a batch, in the order of arrival.
  const pendingWrites = new Set<PendingWrite<A, B, E>>()
  let runningBatches = 0
  let isBatchScheduled = false

  const takeBatch = (): ReadonlyArray<PendingWrite<A, B, E>> => {
    const batch: Array<PendingWrite<A, B, E>> = []
    for (const pending of pendingWrites) {
      if (batch.length === maxBatch) break
      batch.push(pending)
      pendingWrites.delete(pending)
    }
    return batch
  }

  const deliver = (batch: ReadonlyArray<PendingWrite<A, B, E>>, exit: Exit.Exit<ReadonlyArray<B>, E>): void =>
    batch.forEach(({ isAbandoned, complete, onAbandoned }, i) => {
      const outcome = Exit.map(exit, (outputs) => outputs[i]!)
      if (!isAbandoned) complete(outcome)
      else if (onAbandoned !== undefined) run(Effect.suspend(() => onAbandoned(outcome)))
    })

  const sendBatch = Effect.suspend(() => {
    isBatchScheduled = false
    const batch = takeBatch()
    // The batch is empty if all callers were interrupted.
    if (batch.length === 0) return Effect.void
    runningBatches++
    scheduleBatch()
    return Effect.map(Effect.exit(Effect.suspend(() => write(batch.map(({ input }) => input)))), (exit) => {
      runningBatches--
      // Schedules the next batch before outcomes are delivered, so that callers that write again immediately join the
      // batch.
      scheduleBatch()
      deliver(batch, exit)
    })
  })

  /** Schedules a batch of all waiting writes, including writes that arrive before the batch starts. */
  const scheduleBatch = (): void => {
    if (isBatchScheduled || pendingWrites.size === 0 || runningBatches === batchesInFlight) return
    isBatchScheduled = true
    run(Effect.andThen(Effect.yieldNow, sendBatch))
  }

  return (input, onAbandoned) =>
    Effect.callback((complete) => {
      const pending: PendingWrite<A, B, E> = { input, complete, onAbandoned, isAbandoned: false }
      pendingWrites.add(pending)
      scheduleBatch()
      return Effect.sync(() => {
        pendingWrites.delete(pending)
        pending.isAbandoned = true
      })
    })
}

/**
 * Batches concurrent writes. While `batchesInFlight` batches are running, new writes wait for the next batch. The write
 * of a single caller is sent immediately. The writes of many concurrent callers share a few large batches. If a batch
 * fails, only the writes of the batch fail.
 *
 * A caller that is interrupted while it waits returns immediately. A write that was already sent still completes.
 *
 * Batches run in the context of the `groupCommit` call. The context of one caller, such as a transaction, must not
 * apply to other callers' writes.
 */
export const groupCommit = <A, B, E>(
  write: (inputs: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  options: GroupCommitOptions
): Effect.Effect<GroupedWrite<A, B, E>> =>
  Effect.map(Effect.context<never>(), (context) => groupCommitInContext(context, write, options))

import { type Context, Effect, Exit } from "effect"

export interface GroupCommitOptions {
  /** At most so many writes in one batch. */
  readonly maxBatch: number
  /** At most so many batches under way at once. */
  readonly batchesInFlight: number
}

/**
 * Sends one write. `onAbandoned` is run with how it ended if it was sent for a caller that was interrupted meanwhile.
 */
export type Commit<A, B, E> = (
  input: A,
  onAbandoned?: (exit: Exit.Exit<B, E>) => Effect.Effect<void>
) => Effect.Effect<B, E>

/** A write on its way, and how it is told what it came to. */
interface Write<A, B, E> {
  readonly input: A
  readonly answer: (exit: Exit.Exit<B, E>) => void
  readonly onAbandoned: ((exit: Exit.Exit<B, E>) => Effect.Effect<void>) | undefined
  /** True once its caller has left; a write that waits is forgotten then. */
  abandoned: boolean
}

/** The same as `groupCommit`, whose batches run in `context`. */
export const groupCommitIn = <A, B, E>(
  context: Context.Context<never>,
  write: (inputs: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  { batchesInFlight, maxBatch }: GroupCommitOptions
): Commit<A, B, E> => {
  const run = Effect.runForkWith(context)
  // In the order of coming.
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
    // Its callers may all have left.
    if (batch.length === 0) return Effect.void
    underWay++
    collect()
    return Effect.map(Effect.exit(Effect.suspend(() => write(batch.map(({ input }) => input)))), (exit) => {
      underWay--
      // Before anybody is told, so that whoever comes back at once is in it.
      collect()
      tell(batch, exit)
    })
  })

  /** Lets those who wait go with the next batch, and whoever joins them in this turn of the scheduler. */
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
 * Lets concurrent writes share batches. While `batchesInFlight` batches are under way the next one collects, so a lone
 * caller waits for nobody and a crowd shares a few large batches. A batch that fails fails its own writes only.
 *
 * A caller that is interrupted while it waits leaves at once. If its write was sent already, it happens.
 *
 * Batches run in the context in which this is made, and in no caller's: what one caller has around it, such as a
 * transaction, is not the others'.
 */
export const groupCommit = <A, B, E>(
  write: (inputs: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  options: GroupCommitOptions
): Effect.Effect<Commit<A, B, E>> =>
  Effect.map(Effect.context<never>(), (context) => groupCommitIn(context, write, options))

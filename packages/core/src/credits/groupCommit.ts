import { type Context, Effect, Exit, Request, RequestResolver, Semaphore } from "effect"

interface State<B, E> {
  abandoned: boolean
  readonly onAbandoned: (exit: Exit.Exit<B, E>) => Effect.Effect<void>
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each stands in the class that is extended
class Write<A, B, E> extends Request.Class<{ readonly input: A; readonly state: State<B, E> }, B, E> {}

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

/** The same as `groupCommit`, whose batches run in `context`. */
export const groupCommitIn = <A, B, E>(
  context: Context.Context<never>,
  write: (inputs: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  { batchesInFlight, maxBatch }: GroupCommitOptions
): Commit<A, B, E> => {
  const permits = Semaphore.makeUnsafe(batchesInFlight)
  type Entry = Request.Entry<Write<A, B, E>>

  const writeBatch = (entries: ReadonlyArray<Entry>): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.exit(permits.withPermit(write(entries.map(({ request }) => request.input)))),
      (exit) => {
        const left: Array<Effect.Effect<void>> = []
        entries.forEach((entry, i) => {
          const { state } = entry.request
          const outcome = Exit.map(exit, (outputs) => outputs[i]!)
          if (state.abandoned) left.push(state.onAbandoned(outcome))
          entry.completeUnsafe(outcome)
        })
        return Effect.all(left, { concurrency: "unbounded", discard: true })
      }
    )

  const inOwnContext = <B, E>(effect: Effect.Effect<B, E>): Effect.Effect<B, E> =>
    Effect.updateContext(effect, () => context)

  const resolver = RequestResolver.make<Write<A, B, E>>((entries) => {
    if (entries.length <= maxBatch) return inOwnContext(writeBatch(entries))
    const batches: Array<ReadonlyArray<Entry>> = []
    for (let i = 0; i < entries.length; i += maxBatch) batches.push(entries.slice(i, i + maxBatch))
    return inOwnContext(Effect.forEach(batches, writeBatch, { concurrency: batchesInFlight, discard: true }))
  }).pipe(
    // A batch is closed when a permit is free, but takes the permit only when it runs: were it taken here, a batch
    // whose callers all left in between would keep it for ever.
    RequestResolver.setDelayEffect(Effect.andThen(Effect.yieldNow, permits.withPermit(Effect.void)))
  )

  return (input, onAbandoned = () => Effect.void) =>
    Effect.suspend(() => {
      const state: State<B, E> = { abandoned: false, onAbandoned }
      return Effect.onInterrupt(Effect.request(new Write<A, B, E>({ input, state }), resolver), () =>
        Effect.sync(() => {
          state.abandoned = true
        }))
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

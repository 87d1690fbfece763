import { Effect, Exit, Request, RequestResolver, Semaphore } from "effect"

interface State<B, E> {
  abandoned: boolean
  outcome: Exit.Exit<B, E> | undefined
  readonly onAbandoned: (exit: Exit.Exit<B, E>) => Effect.Effect<void>
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each stands in the class that is extended
class Write<A, B, E> extends Request.Class<{ readonly input: A; readonly state: State<B, E> }, B, E> {}

/**
 * Lets concurrent writes share batches. While `batchesInFlight` batches are under way the next one collects, so a lone
 * caller waits for nobody and a crowd shares a few large batches. A batch that fails fails its own writes only.
 *
 * A caller that is interrupted while it waits leaves at once. If its write was sent already, it happens; `onAbandoned`
 * is then run with how it ended.
 */
export const groupCommit = <A, B, E>(
  write: (inputs: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>,
  options: { readonly maxBatch: number; readonly batchesInFlight: number }
) => {
  const permits = Semaphore.makeUnsafe(options.batchesInFlight)
  type Entry = Request.Entry<Write<A, B, E>>

  const writeBatch = (entries: ReadonlyArray<Entry>): Effect.Effect<void> =>
    Effect.flatMap(
      Effect.exit(permits.withPermit(write(entries.map(({ request }) => request.input)))),
      (exit) => {
        const left: Array<Effect.Effect<void>> = []
        entries.forEach((entry, i) => {
          const { state } = entry.request
          state.outcome = Exit.map(exit, (outputs) => outputs[i]!)
          if (state.abandoned) left.push(state.onAbandoned(state.outcome))
          entry.completeUnsafe(state.outcome)
        })
        return Effect.all(left, { concurrency: "unbounded", discard: true })
      }
    )

  const resolver = RequestResolver.make<Write<A, B, E>>((entries) => {
    if (entries.length <= options.maxBatch) return writeBatch(entries)
    const batches: Array<ReadonlyArray<Entry>> = []
    for (let i = 0; i < entries.length; i += options.maxBatch) batches.push(entries.slice(i, i + options.maxBatch))
    return Effect.forEach(batches, writeBatch, { concurrency: options.batchesInFlight, discard: true })
  }).pipe(
    // A batch is closed when a permit is free, but takes the permit only when it runs: were it taken here, a batch whose
    // callers all left in between would keep it for ever.
    RequestResolver.setDelayEffect(Effect.andThen(Effect.yieldNow, permits.withPermit(Effect.void)))
  )

  return (
    input: A,
    onAbandoned: (exit: Exit.Exit<B, E>) => Effect.Effect<void> = () => Effect.void
  ): Effect.Effect<B, E> =>
    Effect.suspend(() => {
      const state: State<B, E> = { abandoned: false, outcome: undefined, onAbandoned }
      return Effect.onInterrupt(Effect.request(new Write<A, B, E>({ input, state }), resolver), () =>
        Effect.suspend(() => {
          state.abandoned = true
          // It may have ended already, with the caller interrupted before it heard.
          return state.outcome === undefined ? Effect.void : onAbandoned(state.outcome)
        }))
    })
}

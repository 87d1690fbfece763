import { type Duration, Effect, Latch, Option, type Scope, Stream } from "effect"

/** A log whose entries are numbered in their order, and where news of it comes from. */
export interface NumberedLog<A, E> {
  /** Begins to listen; `woken` returns when something may have come since it last did. */
  readonly listen: Effect.Effect<{ readonly woken: Effect.Effect<void> }, never, Scope.Scope>
  /** The next entries above a number, ascending; `ended` when no other can follow. */
  readonly read: (after: number) => Effect.Effect<{ readonly ended: boolean; readonly events: ReadonlyArray<A> }, E>
  /** Without any notice, a reader looks by itself so often. */
  readonly lookEvery: Duration.Input
}

/**
 * The entries of a log above `after`, until it has ended. Listening begins before the first page is read, so that
 * nothing falls between what is read and what is heard of.
 */
export const followLog = <A extends { readonly n: number }, E>(
  { listen, lookEvery, read }: NumberedLog<A, E>,
  after: number
): Stream.Stream<A, E> =>
  Stream.unwrap(Effect.gen(function*() {
    const { woken } = yield* listen
    const news = Latch.makeUnsafe(false)
    // At once, rather than in this fiber's next turn.
    const tell = Effect.sync(() => news.openUnsafe())
    const scope = yield* Effect.scope
    // Fibers for all notices, rather than a race and a timer for each: answers are followed word by word. Who only
    // reads what is there needs none.
    const hearing = yield* Effect.cached(Effect.andThen(
      Effect.forkIn(Effect.forever(Effect.andThen(woken, tell)), scope),
      Effect.forkIn(Effect.forever(Effect.andThen(Effect.sleep(lookEvery), tell)), scope)
    ))
    return Stream.paginate(after, (after) => {
      const next: Effect.Effect<readonly [ReadonlyArray<A>, Option.Option<number>], E> = Effect.suspend(() => {
        news.closeUnsafe()
        return Effect.flatMap(read(after), ({ ended, events }) => {
          const last = events.at(-1)?.n ?? after
          if (ended) return Effect.succeed([events, Option.none()])
          return events.length > 0
            ? Effect.succeed([events, Option.some(last)])
            : Effect.andThen(Effect.andThen(hearing, news.await), next)
        })
      })
      return next
    })
  }))

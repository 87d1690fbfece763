import { type Duration, Effect, Latch, Option, type Scope, Stream } from "effect"

/** A log of numbered entries, and the source of its notifications. */
export interface NumberedLog<A, E> {
  /** Subscribes to notifications. `woken` returns when new entries may have been written since it last returned. */
  readonly listen: Effect.Effect<{ readonly woken: Effect.Effect<void> }, never, Scope.Scope>
  /** Reads the next entries above a number, ascending. `ended` is true if no more entries can follow. */
  readonly read: (after: number) => Effect.Effect<{ readonly ended: boolean; readonly events: ReadonlyArray<A> }, E>
  /** The interval at which a reader polls if no notification arrives. */
  readonly lookEvery: Duration.Input
}

/**
 * Streams the entries of a log above `after` until the log ends. Subscribes before it reads the first page, so that no
 * entry is missed in between.
 */
export const followLog = <A extends { readonly n: number }, E>(
  { listen, lookEvery, read }: NumberedLog<A, E>,
  after: number
): Stream.Stream<A, E> =>
  Stream.unwrap(Effect.gen(function*() {
    const { woken } = yield* listen
    const news = Latch.makeUnsafe(false)
    // Immediately, and not in this fiber's next turn.
    const tell = Effect.sync(() => news.openUnsafe())
    const scope = yield* Effect.scope
    // Two fibers serve all notifications, because a race and a timer per notification are costly: answers are followed
    // word by word. A reader that never waits starts no fibers.
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

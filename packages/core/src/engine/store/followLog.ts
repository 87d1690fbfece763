import { type Duration, Effect, Latch, Option, type Scope, Stream } from "effect"

/** A log of numbered entries that notifies readers of new entries. */
export interface NumberedLog<A, E> {
  /**
   * Subscribes to notifications. `awaitNotification` waits until new entries may have been added since it last
   * returned.
   */
  readonly subscribe: Effect.Effect<{ readonly awaitNotification: Effect.Effect<void> }, never, Scope.Scope>
  /**
   * Reads the next entries with numbers above `after`, in ascending order. If `isEnded` is true, no more entries can
   * follow.
   */
  readonly read: (after: number) => Effect.Effect<{ readonly isEnded: boolean; readonly events: ReadonlyArray<A> }, E>
  /** The interval at which a reader polls if no notification arrives. */
  readonly pollInterval: Duration.Input
}

/** Streams all entries of a log with numbers above `after`, until the log ends. */
export const followLog = <A extends { readonly n: number }, E>(
  { subscribe, pollInterval, read }: NumberedLog<A, E>,
  after: number
): Stream.Stream<A, E> =>
  Stream.unwrap(Effect.gen(function*() {
    const { awaitNotification } = yield* subscribe
    const notified = Latch.makeUnsafe(false)
    // The latch opens immediately, not in the next turn of this fiber.
    const notify = Effect.sync(() => notified.openUnsafe())
    const scope = yield* Effect.scope
    // Two fibers serve all notifications, because a race and a timer per notification are costly for answers that
    // stream word by word. A reader that never waits starts no fibers.
    const startNotifiers = yield* Effect.cached(Effect.andThen(
      Effect.forkIn(Effect.forever(Effect.andThen(awaitNotification, notify)), scope),
      Effect.forkIn(Effect.forever(Effect.andThen(Effect.sleep(pollInterval), notify)), scope)
    ))
    return Stream.paginate(after, (after) => {
      const next: Effect.Effect<readonly [ReadonlyArray<A>, Option.Option<number>], E> = Effect.suspend(() => {
        notified.closeUnsafe()
        return Effect.flatMap(read(after), ({ isEnded, events }) => {
          const last = events.at(-1)?.n ?? after
          if (isEnded) return Effect.succeed([events, Option.none()])
          return events.length > 0
            ? Effect.succeed([events, Option.some(last)])
            : Effect.andThen(Effect.andThen(startNotifiers, notified.await), next)
        })
      })
      return next
    })
  }))

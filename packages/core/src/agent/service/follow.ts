import { Effect, Latch, Option, Stream } from "effect"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import type { LoggedEvent } from "../event.ts"
import type { GenerationLog } from "../GenerationLog.ts"

const page = 64
/** Without any notice, a reader looks by itself. */
const lookEvery = "5 seconds"

/**
 * The events of a log above `after`, until it has ended. Listening begins before the first page is read, so that
 * nothing falls between what is read and what is heard of.
 */
export const follow = (
  log: GenerationLog["Service"],
  generation: number,
  after: number
): Stream.Stream<LoggedEvent, StoreUnavailable> =>
  Stream.unwrap(Effect.gen(function*() {
    const { woken } = yield* log.listen(generation)
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
      const next: Effect.Effect<
        readonly [ReadonlyArray<LoggedEvent>, Option.Option<number>],
        StoreUnavailable
      > = Effect.suspend(() => {
        news.closeUnsafe()
        return Effect.flatMap(log.read(generation, after, page), ({ ended, events }) => {
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

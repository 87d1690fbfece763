import { Data, Effect, Schedule } from "effect"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import type { GenerationEvent } from "../event.ts"
import type { Generation, StoredStep } from "../generation.ts"
import type { End, GenerationStore } from "../GenerationStore.ts"

/** Somebody else runs the generation by now, or has ended it: nothing that this runner does counts any more. */
export class FenceLost extends Data.TaggedError("FenceLost") {}

/** How long a store that is away is waited for: 50 ms at first, then every second. */
const patience = {
  schedule: Schedule.min([Schedule.exponential("50 millis"), Schedule.spaced("1 second")]),
  times: 35
} as const

/** What a runner writes with, in the name of what it took. */
export interface Pen {
  /** Steps and events, at once. */
  readonly write: (
    steps: ReadonlyArray<StoredStep>,
    events: ReadonlyArray<GenerationEvent>
  ) => Effect.Effect<void, FenceLost | StoreUnavailable>
  readonly end: (end: End) => Effect.Effect<void, FenceLost | StoreUnavailable>
  /** Says that the runner lives; false when it is held no more. */
  readonly renew: Effect.Effect<boolean, StoreUnavailable>
}

/**
 * Each write says which number the next event has, so that it is made once however often it is tried. Where the answer
 * to one is lost, the row tells whether it was made: its number has moved on by what was written.
 */
export const makePen = (store: GenerationStore["Service"], generation: Generation): Pen => {
  const { epoch, id } = generation
  let { nextN } = generation

  /** What became of a write of `count` events that was refused, or whose answer was lost for `doubt`. */
  const look = Effect.fnUntraced(function*(
    count: number,
    doubt: StoreUnavailable | null
  ): Effect.fn.Return<void, FenceLost | StoreUnavailable> {
    const row = yield* store.find(id)
    if (row === null || row.epoch !== epoch) return yield* new FenceLost()
    if (row.nextN === nextN + count) return
    if (row.state !== "running") return yield* new FenceLost()
    // Not made yet, and perhaps still under way: trying again does no harm.
    if (row.nextN === nextN && doubt !== null) return yield* doubt
    return yield* Effect.die(new Error(`generation ${id} was written beside its runner`))
  })

  const once = (count: number, write: Effect.Effect<boolean, StoreUnavailable>) =>
    write.pipe(
      Effect.matchEffect({
        onFailure: (doubt) => look(count, doubt),
        onSuccess: (held) => held ? Effect.void : look(count, null)
      }),
      Effect.retry({ ...patience, while: ({ _tag }) => _tag === "StoreUnavailable" }),
      Effect.tap(() => Effect.sync(() => void (nextN += count)))
    )

  const fence = () => ({ generation: id, epoch, nextN })

  return {
    write: (steps, events) =>
      steps.length === 0 && events.length === 0
        ? Effect.void
        : once(
          events.length,
          Effect.suspend(() => steps.length === 0 ? store.append(fence(), events) : store.store(fence(), steps, events))
        ),
    end: (end) =>
      once(
        end.events({ _tag: "Ended", creditsLeft: 0 }).length,
        Effect.suspend(() => Effect.map(store.end(fence(), end), ({ held }) => held))
      ),
    renew: Effect.suspend(() => store.renew({ generation: id, epoch }))
  }
}

import type { SourceUnavailable } from "@tapeline/core/market"
import type {
  EventRow,
  EventsKind,
  Fence,
  MarketStore,
  MarketStoreRefusal,
  Superseded
} from "@tapeline/core/market/store"
import type { StoreUnavailable } from "@tapeline/core/store"
import { Clock, Effect, Result } from "effect"
import type { Collecting } from "./Collecting.ts"
import type { EventsCollector, ToldEvents } from "./collector.ts"
import { type CollectPace, type Ended, pauseAfter } from "./pacing.ts"

interface Collects {
  readonly collector: EventsCollector
  readonly fence: Fence
  readonly store: MarketStore["Service"]
  readonly collecting: Collecting
  readonly pace: CollectPace
}

type Failed = SourceUnavailable | StoreUnavailable | MarketStoreRefusal

/** Events of one write: what they hold together is bounded. */
const writtenTogether = 500

interface Part {
  readonly events: ReadonlyArray<EventRow<never>>
  readonly removed: ReadonlyArray<string>
}

const halvesOf = ({ events, removed }: Part): ReadonlyArray<Part> => {
  const [half, rest] = [Math.ceil(events.length / 2), Math.ceil(removed.length / 2)]
  return [
    { events: events.slice(0, half), removed: removed.slice(0, rest) },
    { events: events.slice(half), removed: removed.slice(rest) }
  ]
}

const partsOf = ({ events, removed = [] }: ToldEvents): ReadonlyArray<Part> => {
  const parts: Array<Part> = []
  const count = Math.max(events.length, removed.length)
  for (let at = 0; at < count; at += writtenTogether) {
    parts.push({
      events: events.slice(at, at + writtenTogether),
      removed: removed.slice(at, at + writtenTogether)
    })
  }
  return parts
}

/** Writes what happened, as it is told on a grid, under one lead, for ever. */
export const collectEvents = ({ collecting, collector, fence, pace, store }: Collects): Effect.Effect<
  never,
  Superseded
> => {
  // Its events are of this kind's columns.
  const kind = collector.kind as EventsKind<never>
  const failed = (error: Failed): Effect.Effect<Ended> =>
    Effect.as(
      error._tag === "SourceUnavailable"
        ? collecting.sourceFailed(error)
        : collecting.failed(error._tag === "StoreUnavailable" ? "store" : "refused", error.message),
      "failed"
    )
  /** Writes together; what is refused is written by halves, so that one that cannot be taken holds up no other. */
  const write = (part: Part): Effect.Effect<boolean, Superseded | StoreUnavailable> =>
    Effect.gen(function*() {
      const written = yield* Effect.result(store.writeEvents({ kind, fence, ...part }))
      if (Result.isSuccess(written)) return yield* Effect.as(collecting.wrote(written.success.changed), true)
      const error = written.failure
      if (error._tag !== "MarketStoreRefusal") return yield* error
      if (part.events.length + part.removed.length > 1) {
        return (yield* Effect.forEach(halvesOf(part), write)).every((isTaken) => isTaken)
      }
      yield* Effect.logError("The market store does not take what was collected", error.message)
      return yield* Effect.as(failed(error), false)
    })
  const once = (ask: Effect.Effect<ToldEvents, Failed>) =>
    Effect.gen(function*(): Effect.fn.Return<Ended, Superseded | Failed> {
      const told = yield* ask
      for (const fault of told.faults) yield* collecting.sourceFailed(fault)
      let isTaken = true
      for (const part of partsOf(told)) isTaken = (yield* write(part)) && isTaken
      // What is refused once is refused always: it is left out.
      yield* told.written ?? Effect.void
      // Those that failed are asked again with all others: nobody is asked more often for another's fault.
      if (told.faults.length === 0 && isTaken) yield* collecting.isWhole(yield* Clock.currentTimeMillis)
      return "whole"
    })
  const ended = (run: Effect.Effect<Ended, Superseded | Failed>) =>
    Effect.catchTags(run, { SourceUnavailable: failed, StoreUnavailable: failed, MarketStoreRefusal: failed })
  const pause = (end: Ended) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(pauseAfter(end, collector, pace, now)))
  const begun: Effect.Effect<Effect.Success<ReturnType<EventsCollector["begin"]>>> = Effect.catch(
    collector.begin(store),
    (error) => Effect.andThen(Effect.flatMap(failed(error), pause), Effect.suspend(() => begun))
  )
  return Effect.flatMap(begun, ({ ask }) => Effect.forever(Effect.flatMap(ended(once(ask)), pause)))
}

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
import { Clock, Effect } from "effect"
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

const partsOf = ({ events, removed = [] }: ToldEvents) => {
  const parts: Array<{ readonly events: ReadonlyArray<EventRow<never>>; readonly removed: ReadonlyArray<string> }> = []
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
  const once = (ask: Effect.Effect<ToldEvents, Failed>) =>
    Effect.gen(function*(): Effect.fn.Return<Ended, Superseded | Failed> {
      const told = yield* ask
      for (const fault of told.faults) yield* collecting.sourceFailed(fault)
      for (const part of partsOf(told)) {
        const { changed } = yield* store.writeEvents({ kind, fence, ...part })
        yield* collecting.wrote(changed)
      }
      yield* told.written ?? Effect.void
      // Those that failed are asked again with all others: nobody is asked more often for another's fault.
      if (told.faults.length === 0) yield* collecting.isWhole(yield* Clock.currentTimeMillis)
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

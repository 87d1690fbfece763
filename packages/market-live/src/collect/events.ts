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

/** So many of them may be refused, each found among the others: where more are, it is about no single one. */
const mostRefused = 20

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
  /** Said once a round, and asked for again in the next one: those who told it are not asked sooner for that. */
  const refusedBy = ({ message }: MarketStoreRefusal, count: number): Effect.Effect<void> =>
    Effect.logError(
      `The market store does not take what was collected${count > 1 ? ` (${count} of it)` : ""}`,
      message
    ).pipe(Effect.andThen(collecting.failed("refused", message)))
  /**
   * Writes together, and tells what is refused. A part that is refused is written by halves, so that one that cannot be
   * taken holds up no other; but not where the store is full, which every half would meet.
   */
  const write = (
    part: Part,
    refused: Array<MarketStoreRefusal>
  ): Effect.Effect<void, Superseded | StoreUnavailable | MarketStoreRefusal> =>
    Effect.gen(function*() {
      if (refused.length >= mostRefused) return
      const written = yield* Effect.result(store.writeEvents({ kind, fence, ...part }))
      if (Result.isSuccess(written)) return yield* collecting.wrote(written.success.changed)
      const error = written.failure
      if (error._tag !== "MarketStoreRefusal" || error.isFull === true) return yield* error
      if (part.events.length + part.removed.length > 1) {
        for (const half of halvesOf(part)) yield* write(half, refused)
      } else refused.push(error)
    })
  const once = (ask: Effect.Effect<ToldEvents, Failed>) =>
    Effect.gen(function*(): Effect.fn.Return<Ended, Superseded | Failed> {
      const told = yield* ask
      for (const fault of told.faults) yield* collecting.sourceFailed(fault)
      const refused: Array<MarketStoreRefusal> = []
      for (const part of partsOf(told)) yield* write(part, refused)
      const [first] = refused
      if (first !== undefined) yield* refusedBy(first, refused.length)
      // Of a few, what is refused once is refused always: they are left out. Else all is told again.
      if (refused.length >= mostRefused) return "whole"
      yield* told.written ?? Effect.void
      // Those that failed are asked again with all others: nobody is asked more often for another's fault.
      if (told.faults.length === 0 && first === undefined) yield* collecting.isWhole(yield* Clock.currentTimeMillis)
      return "whole"
    })
  const ended = (run: Effect.Effect<Ended, Superseded | Failed>) =>
    Effect.catchTags(run, {
      SourceUnavailable: failed,
      StoreUnavailable: failed,
      MarketStoreRefusal: (error) => Effect.as(refusedBy(error, 1), "whole" as const)
    })
  const pause = (end: Ended) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(pauseAfter(end, collector, pace, now)))
  const begun: Effect.Effect<Effect.Success<ReturnType<EventsCollector["begin"]>>> = Effect.catch(
    collector.begin(store),
    (error) => Effect.andThen(Effect.flatMap(failed(error), pause), Effect.suspend(() => begun))
  )
  return Effect.flatMap(begun, ({ ask }) => Effect.forever(Effect.flatMap(ended(once(ask)), pause)))
}

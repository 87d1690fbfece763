import type { StoreUnavailable } from "@tapeline/core/engine"
import type { SourceUnavailable } from "@tapeline/core/market"
import type {
  EventRow,
  EventsKind,
  Fence,
  MarketStore,
  MarketStoreRefusal,
  Superseded
} from "@tapeline/core/market/store"
import { Clock, Effect, Result } from "effect"
import type { EventsCollector, EventsResponse } from "./collector.ts"
import type { CollectorMonitor } from "./CollectorMonitor.ts"
import { type CollectPace, pauseAfter, type TickOutcome } from "./CollectPace.ts"

interface CollectContext {
  readonly collector: EventsCollector
  readonly fence: Fence
  readonly store: MarketStore["Service"]
  readonly monitor: CollectorMonitor
  readonly pace: CollectPace
}

type CollectError = SourceUnavailable | StoreUnavailable | MarketStoreRefusal

const maxEventsPerWrite = 500

/**
 * The maximum number of rejected rows to find in one round. If more rows are rejected, the cause is probably not a few
 * invalid rows.
 */
const maxIsolatedRejections = 20

interface WritePart {
  readonly events: ReadonlyArray<EventRow<never>>
  readonly removed: ReadonlyArray<string>
}

const splitInHalves = ({ events, removed }: WritePart): ReadonlyArray<WritePart> => {
  const [half, rest] = [Math.ceil(events.length / 2), Math.ceil(removed.length / 2)]
  return [
    { events: events.slice(0, half), removed: removed.slice(0, rest) },
    { events: events.slice(half), removed: removed.slice(rest) }
  ]
}

interface RejectedRows {
  readonly error: MarketStoreRefusal
  readonly rows: number
}

const rowKey = (row: EventRow<never> | string): string => JSON.stringify(row)

/**
 * The rows that the store rejected since this process became leader. A rejected row is not written again while the
 * source lists the row.
 */
class KnownRejections {
  #known = new Map<string, MarketStoreRefusal>()

  add(row: EventRow<never> | string, error: MarketStoreRefusal): void {
    this.#known.set(rowKey(row), error)
  }

  /** Returns the rows that were not rejected before, and forgets rejected rows that the source no longer lists. */
  partition({ events, removed = [] }: EventsResponse) {
    const known = this.#known
    const isNew = (row: EventRow<never> | string) => known.size === 0 || !known.has(rowKey(row))
    const rest = { events: events.filter(isNew), removed: removed.filter(isNew) }
    const repeatedKeys = [...events, ...removed].filter((row) => !isNew(row)).map(rowKey)
    this.#known = new Map(repeatedKeys.map((name) => [name, known.get(name)!]))
    return { rest, again: [...this.#known.values()] }
  }
}

const splitIntoParts = (
  { events, removed = [] }: Pick<EventsResponse, "events" | "removed">
): ReadonlyArray<WritePart> => {
  const parts: Array<WritePart> = []
  const count = Math.max(events.length, removed.length)
  for (let at = 0; at < count; at += maxEventsPerWrite) {
    parts.push({
      events: events.slice(at, at + maxEventsPerWrite),
      removed: removed.slice(at, at + maxEventsPerWrite)
    })
  }
  return parts
}

interface WriteContext extends Pick<CollectContext, "fence" | "monitor" | "store"> {
  readonly kind: EventsKind<never>
  readonly known: KnownRejections
}

/**
 * Writes events. If the store rejects a write, splits the write in halves, so that an invalid row does not block the
 * other rows. A write that fails because the store is full is not split.
 */
const writePart = (
  { monitor, fence, kind, known, store }: WriteContext,
  part: WritePart,
  rejected: Array<RejectedRows>
): Effect.Effect<void, Superseded | StoreUnavailable | MarketStoreRefusal> =>
  Effect.gen(function*() {
    const written = yield* Effect.result(store.writeEvents({ kind, fence, ...part }))
    if (Result.isSuccess(written)) return yield* monitor.countWritten(written.success.changed)
    const error = written.failure
    if (error._tag !== "MarketStoreRefusal" || error.isFull === true) return yield* error
    const rows = [...part.events, ...part.removed]
    if (rows.length === 1) {
      known.add(rows[0]!, error)
      rejected.push({ error, rows: 1 })
    } else if (rejected.length < maxIsolatedRejections) {
      for (const half of splitInHalves(part)) yield* writePart({ monitor, fence, kind, known, store }, half, rejected)
    } else rejected.push({ error, rows: rows.length })
  })

/** Writes the events that a source lists, at regular intervals, while the process leads the source. */
export const collectEvents = ({ monitor, collector, fence, pace, store }: CollectContext): Effect.Effect<
  never,
  Superseded
> => {
  const rejections = new KnownRejections()
  // The type cast is safe, because a collector's events have exactly the columns of the collector's kind.
  const context = { monitor, fence, store, known: rejections, kind: collector.kind as EventsKind<never> }
  const recordError = (error: CollectError): Effect.Effect<TickOutcome> =>
    Effect.as(
      error._tag === "SourceUnavailable"
        ? monitor.recordSourceFailure(error)
        : monitor.recordFailure(error._tag === "StoreUnavailable" ? "store" : "refused", error.message),
      "failed"
    )
  /**
   * Logs that the store rejected rows, and records a failure of the collector. Unlike a failed request, a rejection by
   * the store does not cause an earlier next round.
   */
  const recordRejection = (error: MarketStoreRefusal, rows: number): Effect.Effect<void> =>
    Effect.logError(
      `The market store rejected collected data${rows > 1 ? ` (${rows} rows)` : ""}`,
      error.message
    ).pipe(Effect.andThen(monitor.recordFailure("refused", error.message)))
  const collectOnce = (fetch: Effect.Effect<EventsResponse, CollectError>) =>
    Effect.gen(function*(): Effect.fn.Return<TickOutcome, Superseded | CollectError> {
      const response = yield* fetch
      for (const fault of response.faults) yield* monitor.recordSourceFailure(fault)
      const { again, rest } = rejections.partition(response)
      const rejected: Array<RejectedRows> = []
      for (const part of splitIntoParts(rest)) yield* writePart(context, part, rejected)
      const [first] = rejected
      if (first !== undefined) yield* recordRejection(first.error, rejected.reduce((sum, { rows }) => sum + rows, 0))
      else if (again[0] !== undefined) yield* monitor.recordFailure("refused", again[0].message)
      // A few rejected rows are skipped, but after many rejections all rows are requested again.
      if (again.length + rejected.length >= maxIsolatedRejections) return "whole"
      yield* response.onWritten ?? Effect.void
      // The failure of one feed must not increase the polling of other feeds.
      const faults = response.faults.length + again.length + rejected.length
      if (faults === 0) yield* monitor.recordComplete(yield* Clock.currentTimeMillis)
      return "whole"
    })
  const outcomeOf = (run: Effect.Effect<TickOutcome, Superseded | CollectError>) =>
    Effect.catchTags(run, {
      SourceUnavailable: recordError,
      StoreUnavailable: recordError,
      MarketStoreRefusal: (error) => Effect.as(recordRejection(error, 1), "whole" as const)
    })
  const pauseAfterTick = (outcome: TickOutcome) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.sleep(pauseAfter(outcome, collector, pace, now)))
  const started: Effect.Effect<Effect.Success<ReturnType<EventsCollector["start"]>>> = Effect.catch(
    collector.start(store),
    (error) => Effect.andThen(Effect.flatMap(recordError(error), pauseAfterTick), Effect.suspend(() => started))
  )
  return Effect.flatMap(
    started,
    ({ fetch }) => Effect.forever(Effect.flatMap(outcomeOf(collectOnce(fetch)), pauseAfterTick))
  )
}

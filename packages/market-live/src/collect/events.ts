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

/** The maximum number of events in one write. */
const writtenTogether = 500

/**
 * The maximum number of rejected rows that one round isolates. If there are more, the cause may not be a single row.
 */
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

/** Rows of a round that the store rejected: one row, or several together. */
interface Refused {
  readonly error: MarketStoreRefusal
  readonly rows: number
}

/** The identity of a row's content. Another text of the same event is another row. */
const rowName = (row: EventRow<never> | string): string => JSON.stringify(row)

/** Rows that the store rejected under one lead. They are not written again while the source still lists them. */
class RefusedBefore {
  #known = new Map<string, MarketStoreRefusal>()

  add(row: EventRow<never> | string, error: MarketStoreRefusal): void {
    this.#known.set(rowName(row), error)
  }

  /** Separates new rows from rows that were rejected before. Forgets rejected rows that the source no longer lists. */
  split({ events, removed = [] }: ToldEvents) {
    const known = this.#known
    const isNew = (row: EventRow<never> | string) => known.size === 0 || !known.has(rowName(row))
    const rest = { events: events.filter(isNew), removed: removed.filter(isNew) }
    const again = [...events, ...removed].filter((row) => !isNew(row)).map(rowName)
    this.#known = new Map(again.map((name) => [name, known.get(name)!]))
    return { rest, again: [...this.#known.values()] }
  }
}

const partsOf = ({ events, removed = [] }: Pick<ToldEvents, "events" | "removed">): ReadonlyArray<Part> => {
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

interface Writes extends Pick<Collects, "collecting" | "fence" | "store"> {
  readonly kind: EventsKind<never>
  readonly known: RefusedBefore
}

/**
 * Writes a part, and collects rejected rows. A rejected part is split in halves, so that one bad row does not block the
 * others. It is not split if the store is full, because every half would be rejected. Once `mostRefused` rows are
 * found, the rest is examined in the next round.
 */
const write = (
  { collecting, fence, kind, known, store }: Writes,
  part: Part,
  refused: Array<Refused>
): Effect.Effect<void, Superseded | StoreUnavailable | MarketStoreRefusal> =>
  Effect.gen(function*() {
    const written = yield* Effect.result(store.writeEvents({ kind, fence, ...part }))
    if (Result.isSuccess(written)) return yield* collecting.wrote(written.success.changed)
    const error = written.failure
    if (error._tag !== "MarketStoreRefusal" || error.isFull === true) return yield* error
    const rows = [...part.events, ...part.removed]
    if (rows.length === 1) {
      known.add(rows[0]!, error)
      refused.push({ error, rows: 1 })
    } else if (refused.length < mostRefused) {
      for (const half of halvesOf(part)) yield* write({ collecting, fence, kind, known, store }, half, refused)
    } else refused.push({ error, rows: rows.length })
  })

/** Writes events that a source lists on a grid, under one lead, for ever. */
export const collectEvents = ({ collecting, collector, fence, pace, store }: Collects): Effect.Effect<
  never,
  Superseded
> => {
  const known = new RefusedBefore()
  // The events have the columns of this kind.
  const writes = { collecting, fence, store, known, kind: collector.kind as EventsKind<never> }
  const failed = (error: Failed): Effect.Effect<Ended> =>
    Effect.as(
      error._tag === "SourceUnavailable"
        ? collecting.sourceFailed(error)
        : collecting.failed(error._tag === "StoreUnavailable" ? "store" : "refused", error.message),
      "failed"
    )
  /** Logs once per round. Rejected rows are requested again in the next round; their sources are not polled sooner. */
  const refusedBy = (error: MarketStoreRefusal, rows: number): Effect.Effect<void> =>
    Effect.logError(
      `The market store does not take what was collected${rows > 1 ? ` (${rows} of it)` : ""}`,
      error.message
    ).pipe(Effect.andThen(collecting.failed("refused", error.message)))
  const once = (ask: Effect.Effect<ToldEvents, Failed>) =>
    Effect.gen(function*(): Effect.fn.Return<Ended, Superseded | Failed> {
      const told = yield* ask
      for (const fault of told.faults) yield* collecting.sourceFailed(fault)
      const { again, rest } = known.split(told)
      const refused: Array<Refused> = []
      for (const part of partsOf(rest)) yield* write(writes, part, refused)
      const [first] = refused
      if (first !== undefined) yield* refusedBy(first.error, refused.reduce((sum, { rows }) => sum + rows, 0))
      else if (again[0] !== undefined) yield* collecting.failed("refused", again[0].message)
      // A few rejected rows are always rejected, so they are left out. If there are many, all rows are requested again.
      if (again.length + refused.length >= mostRefused) return "whole"
      yield* told.written ?? Effect.void
      // Failed feeds are requested again together with all others, so that no source is polled more often because of
      // another one's fault.
      const faults = told.faults.length + again.length + refused.length
      if (faults === 0) yield* collecting.isWhole(yield* Clock.currentTimeMillis)
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

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

/** Events of one write: what they hold together is bounded. */
const writtenTogether = 500

/** So many that are refused are found among the others in one round: where more are, it may be about no single one. */
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

/** What was refused of a round, row by row or several at once. */
interface Refused {
  readonly error: MarketStoreRefusal
  readonly rows: number
}

/** A row as it is: another text of the same event is another row. */
const rowName = (row: EventRow<never> | string): string => JSON.stringify(row)

/** Rows that the store refused under one lead: they are not looked for again among others while they are told. */
class RefusedBefore {
  #known = new Map<string, MarketStoreRefusal>()

  add(row: EventRow<never> | string, error: MarketStoreRefusal): void {
    this.#known.set(rowName(row), error)
  }

  /** What is told beside them; those that are told no more are forgotten. */
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
 * Writes together, and tells what is refused. A part that is refused is written by halves, so that one that cannot be
 * taken holds up no other; but not where the store is full, which every half would meet, nor where enough was found:
 * what is refused together then is looked through in the next round.
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

/** Writes what happened, as it is told on a grid, under one lead, for ever. */
export const collectEvents = ({ collecting, collector, fence, pace, store }: Collects): Effect.Effect<
  never,
  Superseded
> => {
  const known = new RefusedBefore()
  // Its events are of this kind's columns.
  const writes = { collecting, fence, store, known, kind: collector.kind as EventsKind<never> }
  const failed = (error: Failed): Effect.Effect<Ended> =>
    Effect.as(
      error._tag === "SourceUnavailable"
        ? collecting.sourceFailed(error)
        : collecting.failed(error._tag === "StoreUnavailable" ? "store" : "refused", error.message),
      "failed"
    )
  /** Said once a round, and asked for again in the next one: those who told it are not asked sooner for that. */
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
      // Of a few, what is refused once is refused always: they are left out. Else all is told again.
      if (again.length + refused.length >= mostRefused) return "whole"
      yield* told.written ?? Effect.void
      // Those that failed are asked again with all others: nobody is asked more often for another's fault.
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

import type { StoreUnavailable } from "@tapeline/core/engine"
import {
  type Covering,
  type EventsKind,
  type EventsWrite,
  type Fence,
  type MarketStore,
  type MarketStoreRefusal,
  ranges,
  type Superseded,
  within
} from "@tapeline/core/market/store"
import { Clock, Effect, Result, type Scope } from "effect"
import type { Collecting } from "./Collecting.ts"
import type { StreamCollector } from "./collector.ts"
import type { CollectPace } from "./pacing.ts"
import { type Heard, stretchOf } from "./stretch.ts"

type Covered = ReadonlyArray<Covering & { readonly subject: string }>
type ToWrite = Omit<EventsWrite<never>, "fence" | "kind">

/** The maximum number of events in one write. */
const writtenTogether = 1_000

/**
 * Splits a write into consecutive parts, at least one. Removals by id prefix go first, because the events arrived after
 * them.
 */
const partsOf = ({ events, removed = [], removedUnder = [] }: ToWrite): ReadonlyArray<ToWrite> => {
  const count = Math.max(1, Math.ceil(Math.max(events.length, removed.length) / writtenTogether))
  return Array.from({ length: count }, (_, i) => {
    const part = <A>(all: ReadonlyArray<A>) => all.slice(i * writtenTogether, (i + 1) * writtenTogether)
    return { events: part(events), removed: part(removed), removedUnder: i === 0 ? removedUnder : [] }
  })
}

const saysNothing = ({ events, removed = [], removedUnder = [] }: ToWrite): boolean =>
  events.length + removed.length + removedUnder.length === 0

/** The interval at which the subjects are requested again. */
const subjectsEveryMs = 600_000

const asLost = (covering: Covered): Covered =>
  covering.map(({ covers = [], lost = [], subject }) => ({ subject, lost: ranges([...covers, ...lost]) }))

/** Writes the events of a stream as they arrive, under one lead. */
export class StreamWriter {
  readonly #collector: StreamCollector
  readonly #fence: Fence
  readonly #store: MarketStore["Service"]
  readonly #collecting: Collecting
  readonly #pace: CollectPace
  #subjects: ReadonlyArray<string> = []
  #askedAt = -Infinity
  /** Subjects whose losses before the first subscription are already recorded. */
  readonly #begun = new Set<string>()
  /** For subjects that were added later: the time from which the stream covers them. */
  readonly #since = new Map<string, number>()
  #takenAt = -Infinity
  #coveredFrom: number | undefined

  constructor(
    { collecting, collector, fence, pace, store }: {
      readonly collector: StreamCollector
      readonly fence: Fence
      readonly store: MarketStore["Service"]
      readonly collecting: Collecting
      readonly pace: CollectPace
    }
  ) {
    this.#collector = collector
    this.#fence = fence
    this.#store = store
    this.#collecting = collecting
    this.#pace = pace
  }

  /** Runs the stream. Nothing is taken during a write; events that arrive meanwhile wait in a bounded queue. */
  get forever(): Effect.Effect<never, Superseded> {
    return Effect.scoped(Effect.gen({ self: this }, function*() {
      // The subjects are requested first, because the subscription depends on them.
      yield* this.#know()
      const { take } = yield* this.#listening()
      while (true) {
        const heard = yield* take
        // Events of the current millisecond may already have been taken.
        this.#takenAt = Math.floor(yield* Clock.currentTimeMillis) + 1
        yield* this.#tell(heard)
        yield* this.#know()
        yield* Effect.sleep(this.#pace.streamMs)
      }
    }))
  }

  /** Requests the subjects, if they are due. Waits until they are known once, because the subscription needs them. */
  #know(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      while ((yield* Clock.currentTimeMillis) - this.#askedAt >= subjectsEveryMs) {
        const asked = yield* Effect.result(this.#collector.subjects)
        if (Result.isSuccess(asked)) {
          this.#follow(asked.success)
          this.#askedAt = yield* Clock.currentTimeMillis
          return
        }
        yield* this.#collecting.sourceFailed(asked.failure)
        if (this.#subjects.length > 0) return
        yield* Effect.sleep(this.#pace.againMs)
      }
    })
  }

  #follow(subjects: ReadonlyArray<string>): void {
    const [before, after] = [new Set(this.#subjects), new Set(subjects)]
    if (this.#askedAt > -Infinity) {
      for (const subject of subjects) if (!before.has(subject)) this.#since.set(subject, this.#takenAt)
    }
    // A subject that returns has lost the events of the time in which it was not listed.
    for (const subject of before) if (!after.has(subject)) this.#begun.delete(subject)
    this.#subjects = subjects
  }

  #sinceOf(subject: string, at: number): number {
    return Math.max(at, this.#since.get(subject) ?? at)
  }

  #tell(heard: ReadonlyArray<Heard>): Effect.Effect<void, Superseded> {
    return Effect.gen({ self: this }, function*() {
      const before = this.#coveredFrom
      const { coveredFrom, covers, lost, ...told } = stretchOf(before, heard)
      this.#coveredFrom = coveredFrom
      const first = covers[0]?.from ?? lost[0]?.from
      if (first !== undefined) yield* this.#begin(first)
      const covering = covers.length + lost.length === 0
        ? []
        : this.#subjects.flatMap((subject) => {
          const own = { from: this.#sinceOf(subject, -Infinity), to: Infinity }
          const one = { subject, covers: within(covers, own), lost: within(lost, own) }
          return one.covers.length + one.lost.length === 0 ? [] : [one]
        })
      if (saysNothing(told) && covering.length === 0) return
      // The coverage is written with the last part.
      const parts = partsOf(told)
      let isTaken = true
      for (const [i, part] of parts.entries()) {
        const isLast: boolean = i === parts.length - 1 && isTaken
        isTaken = (yield* this.#write(isLast ? { ...part, covering } : part)) && isTaken
      }
      if (!isTaken && covering.length > 0) yield* this.#write({ events: [], covering: asLost(covering) })
      const end = covers.at(-1)?.to
      if (end !== undefined) yield* this.#collecting.isWhole(end)
    })
  }

  /** Records that subjects which are subscribed for the first time lost everything since their last record. */
  #begin(at: number): Effect.Effect<void, Superseded> {
    return Effect.gen({ self: this }, function*() {
      const fresh = this.#subjects.filter((subject) => !this.#begun.has(subject))
      if (fresh.length === 0) return
      const covering = yield* this.#untilAnswered(this.#lostBefore(fresh, at))
      if (covering.length > 0) yield* this.#write({ events: [], covering })
      for (const subject of fresh) this.#begun.add(subject)
    })
  }

  #lostBefore(
    subjects: ReadonlyArray<string>,
    at: number
  ): Effect.Effect<Covered, StoreUnavailable | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      const { kind } = this.#collector
      const known: Array<{ readonly subject: string; readonly since: number; readonly until: number }> = []
      for (const [subject, { since }] of yield* this.#store.recorded({ kind, subjects })) {
        const until = this.#sinceOf(subject, at)
        if (since !== null && since < until) known.push({ subject, since, until })
      }
      if (known.length === 0) return []
      const from = Math.min(...known.map(({ since }) => since))
      const to = Math.max(...known.map(({ until }) => until))
      const gaps = yield* this.#store.gaps({ kind, subjects: known.map(({ subject }) => subject), from, to })
      return known.flatMap(({ since, subject, until }) => {
        const lost = within(gaps.get(subject)!.missing, { from: since, to: until }).slice(-1_000)
        return lost.length === 0 ? [] : [{ subject, lost }]
      })
    })
  }

  #untilAnswered<A>(ask: Effect.Effect<A, StoreUnavailable | MarketStoreRefusal>): Effect.Effect<A> {
    return Effect.catch(ask, (error) =>
      Effect.andThen(
        Effect.andThen(this.#failed(error), Effect.sleep(this.#pace.moreMs)),
        Effect.suspend(() => this.#untilAnswered(ask))
      ))
  }

  #listening(): Effect.Effect<Effect.Success<StreamCollector["listen"]>, never, Scope.Scope> {
    const { listen, listenFrom } = this.#collector
    if (listenFrom === undefined) return listen
    return Effect.flatMap(
      this.#untilAnswered(this.#recordedUntil()),
      (recordedUntil) => recordedUntil === null ? listen : listenFrom(recordedUntil)
    )
  }

  /** The time up to which all known subjects are recorded; null if none was recorded before. */
  #recordedUntil(): Effect.Effect<number | null, StoreUnavailable | MarketStoreRefusal> {
    const asked = this.#store.recorded({ kind: this.#collector.kind, subjects: this.#subjects })
    return Effect.map(asked, (records) => {
      const known = [...records.values()].filter(({ since }) => since !== null)
      return known.length === 0 ? null : Math.min(...known.map(({ contiguousUntil }) => contiguousUntil))
    })
  }

  /**
   * Writes, and retries until the store responds. Returns false if the store rejects the write. The data is then lost,
   * because a stream does not repeat it.
   */
  #write(write: ToWrite): Effect.Effect<boolean, Superseded> {
    // `streamCollector` ensures that the events have the columns of this kind.
    const kind = this.#collector.kind as EventsKind<never>
    return Effect.catchTags(
      Effect.flatMap(
        this.#store.writeEvents({ kind, fence: this.#fence, ...write }),
        ({ changed }) => Effect.as(this.#collecting.wrote(changed), true)
      ),
      {
        StoreUnavailable: (error) =>
          Effect.andThen(
            Effect.andThen(this.#failed(error), Effect.sleep(this.#pace.moreMs)),
            Effect.suspend(() => this.#write(write))
          ),
        MarketStoreRefusal: (error) => Effect.as(this.#failed(error), false)
      }
    )
  }

  #failed(error: StoreUnavailable | MarketStoreRefusal): Effect.Effect<void> {
    return error._tag === "StoreUnavailable"
      ? this.#collecting.failed("store", error.message)
      : Effect.andThen(
        Effect.logError("The market store does not take what was collected", error.message),
        this.#collecting.failed("refused", error.message)
      )
  }
}

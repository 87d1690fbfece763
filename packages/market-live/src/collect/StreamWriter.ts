import type { StoreUnavailable } from "@tapeline/core/engine"
import {
  clipRanges,
  type CoverageUpdate,
  type EventsKind,
  type EventsWrite,
  type Fence,
  type MarketStore,
  type MarketStoreRefusal,
  type Superseded,
  toRanges
} from "@tapeline/core/market/store"
import { Clock, Effect, Result, type Scope } from "effect"
import type { StreamCollector } from "./collector.ts"
import type { CollectorMonitor } from "./CollectorMonitor.ts"
import type { CollectPace } from "./CollectPace.ts"
import { foldStreamEvents, type StreamEvent } from "./streamBatch.ts"

type SubjectCoverage = ReadonlyArray<CoverageUpdate & { readonly subject: string }>
type PendingWrite = Omit<EventsWrite<never>, "fence" | "kind">

const maxEventsPerWrite = 1_000

/**
 * Splits a large write into several writes of at most `maxEventsPerWrite` events. The first write contains all removals
 * by ID prefix, because they must be applied before the events.
 */
const splitWrite = ({ events, removed = [], removedUnder = [] }: PendingWrite): ReadonlyArray<PendingWrite> => {
  const count = Math.max(1, Math.ceil(Math.max(events.length, removed.length) / maxEventsPerWrite))
  return Array.from({ length: count }, (_, i) => {
    const part = <A>(all: ReadonlyArray<A>) => all.slice(i * maxEventsPerWrite, (i + 1) * maxEventsPerWrite)
    return { events: part(events), removed: part(removed), removedUnder: i === 0 ? removedUnder : [] }
  })
}

const isEmptyWrite = ({ events, removed = [], removedUnder = [] }: PendingWrite): boolean =>
  events.length + removed.length + removedUnder.length === 0

const subjectsRefreshMs = 600_000

const markAsLost = (covering: SubjectCoverage): SubjectCoverage =>
  covering.map(({ covers = [], lost = [], subject }) => ({ subject, lost: toRanges([...covers, ...lost]) }))

/** Writes the events of a stream as they arrive, while the process leads the source. */
export class StreamWriter {
  readonly #collector: StreamCollector
  readonly #fence: Fence
  readonly #store: MarketStore["Service"]
  readonly #monitor: CollectorMonitor
  readonly #pace: CollectPace
  #subjects: ReadonlyArray<string> = []
  #subjectsFetchedAt = -Infinity
  /** The subjects for which the losses before their first subscription are already recorded. */
  readonly #startedSubjects = new Set<string>()
  /** For each subject that was added after the subscription, the time from which the stream covers the subject. */
  readonly #subscribedSince = new Map<string, number>()
  #lastTakeAt = -Infinity
  #coveredFrom: number | undefined

  constructor(
    { monitor, collector, fence, pace, store }: {
      readonly collector: StreamCollector
      readonly fence: Fence
      readonly store: MarketStore["Service"]
      readonly monitor: CollectorMonitor
      readonly pace: CollectPace
    }
  ) {
    this.#collector = collector
    this.#fence = fence
    this.#store = store
    this.#monitor = monitor
    this.#pace = pace
  }

  /**
   * Takes the stream's events and writes them to the store. While a write is running, new events of the stream wait in
   * a bounded queue.
   */
  get runForever(): Effect.Effect<never, Superseded> {
    return Effect.scoped(Effect.gen({ self: this }, function*() {
      // The subjects are requested first, because the subscription depends on the subjects.
      yield* this.#refreshSubjects()
      const { take } = yield* this.#openStream()
      while (true) {
        const events = yield* take
        // Adds 1 ms, because some events of the current millisecond may already have been taken.
        this.#lastTakeAt = Math.floor(yield* Clock.currentTimeMillis) + 1
        yield* this.#writeBatch(events)
        yield* this.#refreshSubjects()
        yield* Effect.sleep(this.#pace.streamWriteMs)
      }
    }))
  }

  /**
   * Refreshes the list of subjects if a refresh is due. If no list of subjects is known yet, retries until a request
   * for the list succeeds.
   */
  #refreshSubjects(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      while ((yield* Clock.currentTimeMillis) - this.#subjectsFetchedAt >= subjectsRefreshMs) {
        const listing = yield* Effect.result(this.#collector.subjects)
        if (Result.isSuccess(listing)) {
          this.#updateSubjects(listing.success)
          this.#subjectsFetchedAt = yield* Clock.currentTimeMillis
          return
        }
        yield* this.#monitor.recordSourceFailure(listing.failure)
        if (this.#subjects.length > 0) return
        yield* Effect.sleep(this.#pace.retryPauseMs)
      }
    })
  }

  #updateSubjects(subjects: ReadonlyArray<string>): void {
    const [before, after] = [new Set(this.#subjects), new Set(subjects)]
    if (this.#subjectsFetchedAt > -Infinity) {
      for (const subject of subjects) if (!before.has(subject)) this.#subscribedSince.set(subject, this.#lastTakeAt)
    }
    // The stream misses the events of a subject while the subject is not listed, so a new listing must record this
    // loss.
    for (const subject of before) if (!after.has(subject)) this.#startedSubjects.delete(subject)
    this.#subjects = subjects
  }

  #coverageStartOf(subject: string, at: number): number {
    return Math.max(at, this.#subscribedSince.get(subject) ?? at)
  }

  #writeBatch(streamEvents: ReadonlyArray<StreamEvent>): Effect.Effect<void, Superseded> {
    return Effect.gen({ self: this }, function*() {
      const before = this.#coveredFrom
      const { coveredFrom, covers, lost, ...pending } = foldStreamEvents(before, streamEvents)
      this.#coveredFrom = coveredFrom
      const first = covers[0]?.from ?? lost[0]?.from
      if (first !== undefined) yield* this.#recordInitialLosses(first)
      const covering = covers.length + lost.length === 0
        ? []
        : this.#subjects.flatMap((subject) => {
          const own = { from: this.#coverageStartOf(subject, -Infinity), to: Infinity }
          const one = { subject, covers: clipRanges(covers, own), lost: clipRanges(lost, own) }
          return one.covers.length + one.lost.length === 0 ? [] : [one]
        })
      if (isEmptyWrite(pending) && covering.length === 0) return
      // The coverage is written with the last part of the events.
      const parts = splitWrite(pending)
      let isAccepted = true
      for (const [i, part] of parts.entries()) {
        const isLast: boolean = i === parts.length - 1 && isAccepted
        isAccepted = (yield* this.#write(isLast ? { ...part, covering } : part)) && isAccepted
      }
      if (!isAccepted && covering.length > 0) yield* this.#write({ events: [], covering: markAsLost(covering) })
      const end = covers.at(-1)?.to
      if (end !== undefined) yield* this.#monitor.recordComplete(end)
    })
  }

  /** Records as lost the time between the last record of a subject and the subject's first subscription. */
  #recordInitialLosses(at: number): Effect.Effect<void, Superseded> {
    return Effect.gen({ self: this }, function*() {
      const newSubjects = this.#subjects.filter((subject) => !this.#startedSubjects.has(subject))
      if (newSubjects.length === 0) return
      const covering = yield* this.#retryStoreRead(this.#findLossesBefore(newSubjects, at))
      if (covering.length > 0) yield* this.#write({ events: [], covering })
      for (const subject of newSubjects) this.#startedSubjects.add(subject)
    })
  }

  #findLossesBefore(
    subjects: ReadonlyArray<string>,
    at: number
  ): Effect.Effect<SubjectCoverage, StoreUnavailable | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      const { kind } = this.#collector
      const known: Array<{ readonly subject: string; readonly since: number; readonly until: number }> = []
      for (const [subject, { since }] of yield* this.#store.records({ kind, subjects })) {
        const until = this.#coverageStartOf(subject, at)
        if (since !== null && since < until) known.push({ subject, since, until })
      }
      if (known.length === 0) return []
      const from = Math.min(...known.map(({ since }) => since))
      const to = Math.max(...known.map(({ until }) => until))
      const gaps = yield* this.#store.gaps({ kind, subjects: known.map(({ subject }) => subject), from, to })
      return known.flatMap(({ since, subject, until }) => {
        const lost = clipRanges(gaps.get(subject)!.missing, { from: since, to: until }).slice(-1_000)
        return lost.length === 0 ? [] : [{ subject, lost }]
      })
    })
  }

  #retryStoreRead<A>(read: Effect.Effect<A, StoreUnavailable | MarketStoreRefusal>): Effect.Effect<A> {
    return Effect.catch(read, (error) =>
      Effect.andThen(
        Effect.andThen(this.#recordFailure(error), Effect.sleep(this.#pace.backlogPauseMs)),
        Effect.suspend(() => this.#retryStoreRead(read))
      ))
  }

  #openStream(): Effect.Effect<Effect.Success<StreamCollector["subscribe"]>, never, Scope.Scope> {
    const { subscribe, subscribeFrom } = this.#collector
    if (subscribeFrom === undefined) return subscribe
    return Effect.flatMap(
      this.#retryStoreRead(this.#recordedUntil()),
      (recordedUntil) => recordedUntil === null ? subscribe : subscribeFrom(recordedUntil)
    )
  }

  /** Returns the time up to which all known subjects are recorded, or null if no subject was recorded before. */
  #recordedUntil(): Effect.Effect<number | null, StoreUnavailable | MarketStoreRefusal> {
    const storedRecords = this.#store.records({ kind: this.#collector.kind, subjects: this.#subjects })
    return Effect.map(storedRecords, (records) => {
      const known = [...records.values()].filter(({ since }) => since !== null)
      return known.length === 0 ? null : Math.min(...known.map(({ contiguousUntil }) => contiguousUntil))
    })
  }

  /**
   * Writes events, and retries until the store responds. Returns false if the store rejects the events. Events that the
   * store rejects are lost.
   */
  #write(write: PendingWrite): Effect.Effect<boolean, Superseded> {
    // `makeStreamCollector` ensures that the events have the columns of the collector's kind.
    const kind = this.#collector.kind as EventsKind<never>
    return Effect.catchTags(
      Effect.flatMap(
        this.#store.writeEvents({ kind, fence: this.#fence, ...write }),
        ({ changed }) => Effect.as(this.#monitor.countWritten(changed), true)
      ),
      {
        StoreUnavailable: (error) =>
          Effect.andThen(
            Effect.andThen(this.#recordFailure(error), Effect.sleep(this.#pace.backlogPauseMs)),
            Effect.suspend(() => this.#write(write))
          ),
        MarketStoreRefusal: (error) => Effect.as(this.#recordFailure(error), false)
      }
    )
  }

  #recordFailure(error: StoreUnavailable | MarketStoreRefusal): Effect.Effect<void> {
    return error._tag === "StoreUnavailable"
      ? this.#monitor.recordFailure("store", error.message)
      : Effect.andThen(
        Effect.logError("The market store rejected collected data", error.message),
        this.#monitor.recordFailure("refused", error.message)
      )
  }
}

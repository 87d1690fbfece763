import type { StoreUnavailable } from "@tapeline/core/engine"
import { type Interval, SourceUnavailable } from "@tapeline/core/market"
import {
  clipRanges,
  type Fence,
  type MarketStore,
  type MarketStoreRefusal,
  type Ranges,
  type SeriesRecord,
  type SeriesWrite,
  subtractRanges,
  type Superseded,
  toRanges,
  unionRanges
} from "@tapeline/core/market/store"
import { Clock, Effect, Result } from "effect"
import { isLasting } from "../source/failover.ts"
import type { SeriesCollector, Subject } from "./collector.ts"
import type { CollectorMonitor } from "./CollectorMonitor.ts"
import { type CollectPace, pauseAfter, type TickOutcome } from "./CollectPace.ts"
import { dueUntil, newestInstant, planGaps, windowOf } from "./gapPlan.ts"
import { mergePreferredRows, venueSubject } from "./preferredVenueCollector.ts"

type Store = MarketStore["Service"]
type WriteError = Superseded | StoreUnavailable

/** The gaps in one subject's data, within the interval that should be recorded by now. */
interface SubjectGaps {
  readonly subject: string
  /** The name under which the store records the subject's coverage and losses. */
  readonly coverageSubject: string
  readonly window: Interval
  readonly record: SeriesRecord | undefined
  missing: Ranges
  lost: Ranges
}

interface PendingWrite {
  readonly target: SubjectGaps
  readonly write: SeriesWrite<string>
}

interface BackfillRequest {
  readonly target: SubjectGaps
  readonly interval: Interval
}

/** The maximum number of responses in one store write. A store write contains at most one response per subject. */
const maxWritesPerBatch = 16

const groupByDistinctSubject = (
  requests: ReadonlyArray<BackfillRequest>
): ReadonlyArray<ReadonlyArray<BackfillRequest>> => {
  const groups: Array<Array<BackfillRequest>> = []
  let subjects = new Set<string>()
  for (const question of requests) {
    const last = groups.at(-1)
    if (last === undefined || last.length === maxWritesPerBatch || subjects.has(question.target.subject)) {
      groups.push([question])
      subjects = new Set([question.target.subject])
    } else {
      last.push(question)
      subjects.add(question.target.subject)
    }
  }
  return groups
}

/** Collects one series of all subjects while the process leads the source. */
export class SeriesPoller {
  readonly #collector: SeriesCollector
  readonly #fence: Fence
  readonly #store: Store
  readonly #monitor: CollectorMonitor
  readonly #pace: CollectPace
  #subjects: ReadonlyArray<Subject> | undefined
  /** The subjects to request after all others, because their last request failed. */
  readonly #failed = new Set<string>()
  #failures = 0
  /** Whether a snapshot was recorded since the process became leader. */
  #hasSnapshot = false

  constructor(
    { monitor, collector, fence, pace, store }: {
      readonly collector: SeriesCollector
      readonly fence: Fence
      readonly store: Store
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

  get runForever(): Effect.Effect<never, Superseded> {
    return Effect.forever(Effect.gen({ self: this }, function*() {
      const ended = yield* Effect.catchTags(this.#runTick(), {
        StoreUnavailable: (error) => this.#recordStoreFailure(error),
        MarketStoreRefusal: (error) => this.#recordRejection(error)
      })
      const now = yield* Clock.currentTimeMillis
      yield* Effect.sleep(pauseAfter(ended, this.#collector, this.#pace, now))
    }))
  }

  /**
   * Records the current snapshot and the lost intervals, and then requests some of the missing intervals, newest first.
   */
  #runTick(): Effect.Effect<TickOutcome, WriteError | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      this.#failures = 0
      const subjects = yield* this.#refreshSubjects()
      const subjectGaps = yield* this.#findGaps(subjects)
      const now = yield* Clock.currentTimeMillis
      const isDone = yield* this.#takeSnapshot(subjectGaps, now)
      yield* this.#recordLosses(subjectGaps, now)
      if (isDone) yield* this.#fillGaps(this.#planRequests(subjectGaps, now))
      yield* this.#monitor.recordGaps(dueUntil(this.#collector, now), subjectGaps)
      // If the source has no subjects, no data is missing.
      if (subjectGaps.length === 0 && this.#failures === 0) yield* this.#monitor.recordComplete(now)
      if (this.#failures > 0) return "failed"
      return this.#planRequests(subjectGaps, now).some(({ target }) => !this.#failed.has(target.subject))
        ? "more"
        : "whole"
    })
  }

  #recordStoreFailure(error: StoreUnavailable): Effect.Effect<TickOutcome> {
    return Effect.as(this.#monitor.recordFailure("store", error.message), "failed")
  }

  #recordRejection(error: MarketStoreRefusal): Effect.Effect<TickOutcome> {
    return Effect.andThen(
      Effect.logError("The market store rejected collected data", error.message),
      Effect.as(this.#monitor.recordFailure("refused", error.message), "failed" as const)
    )
  }

  #recordSourceFailure(error: SourceUnavailable): Effect.Effect<void> {
    this.#failures += isLasting(error) ? this.#pace.maxFailures : 1
    return this.#monitor.recordSourceFailure(error)
  }

  /** Requests the source's list of subjects, and returns the last known subjects if the request fails. */
  #refreshSubjects(): Effect.Effect<ReadonlyArray<Subject>> {
    return Effect.gen({ self: this }, function*() {
      const listing = yield* Effect.result(this.#collector.subjects)
      if (Result.isSuccess(listing)) this.#subjects = listing.success
      else yield* this.#recordSourceFailure(listing.failure)
      yield* this.#monitor.warnUnlisted(this.#collector.unlisted?.() ?? [])
      return this.#subjects ?? []
    })
  }

  #findGaps(
    subjects: ReadonlyArray<Subject>
  ): Effect.Effect<ReadonlyArray<SubjectGaps>, StoreUnavailable | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      if (subjects.length === 0) return []
      const { preferredVenue, kind } = this.#collector
      const coverageSubjectOf = (subject: string) =>
        preferredVenue?.isReplacement === true ? venueSubject(preferredVenue.venue, subject) : subject
      const records = yield* this.#store.records({
        kind,
        subjects: subjects.map(({ subject }) => coverageSubjectOf(subject))
      })
      const now = yield* Clock.currentTimeMillis
      const windows = subjects.flatMap((subject) => {
        const covered = coverageSubjectOf(subject.subject)
        const record = records.get(covered)
        const window = windowOf(this.#collector, subject, record, now)
        return window === null ? [] : [{ subject: subject.subject, coverageSubject: covered, record, window }]
      })
      if (windows.length === 0) return []
      const gaps = yield* this.#store.gaps({
        kind,
        subjects: [...new Set(windows.flatMap(({ coverageSubject, subject }) => [subject, coverageSubject]))],
        from: Math.min(...windows.map(({ window }) => window.from)),
        to: Math.max(...windows.map(({ window }) => window.to))
      })
      return windows.map((one) => {
        const { lost, missing } = gaps.get(one.coverageSubject)!
        const own = gaps.get(one.subject)!
        // The collector of replacement data skips intervals for which no venue provided data, because the series' main
        // collector requests these intervals.
        const unfilled = one.coverageSubject === one.subject
          ? missing
          : subtractRanges(subtractRanges(missing, own.missing), own.lost)
        return { ...one, missing: clipRanges(unfilled, one.window), lost: clipRanges(lost, one.window) }
      })
    })
  }

  /**
   * Records the current snapshot if it is missing. Returns false if the collector must send no more requests in the
   * current tick.
   */
  #takeSnapshot(subjectGaps: ReadonlyArray<SubjectGaps>, now: number): Effect.Effect<boolean, WriteError> {
    return Effect.gen({ self: this }, function*() {
      const { everyMs, snapshot } = this.#collector
      const instant = newestInstant(this.#collector, now)
      const isLate = snapshot !== undefined && now - instant > snapshot.maxDelayMs
      const isBetweenInstants = isLate && snapshot.betweenInstants === true && !this.#hasSnapshot
      const missingSubjects = subjectGaps.filter((one) =>
        isBetweenInstants
          ? clipRanges(one.missing, { from: instant, to: instant + everyMs }).length > 0
          : planGaps(this.#collector, one.missing, one.record, now, 0).snapshot
      )
      if (snapshot === undefined || missingSubjects.length === 0) return this.#failures < this.#pace.maxFailures
      const at = isBetweenInstants ? now : instant
      const response = yield* Effect.result(snapshot.fetch(missingSubjects.map(({ subject }) => subject), at))
      if (Result.isFailure(response)) {
        yield* this.#recordSourceFailure(response.failure)
        return this.#failures < this.#pace.maxFailures
      }
      const bySubject = new Map(missingSubjects.map((one) => [one.subject, one]))
      const covers = isBetweenInstants ? [] : [{ from: at, to: at + everyMs }]
      const tookMs = (yield* Clock.currentTimeMillis) - at
      if (tookMs > snapshot.maxDelayMs) {
        const reason = `the snapshot arrived ${Math.round(tookMs / 1_000)} s after its time, so it was not recorded`
        const { source } = this.#collector
        yield* this.#recordSourceFailure(
          new SourceUnavailable({ source, failure: "unreachable", reason, retryable: true })
        )
        return true
      }
      const writes = response.success.flatMap((one) => {
        const target = bySubject.get(one.subject)
        return target === undefined ? [] : [{ target, write: { ...one, covers } }]
      })
      yield* this.#write(writes)
      if (writes.length > 0) this.#hasSnapshot = true
      return true
    })
  }

  #recordLosses(subjectGaps: ReadonlyArray<SubjectGaps>, now: number): Effect.Effect<void, WriteError> {
    const source = this.#collector.source
    return this.#write(subjectGaps.flatMap((target) => {
      const { lost } = planGaps(this.#collector, target.missing, target.record, now, 0)
      return lost.length === 0
        ? []
        : [{ target, write: { subject: target.coverageSubject, source, rows: [], lost: lost.slice(0, 1_000) } }]
    }))
  }

  #planRequests(subjectGaps: ReadonlyArray<SubjectGaps>, now: number): ReadonlyArray<BackfillRequest> {
    const { requestsPerTick } = this.#pace
    const all = subjectGaps.flatMap((target) =>
      planGaps(this.#collector, target.missing, target.record, now, requestsPerTick).requests.map((interval) => ({
        target,
        interval
      }))
    )
    const failureRank = ({ target }: BackfillRequest) => this.#failed.has(target.subject) ? 1 : 0
    return all.sort((a, b) => failureRank(a) - failureRank(b) || b.interval.to - a.interval.to)
      .slice(0, subjectGaps.length + requestsPerTick)
  }

  #fillGaps(requests: ReadonlyArray<BackfillRequest>): Effect.Effect<void, WriteError> {
    return Effect.gen({ self: this }, function*() {
      const { backfill } = this.#collector
      if (backfill === undefined) return
      const progressed = new Set<string>()
      for (const group of groupByDistinctSubject(requests)) {
        if (this.#failures >= this.#pace.maxFailures) return
        const answers = yield* Effect.forEach(
          group,
          ({ interval, target }) => Effect.result(backfill.fetch(target.subject, interval)),
          { concurrency: this.#pace.concurrency }
        )
        const writes: Array<PendingWrite> = []
        for (const [i, answer] of answers.entries()) {
          const { interval, target } = group[i]!
          if (Result.isFailure(answer)) {
            this.#failed.add(target.subject)
            yield* this.#recordSourceFailure(answer.failure)
            continue
          }
          const { lost: unavailable, rows, since = interval.from, source, until } = answer.success
          const [from, to] = [Math.max(since, interval.from), Math.min(until, interval.to)]
          const lost = unavailable === undefined ? [] : clipRanges(toRanges([unavailable]), interval)
          // If the source returned no data for a subject, the subject is requested after all other subjects, because
          // the source may have no older data.
          if (to > from || lost.length > 0) {
            progressed.add(target.subject)
            this.#failed.delete(target.subject)
          } else if (!progressed.has(target.subject)) this.#failed.add(target.subject)
          const covers = to > from ? [{ from, to }] : []
          // The time of a row is before the requested interval if the row's trading session began earlier and ends in
          // the interval. If the response sets `since`, rows before the interval are not stored.
          const earliestTime = answer.success.since === undefined ? -Infinity : from
          const inside = rows.filter(({ time }) => time >= earliestTime && time < to)
          const write = {
            subject: target.coverageSubject,
            source,
            rows: inside,
            covers,
            ...(lost.length === 0 ? {} : { lost })
          }
          writes.push({ target, write })
        }
        yield* this.#write(writes)
      }
    })
  }

  /**
   * Writes all series together, or separately if the store rejects the write, so that an invalid series does not block
   * the others.
   */
  #write(writes: ReadonlyArray<PendingWrite>): Effect.Effect<void, WriteError> {
    return Effect.catchTag(this.#writeTogether(writes), "MarketStoreRefusal", (error) =>
      writes.length > 1
        ? Effect.forEach(writes, (one) => this.#write([one]), { discard: true })
        : Effect.andThen(
          Effect.sync(() => {
            this.#failures++
            for (const { target } of writes) this.#failed.add(target.subject)
          }),
          this.#recordRejection(error)
        ))
  }

  #writeTogether(writes: ReadonlyArray<PendingWrite>): Effect.Effect<void, WriteError | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      if (writes.length === 0) return
      for (const series of yield* this.#splitIntoRounds(writes)) {
        const { changed } = yield* this.#store.writePoints({ kind: this.#collector.kind, fence: this.#fence, series })
        yield* this.#monitor.countWritten(changed)
      }
      for (const { target, write: { covers = [], lost = [] } } of writes) {
        target.missing = subtractRanges(target.missing, toRanges([...covers, ...lost]))
        target.lost = unionRanges(subtractRanges(target.lost, toRanges(covers)), toRanges(lost))
      }
    })
  }

  /**
   * Splits writes into rounds, each of which is one store write. The last round records the coverage, so no interval is
   * marked as covered before its rows are stored.
   */
  #splitIntoRounds(
    writes: ReadonlyArray<PendingWrite>
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<SeriesWrite<string>>>, StoreUnavailable | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      const { preferredVenue, kind } = this.#collector
      const allWrites = writes.map(({ write }) => write)
      if (preferredVenue === undefined) return [allWrites]
      if (!preferredVenue.isReplacement) {
        const own = allWrites.filter(({ covers = [], source }) => source === preferredVenue.venue && covers.length > 0)
        return [[
          ...allWrites,
          ...own.map((one) => ({ ...one, subject: venueSubject(preferredVenue.venue, one.subject), rows: [] }))
        ]]
      }
      const mergedParts = yield* Effect.forEach(
        writes,
        ({ target: { subject }, write: { rows, source } }) =>
          Effect.gen({ self: this }, function*() {
            const [begin, end] = [rows[0]?.time, rows.at(-1)?.time]
            if (begin === undefined || end === undefined) return []
            const read = yield* this.#store.points({ kind, subjects: [subject], from: begin, to: end + 1 })
            const parts = mergePreferredRows(Object.keys(kind.columns), read.get(subject)?.points ?? [], {
              source,
              rows
            })
            return parts.map((part) => ({ subject, ...part }))
          })
      )
      const maxParts = Math.max(0, ...mergedParts.map((parts) => parts.length))
      const rounds = Array.from({ length: maxParts }, (_, i) => mergedParts.flatMap((parts) => parts[i] ?? []))
      return [...rounds, allWrites.map((one) => ({ ...one, rows: [] }))]
    })
  }
}

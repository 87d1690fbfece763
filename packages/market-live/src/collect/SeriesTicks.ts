import type { StoreUnavailable } from "@tapeline/core/engine"
import { type Interval, SourceUnavailable } from "@tapeline/core/market"
import {
  type Fence,
  type MarketStore,
  type MarketStoreRefusal,
  type Ranges,
  ranges,
  type SeriesRecord,
  type SeriesWrite,
  type Superseded,
  unite,
  within,
  without
} from "@tapeline/core/market/store"
import { Clock, Effect, Result } from "effect"
import { isLasting } from "../source/lasting.ts"
import { laidOver, toldByVenue } from "./askedAgain.ts"
import type { Collecting } from "./Collecting.ts"
import type { SeriesCollector, Subject } from "./collector.ts"
import { type CollectPace, type Ended, pauseAfter } from "./pacing.ts"
import { dueOf, instantOf, planOf, windowOf } from "./plan.ts"

type Store = MarketStore["Service"]
type WriteError = Superseded | StoreUnavailable

/** The data that one subject should have by now, and its gaps. */
interface Lacking {
  readonly subject: string
  /** The subject under which coverage and losses are recorded. */
  readonly covered: string
  readonly window: Interval
  readonly record: SeriesRecord | undefined
  missing: Ranges
  lost: Ranges
}

interface ToWrite {
  readonly of: Lacking
  readonly write: SeriesWrite<string>
}

interface Question {
  readonly of: Lacking
  readonly interval: Interval
}

/** The number of requests whose rows are written together: each of another subject, and few enough for one write. */
const writtenTogether = 16

/** Splits requests into groups in which no subject occurs twice. */
const groupsOf = (questions: ReadonlyArray<Question>): ReadonlyArray<ReadonlyArray<Question>> => {
  const groups: Array<Array<Question>> = []
  let subjects = new Set<string>()
  for (const question of questions) {
    const last = groups.at(-1)
    if (last === undefined || last.length === writtenTogether || subjects.has(question.of.subject)) {
      groups.push([question])
      subjects = new Set([question.of.subject])
    } else {
      last.push(question)
      subjects.add(question.of.subject)
    }
  }
  return groups
}

/** Collects one series of all its subjects under one lead. */
export class SeriesTicks {
  readonly #collector: SeriesCollector
  readonly #fence: Fence
  readonly #store: Store
  readonly #collecting: Collecting
  readonly #pace: CollectPace
  #subjects: ReadonlyArray<Subject> | undefined
  /** Subjects whose last request failed. Others are requested first. */
  readonly #failed = new Set<string>()
  #failures = 0
  /** Whether a snapshot was recorded under this lead. */
  #isPresent = false

  constructor(
    { collecting, collector, fence, pace, store }: {
      readonly collector: SeriesCollector
      readonly fence: Fence
      readonly store: Store
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

  get forever(): Effect.Effect<never, Superseded> {
    return Effect.forever(Effect.gen({ self: this }, function*() {
      const ended = yield* Effect.catchTags(this.#tick(), {
        StoreUnavailable: (error) => this.#storeFailed(error),
        MarketStoreRefusal: (error) => this.#refused(error)
      })
      const now = yield* Clock.currentTimeMillis
      yield* Effect.sleep(pauseAfter(ended, this.#collector, this.#pace, now))
    }))
  }

  /** Runs one round: the snapshot of now, lost intervals, and some of the missing ones, newest first. */
  #tick(): Effect.Effect<Ended, WriteError | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      this.#failures = 0
      const subjects = yield* this.#known()
      const lacking = yield* this.#lacking(subjects)
      const now = yield* Clock.currentTimeMillis
      const isDone = yield* this.#takeSnapshot(lacking, now)
      yield* this.#giveUp(lacking, now)
      if (isDone) yield* this.#fill(this.#questions(lacking, now))
      yield* this.#collecting.lacks(dueOf(this.#collector, now), lacking)
      // If the source has no subjects, nothing is missing.
      if (lacking.length === 0 && this.#failures === 0) yield* this.#collecting.isWhole(now)
      if (this.#failures > 0) return "failed"
      return this.#questions(lacking, now).some(({ of }) => !this.#failed.has(of.subject)) ? "more" : "whole"
    })
  }

  #storeFailed(error: StoreUnavailable): Effect.Effect<Ended> {
    return Effect.as(this.#collecting.failed("store", error.message), "failed")
  }

  #refused(error: MarketStoreRefusal): Effect.Effect<Ended> {
    return Effect.andThen(
      Effect.logError("The market store does not take what was collected", error.message),
      Effect.as(this.#collecting.failed("refused", error.message), "failed" as const)
    )
  }

  #sourceFailed(error: SourceUnavailable): Effect.Effect<void> {
    this.#failures += isLasting(error) ? this.#pace.mostFailures : 1
    return this.#collecting.sourceFailed(error)
  }

  /** The subjects that the source lists. If it does not respond, the last known ones. */
  #known(): Effect.Effect<ReadonlyArray<Subject>> {
    return Effect.gen({ self: this }, function*() {
      const asked = yield* Effect.result(this.#collector.subjects)
      if (Result.isSuccess(asked)) this.#subjects = asked.success
      else yield* this.#sourceFailed(asked.failure)
      yield* this.#collecting.lists(this.#collector.unlisted?.() ?? [])
      return this.#subjects ?? []
    })
  }

  #lacking(
    subjects: ReadonlyArray<Subject>
  ): Effect.Effect<ReadonlyArray<Lacking>, StoreUnavailable | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      if (subjects.length === 0) return []
      const { first, kind } = this.#collector
      const coveredOf = (subject: string) => first?.isAskedAgain === true ? toldByVenue(first.venue, subject) : subject
      const records = yield* this.#store.recorded({ kind, subjects: subjects.map(({ subject }) => coveredOf(subject)) })
      const now = yield* Clock.currentTimeMillis
      const windows = subjects.flatMap((subject) => {
        const covered = coveredOf(subject.subject)
        const record = records.get(covered)
        const window = windowOf(this.#collector, subject, record, now)
        return window === null ? [] : [{ subject: subject.subject, covered, record, window }]
      })
      if (windows.length === 0) return []
      const gaps = yield* this.#store.gaps({
        kind,
        subjects: [...new Set(windows.flatMap(({ covered, subject }) => [subject, covered]))],
        from: Math.min(...windows.map(({ window }) => window.from)),
        to: Math.max(...windows.map(({ window }) => window.to))
      })
      return windows.map((one) => {
        const { lost, missing } = gaps.get(one.covered)!
        const own = gaps.get(one.subject)!
        // Data that no venue has provided yet is requested by the series' own collector.
        const open = one.covered === one.subject ? missing : without(without(missing, own.missing), own.lost)
        return { ...one, missing: within(open, one.window), lost: within(lost, one.window) }
      })
    })
  }

  /**
   * Records the snapshot of the present instant if it is missing. Returns false if no more requests should be sent in
   * this round.
   */
  #takeSnapshot(lacking: ReadonlyArray<Lacking>, now: number): Effect.Effect<boolean, WriteError> {
    return Effect.gen({ self: this }, function*() {
      const { everyMs, snapshot } = this.#collector
      const instant = instantOf(this.#collector, now)
      const isLate = snapshot !== undefined && now - instant > snapshot.lateMs
      const between = isLate && snapshot.between === true && !this.#isPresent
      const wanting = lacking.filter((one) =>
        between
          ? within(one.missing, { from: instant, to: instant + everyMs }).length > 0
          : planOf(this.#collector, one.missing, one.record, now, 0).snapshot
      )
      if (snapshot === undefined || wanting.length === 0) return this.#failures < this.#pace.mostFailures
      const at = between ? now : instant
      const asked = yield* Effect.result(snapshot.ask(wanting.map(({ subject }) => subject), at))
      if (Result.isFailure(asked)) {
        yield* this.#sourceFailed(asked.failure)
        return this.#failures < this.#pace.mostFailures
      }
      const bySubject = new Map(wanting.map((one) => [one.subject, one]))
      const covers = between ? [] : [{ from: at, to: at + everyMs }]
      const tookMs = (yield* Clock.currentTimeMillis) - at
      if (tookMs > snapshot.lateMs) {
        const reason = `what is of an instant came ${Math.round(tookMs / 1_000)} s after it, and is not recorded`
        const { source } = this.#collector
        yield* this.#sourceFailed(new SourceUnavailable({ source, failure: "unreachable", reason, retryable: true }))
        return true
      }
      const told = asked.success.flatMap((one) => {
        const of = bySubject.get(one.subject)
        return of === undefined ? [] : [{ of, write: { ...one, covers } }]
      })
      yield* this.#write(told)
      if (told.length > 0) this.#isPresent = true
      return true
    })
  }

  #giveUp(lacking: ReadonlyArray<Lacking>, now: number): Effect.Effect<void, WriteError> {
    const source = this.#collector.source
    return this.#write(lacking.flatMap((of) => {
      const { lost } = planOf(this.#collector, of.missing, of.record, now, 0)
      return lost.length === 0
        ? []
        : [{ of, write: { subject: of.covered, source, rows: [], lost: lost.slice(0, 1_000) } }]
    }))
  }

  /** The requests of this round, newest first, failed subjects last: one for each subject, and some more. */
  #questions(lacking: ReadonlyArray<Lacking>, now: number): ReadonlyArray<Question> {
    const { questionsATick } = this.#pace
    const all = lacking.flatMap((of) =>
      planOf(this.#collector, of.missing, of.record, now, questionsATick).asked.map((interval) => ({ of, interval }))
    )
    const isLater = ({ of }: Question) => this.#failed.has(of.subject) ? 1 : 0
    return all.sort((a, b) => isLater(a) - isLater(b) || b.interval.to - a.interval.to)
      .slice(0, lacking.length + questionsATick)
  }

  #fill(questions: ReadonlyArray<Question>): Effect.Effect<void, WriteError> {
    return Effect.gen({ self: this }, function*() {
      const { backfill } = this.#collector
      if (backfill === undefined) return
      const progressed = new Set<string>()
      for (const group of groupsOf(questions)) {
        if (this.#failures >= this.#pace.mostFailures) return
        const answers = yield* Effect.forEach(
          group,
          ({ interval, of }) => Effect.result(backfill.ask(of.subject, interval)),
          { concurrency: this.#pace.concurrency }
        )
        const told: Array<ToWrite> = []
        for (const [i, answer] of answers.entries()) {
          const { interval, of } = group[i]!
          if (Result.isFailure(answer)) {
            this.#failed.add(of.subject)
            yield* this.#sourceFailed(answer.failure)
            continue
          }
          const { lost: untold, rows, since = interval.from, source, until } = answer.success
          const [from, to] = [Math.max(since, interval.from), Math.min(until, interval.to)]
          const lost = untold === undefined ? [] : within(ranges([untold]), interval)
          // A subject whose request returned nothing comes after the others until it returns something. The source may
          // have no older data.
          if (to > from || lost.length > 0) {
            progressed.add(of.subject)
            this.#failed.delete(of.subject)
          } else if (!progressed.has(of.subject)) this.#failed.add(of.subject)
          const covers = to > from ? [{ from, to }] : []
          // A session that ended within the interval may have begun before it. If `since` is set, earlier rows do not
          // belong to this answer.
          const own = answer.success.since === undefined ? -Infinity : from
          const inside = rows.filter(({ time }) => time >= own && time < to)
          const write = { subject: of.covered, source, rows: inside, covers, ...(lost.length === 0 ? {} : { lost }) }
          told.push({ of, write })
        }
        yield* this.#write(told)
      }
    })
  }

  /**
   * Writes all series together. If the store rejects them, each is written separately, so that one bad series does not
   * block the others.
   */
  #write(told: ReadonlyArray<ToWrite>): Effect.Effect<void, WriteError> {
    return Effect.catchTag(this.#writeWhole(told), "MarketStoreRefusal", (error) =>
      told.length > 1
        ? Effect.forEach(told, (one) => this.#write([one]), { discard: true })
        : Effect.andThen(
          Effect.sync(() => {
            this.#failures++
            for (const { of } of told) this.#failed.add(of.subject)
          }),
          this.#refused(error)
        ))
  }

  /** Writes the series, and removes their coverage and losses from the subjects' gaps. */
  #writeWhole(told: ReadonlyArray<ToWrite>): Effect.Effect<void, WriteError | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      if (told.length === 0) return
      for (const series of yield* this.#roundsOf(told)) {
        const { changed } = yield* this.#store.writePoints({ kind: this.#collector.kind, fence: this.#fence, series })
        yield* this.#collecting.wrote(changed)
      }
      for (const { of, write: { covers = [], lost = [] } } of told) {
        of.missing = without(of.missing, ranges([...covers, ...lost]))
        of.lost = unite(without(of.lost, ranges(covers)), ranges(lost))
      }
    })
  }

  /**
   * Splits writes into consecutive rounds. Coverage comes last, so that no interval is covered before its rows are
   * stored.
   */
  #roundsOf(
    told: ReadonlyArray<ToWrite>
  ): Effect.Effect<ReadonlyArray<ReadonlyArray<SeriesWrite<string>>>, StoreUnavailable | MarketStoreRefusal> {
    return Effect.gen({ self: this }, function*() {
      const { first, kind } = this.#collector
      const whole = told.map(({ write }) => write)
      if (first === undefined) return [whole]
      if (!first.isAskedAgain) {
        const own = whole.filter(({ covers = [], source }) => source === first.venue && covers.length > 0)
        return [[...whole, ...own.map((one) => ({ ...one, subject: toldByVenue(first.venue, one.subject), rows: [] }))]]
      }
      const over = yield* Effect.forEach(
        told,
        ({ of: { subject }, write: { rows, source } }) =>
          Effect.gen({ self: this }, function*() {
            const [begin, end] = [rows[0]?.time, rows.at(-1)?.time]
            if (begin === undefined || end === undefined) return []
            const read = yield* this.#store.points({ kind, subjects: [subject], from: begin, to: end + 1 })
            const parts = laidOver(Object.keys(kind.columns), read.get(subject)?.points ?? [], { source, rows })
            return parts.map((part) => ({ subject, ...part }))
          })
      )
      const most = Math.max(0, ...over.map((parts) => parts.length))
      const rounds = Array.from({ length: most }, (_, i) => over.flatMap((parts) => parts[i] ?? []))
      return [...rounds, whole.map((one) => ({ ...one, rows: [] }))]
    })
  }
}

import { minuteMs, SourceUnavailable } from "@tapeline/core/market"
import { MarketStore, type PointsKind, pointsKinds, subtractRanges, toRanges } from "@tapeline/core/market/store"
import { Clock, Effect } from "effect"
import type { Backfill, Collector, Snapshot } from "../../src/index.ts"

export const stepMs = 5 * minuteMs
export const start = Date.UTC(2026, 10, 18, 6)

const hash = (text: string): number => {
  let sum = 2_166_136_261
  for (const char of text) sum = Math.imul(sum ^ char.charCodeAt(0), 16_777_619) >>> 0
  return sum
}

/** A fake source whose rows are known for all times, and whose failures can be set. */
export class ModelSource {
  failure: SourceUnavailable["failure"] | null = null
  /** The delay in milliseconds between the time of a row and the row's publication by the source. */
  publishDelayMs = 0
  responseDelayMs = 0
  unreadable: string | null = null
  requestCount = 0
  readonly subjects = [
    { subject: "AAA", from: 0 },
    { subject: "BBB", from: start - 3 * stepMs },
    { subject: "CCC", from: start + 9 * stepMs, until: start + 30 * stepMs }
  ]

  /** Returns the value at a step's time, or null for a step for which the source has no row. */
  rowOf(subject: string, time: number): number | null {
    const row = this.subjects.find((one) => one.subject === subject)!
    if (time < Math.floor(row.from / stepMs) * stepMs || time >= (row.until ?? Infinity)) return null
    const hashed = hash(`${subject}${time}`)
    return hashed % 11 === 0 ? null : hashed % 1_000
  }

  rows(subject: string, from: number, to: number): ReadonlyArray<readonly [time: number, value: number]> {
    const ranges: Array<readonly [number, number]> = []
    for (let time = Math.ceil(from / stepMs) * stepMs; time < to; time += stepMs) {
      const value = this.rowOf(subject, time)
      if (value !== null) ranges.push([time, value])
    }
    return ranges
  }

  answer<A>(subject: string, value: (now: number) => A): Effect.Effect<A, SourceUnavailable> {
    return Effect.gen({ self: this }, function*() {
      this.requestCount++
      if (this.responseDelayMs > 0) yield* Effect.sleep(this.responseDelayMs)
      const failure = this.failure ?? (this.unreadable === subject ? "malformed" : null)
      if (failure === null) return value(yield* Clock.currentTimeMillis)
      return yield* new SourceUnavailable({ source: "model", failure, reason: "as told", retryable: true })
    })
  }
}

export const retentionMs = 24 * stepMs

/** Returns `pastCollector`, which only backfills, and `currentCollector`, which only takes snapshots. */
export const modelCollectors = (source: ModelSource) => {
  const grid = { _tag: "series", source: "model", everyMs: stepMs, offsetMs: 2_000 } as const
  const subjects = source.answer("", (now) => source.subjects.filter(({ from }) => from <= now))
  const backfill: Backfill<"ivPct"> = {
    sourceRetentionMs: retentionMs,
    lookbackMs: 18 * stepMs,
    maxIntervalMs: 5 * stepMs,
    fetch: (subject, { from, to }) =>
      source.answer(subject, (now) => {
        const until = Math.max(from, Math.min(to, Math.floor((now - source.publishDelayMs) / stepMs) * stepMs))
        const rows = source.rows(subject, from, until).map(([time, ivPct]) => ({ time, ivPct }))
        return { source: "model", rows, until }
      })
  }
  const currentSnapshot: Snapshot<"rate"> = {
    maxDelayMs: 60_000,
    fetch: (names, at) =>
      source.answer("", (now) => {
        const currentStep = Math.floor(now / stepMs) * stepMs
        return names.map((subject) => ({
          subject,
          source: "model",
          rows: source.rows(subject, currentStep, currentStep + 1).map(([, rate]) => ({ time: at, rate }))
        }))
      })
  }
  const rates = pointsKinds.fxRates
  return {
    pastCollector: {
      ...grid,
      name: "past",
      kind: pointsKinds.impliedVolatilities,
      rowTimes: "buckets",
      subjects,
      backfill: backfill
    },
    currentCollector: {
      ...grid,
      name: "present",
      kind: rates,
      rowTimes: "instants",
      subjects,
      snapshot: currentSnapshot
    }
  } satisfies Record<string, Collector>
}

/** Describes the differences between the stored data and the data of the source. */
export const findDataErrors = Effect.fnUntraced(function*(source: ModelSource, kind: PointsKind, column: string) {
  const store = yield* MarketStore
  const now = yield* Clock.currentTimeMillis
  const window = { from: start - 100 * stepMs, to: Math.floor(now / stepMs) * stepMs + 2 * stepMs }
  const subjects = source.subjects.map(({ subject }) => subject)
  const [points, gaps, records] = yield* Effect.all([
    store.points({ kind, subjects, ...window }),
    store.gaps({ kind, subjects, ...window }),
    store.records({ kind, subjects })
  ])
  const differences: Array<string> = []
  for (const subject of subjects) {
    const { lost, missing } = gaps.get(subject)!
    const storedPoints = points.get(subject)?.points ?? []
    const covered = subtractRanges(subtractRanges(toRanges([window]), missing), lost)
    const expected = covered.flatMap(({ from, to }) => source.rows(subject, from, to))
    const actual = storedPoints.map((point) => [point.time, point[column]] as const)
    if (JSON.stringify(expected) !== JSON.stringify(actual)) {
      differences.push(
        `${subject} of ${kind.name} has ${JSON.stringify(actual)}, where ${JSON.stringify(expected)} is covered`
      )
    }
    // A past row can be fetched while the source keeps it, and a current row only during the snapshot's maximum delay.
    const maxDelayMs = kind === pointsKinds.impliedVolatilities ? retentionMs - stepMs : 60_000 - stepMs
    for (const { from, to } of lost) {
      if (to > now - maxDelayMs) {
        differences.push(`${subject} of ${kind.name}: lost ${from} to ${to} can still be fetched`)
      }
    }
    const record = records.get(subject)
    if (record !== undefined && record.contiguousUntil > now + stepMs) differences.push(`${subject} covers the future`)
  }
  return differences
})

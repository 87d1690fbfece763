import type { Interval, SourceUnavailable } from "@tapeline/core/market"
import { type Ranges, unionRanges } from "@tapeline/core/market/store"
import { Clock, Effect, Metric } from "effect"
import type { CollectorStatus } from "./MarketHealth.ts"

/** The minimum time between two logged failures, because closer failures count as one outage. */
const logIntervalMs = 60_000

/** Logs that the database rejects collected data or does not respond, once per outage. */
export class StoreFailureLog {
  #failedAt = -Infinity

  logFailure(now: number, operation: string, reason: string): Effect.Effect<void> {
    return Effect.suspend(() => {
      const shouldLog = Math.abs(now - this.#failedAt) > logIntervalMs
      this.#failedAt = now
      if (!shouldLog) return Effect.void
      return Effect.logWarning(`the database failed while ${operation}; collecting continues automatically: ${reason}`)
    })
  }
}

const lagGauge = Metric.gauge("tapeline_collect_lag_ms", {
  description:
    "Age of the latest recorded data of a series that this process collects, of the subject that is furthest behind, " +
    "milliseconds. Without any data, the time since collection started. Grows while the store is unavailable, and is 0 " +
    "once another process collects the series"
})
const missingGauge = Metric.gauge("tapeline_collect_missing_ms", {
  description:
    "Total length of the gaps that can still be filled, of all subjects of a series that this process collects, milliseconds"
})
const rowsCounter = Metric.counter("tapeline_collect_rows", {
  description: "Rows that the collectors of this process added or changed",
  incremental: true
})
const faultsCounter = Metric.counter("tapeline_collect_faults", {
  description: "Failed requests of the collectors of this process, by kind of failure",
  incremental: true
})

export interface CollectorId {
  readonly source: string
  readonly name: string
}

const labelsOf = ({ name, source }: CollectorId) => ({ source, series: name })

export const countRows = (collected: CollectorId, changed: number): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(rowsCounter, labelsOf(collected)), changed)

export const countFault = (collected: CollectorId, failure: string): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(faultsCounter, { ...labelsOf(collected), failure }), 1)

export const publishLag = (
  collected: CollectorId,
  { lagMs, missingMs }: { readonly lagMs: number; readonly missingMs: number }
): Effect.Effect<void> => {
  const labels = labelsOf(collected)
  return Effect.andThen(
    Metric.update(Metric.withAttributes(lagGauge, labels), lagMs),
    Metric.update(Metric.withAttributes(missingGauge, labels), missingMs)
  )
}

/** Returns whether a subject has neither recorded data nor recorded losses in its whole interval. */
const isUnrecorded = ({ lost, missing: [first], window: { from, to } }: SubjectGaps): boolean =>
  lost.length === 0 && first?.from === from && first.to === to

const totalMs = (some: Ranges): number => some.reduce((sum, { from, to }) => sum + to - from, 0)

/** Adds the coin's name as a hint if `name` is a trading pair. */
const withCoinHint = (name: string): string => {
  const coin = /^(?<coin>.+?)[-/]?(?:USDT|USDC|USD|KRW)$/u.exec(name)?.groups?.["coin"]
  return coin === undefined ? name : `${name} (use only the name of the coin: ${coin})`
}

interface SubjectGaps {
  readonly window: Interval
  readonly missing: Ranges
  readonly lost: Ranges
}

/** Tracks the state of one collector for health reports and metrics. */
export class CollectorMonitor {
  readonly #collector: CollectorId
  /**
   * The time at which this process began to collect. Before the first data is recorded, the collector's lag is the time
   * since collection began.
   */
  readonly #startedAt: number
  readonly #storeFailureLog: StoreFailureLog
  #recordedUntil: number | null = null
  #gaps = 0
  #missingMs = 0
  #lostMs = 0
  #completeAt: number | null = null
  #lastFault: CollectorStatus["lastFault"] = null
  #unlisted: ReadonlyArray<string> = []

  constructor(collected: CollectorId, since: number, storeNews: StoreFailureLog) {
    this.#collector = collected
    this.#startedAt = since
    this.#storeFailureLog = storeNews
  }

  state(now: number): CollectorStatus {
    return {
      name: this.#collector.name,
      lagMs: this.#recordedUntil === null ? null : Math.max(0, now - this.#recordedUntil),
      gaps: this.#gaps,
      missingMs: this.#missingMs,
      lostMs: this.#lostMs,
      completeAt: this.#completeAt,
      unlisted: this.#unlisted,
      lastFault: this.#lastFault
    }
  }

  /**
   * The time from which the next leader collects: the end of the recorded data, or the start of collection if nothing
   * was recorded.
   */
  get resumeFrom(): number {
    return this.#recordedUntil ?? this.#startedAt
  }

  countWritten(changed: number): Effect.Effect<void> {
    return countRows(this.#collector, changed)
  }

  /** Publishes the lag as a metric, which grows while no data arrives, even if no data ever arrived. */
  get publishLag(): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      return publishLag(this.#collector, { lagMs: Math.max(0, now - this.resumeFrom), missingMs: this.#missingMs })
    })
  }

  /** Resets the lag metric to 0, because another process may now collect and publish its own lag. */
  get resetLag(): Effect.Effect<void> {
    return publishLag(this.#collector, { lagMs: 0, missingMs: 0 })
  }

  recordGaps(due: number, subjects: ReadonlyArray<SubjectGaps>): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // Lost data at the end of a window does not count as recorded, but a subject that has ended counts as recorded up
      // to `due`.
      const ends = subjects.map(({ lost, missing, window }) => {
        const last = unionRanges(missing, lost).at(-1)
        return last?.to === window.to ? last.from : due
      })
      const recordedEnds = ends.filter((_, i) => !isUnrecorded(subjects[i]!))
      // The lag of a subject without any recorded data counts from the start of collection, not from the start of its
      // window.
      const startIfUnrecorded = recordedEnds.length < ends.length ? [this.#startedAt] : []
      if (recordedEnds.length > 0) this.#recordedUntil = Math.min(...recordedEnds, ...startIfUnrecorded)
      this.#gaps = subjects.reduce((sum, { missing }) => sum + missing.length, 0)
      this.#missingMs = subjects.reduce((sum, { missing }) => sum + totalMs(missing), 0)
      this.#lostMs = subjects.reduce((sum, { lost }) => sum + totalMs(lost), 0)
      if (ends.length > 0 && ends.every((end) => end === due)) this.#completeAt = now
      return this.publishLag
    })
  }

  recordComplete(at: number): Effect.Effect<void> {
    return Effect.suspend(() => {
      this.#recordedUntil = at
      this.#completeAt = at
      return this.publishLag
    })
  }

  /** Logs one warning for each subject that the operator wants and no source lists. */
  warnUnlisted(unlisted: ReadonlyArray<string>): Effect.Effect<void> {
    return Effect.suspend(() => {
      const newlyUnlisted = unlisted.filter((one) => !this.#unlisted.includes(one))
      this.#unlisted = unlisted
      return newlyUnlisted.length === 0
        ? Effect.void
        : Effect.logWarning(
          `no source lists ${
            newlyUnlisted.map(withCoinHint).join(", ")
          }, so no ${this.#collector.name} are collected for it`
        )
    })
  }

  recordFailure(failure: NonNullable<CollectorStatus["lastFault"]>["failure"], reason: string): Effect.Effect<void> {
    return Effect.flatMap(Clock.currentTimeMillis, (at) => {
      this.#lastFault = { at, failure, reason }
      const counted = countFault(this.#collector, failure)
      if (failure !== "store") return counted
      const { name, source } = this.#collector
      return Effect.andThen(
        counted,
        this.#storeFailureLog.logFailure(at, `collecting ${name} from ${source}`, reason)
      )
    })
  }

  recordSourceFailure({ failure, reason }: SourceUnavailable): Effect.Effect<void> {
    return this.recordFailure(failure, reason)
  }
}

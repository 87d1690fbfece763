import { Effect } from "effect"
import { dayMs } from "../../../market/timeframe.ts"
import { type CachedDay, extractDay, getDayOf, mergeDays, type RowLayout, type SeriesRows } from "./dayRows.ts"
import type { MemoryDayCache } from "./MemoryDayCache.ts"
import type { RecentRowCache } from "./RecentRowCache.ts"
import { RowCollector } from "./RowCollector.ts"
import type { SeriesRecord } from "./seriesRecords.ts"
import type { SharedDays } from "./sharedDays.ts"

/** The three caches of derived days: the days of this process, recent rows, and days that several processes share. */
export interface DayCaches {
  readonly memory: MemoryDayCache
  readonly recent: RecentRowCache
  readonly shared: SharedDays
}

/**
 * The cached days of all series of one rule. Days are read from the memory of the process, and then from the shared
 * store.
 */
export class SeriesCache {
  readonly #layout: RowLayout
  readonly #memory: MemoryDayCache
  readonly #recent: RecentRowCache
  readonly #shared: SharedDays

  constructor(layout: RowLayout, { shared, memory, recent }: DayCaches) {
    this.#layout = layout
    this.#memory = memory
    this.#recent = recent
    this.#shared = shared
  }

  /**
   * Returns whether `DerivedDays` accepts the name of a series. `DerivedDays` accepts 1 to 64 printable ASCII
   * characters.
   */
  #isStorable(series: string): boolean {
    return /^[ -~]{1,64}$/u.test(series)
  }

  #cacheKey(series: string): string {
    return `${this.#layout.rule} ${series}`
  }

  #day(series: string, day: number, revision: string): CachedDay | undefined {
    const found = this.#memory.get(this.#cacheKey(series), day)
    return found?.revision === revision ? found : undefined
  }

  /**
   * Returns the time from which missing rows are computed. If processes share stored days, returns the start of the
   * day.
   */
  getComputeStart(missing: number): number {
    return this.#shared.isShared ? getDayOf(missing + 1) : missing
  }

  collectFromMemory(series: string, from: number, to: number, record: SeriesRecord, now: number): RowCollector {
    const collector = new RowCollector(this.#layout, from, to)
    collector.copyKnownDays((day) => this.#day(series, day, record.revision))
    this.#fill(series, collector, record, now)
    return collector
  }

  #fill(series: string, collector: RowCollector, record: SeriesRecord, now: number): void {
    const { missingFrom } = collector
    if (missingFrom === undefined || missingFrom + this.#layout.stepMs <= record.until) return
    const recentRows = this.#recent.get(this.#cacheKey(series), record, now)
    if (recentRows !== undefined) collector.addRecentRows(recentRows)
  }

  /** Reads the days with missing rows from the shared store, up to the watermark. */
  collectFromStore(series: string, collector: RowCollector, record: SeriesRecord, now: number): Effect.Effect<void> {
    const { revision, until } = record
    const { missingFrom, missingTo } = collector
    if (missingFrom === undefined || missingFrom + this.#layout.stepMs > until || !this.#isStorable(series)) {
      return Effect.void
    }
    const key = { rule: this.#layout.rule, series, revision }
    return Effect.map(this.#shared.readDays(this.#layout, key, getDayOf(missingFrom + 1), missingTo), (found) => {
      const improvedDays = found.flatMap((stored) => {
        const known = this.#day(series, stored.day, revision)
        return known !== undefined && known.since <= stored.since && known.until >= stored.until
          ? []
          : [mergeDays(this.#layout, known, stored)]
      })
      if (improvedDays.length === 0) return
      this.#memory.put(this.#cacheKey(series), improvedDays)
      // If the memory cache is full, `put` may have dropped some of `improvedDays`, so these days are also copied
      // directly.
      const stored = new Map(improvedDays.map((day) => [day.day, day]))
      collector.copyKnownDays((day) => stored.get(day) ?? this.#day(series, day, revision))
      this.#fill(series, collector, record, now)
    })
  }

  /** Caches computed rows. Rows after the watermark are cached only for some seconds. */
  store(series: string, rows: SeriesRows, record: SeriesRecord, now: number): void {
    const { revision, until } = record
    const { rule, stepMs } = this.#layout
    this.#recent.put(this.#cacheKey(series), this.#layout, rows, record, now)
    const end = Math.min(rows.to, Math.floor(until / stepMs) * stepMs)
    const days: Array<CachedDay> = []
    for (let day = getDayOf(rows.from + 1); day < end; day += dayMs) {
      const known = this.#day(series, day, revision)
      const dayUntil = Math.min(end, day + dayMs)
      // If the watermark is before the computed rows, no row of the day can be cached permanently.
      if (dayUntil <= rows.from) continue
      if (known !== undefined && known.since <= Math.max(day, rows.from) && known.until >= dayUntil) continue
      days.push(mergeDays(this.#layout, known, extractDay(this.#layout, rows, { day, revision, until: dayUntil })))
    }
    if (days.length === 0) return
    this.#memory.put(this.#cacheKey(series), days)
    const completeDays = days.filter(({ day, since }) => since === day)
    if (completeDays.length === 0 || !this.#isStorable(series)) return
    this.#shared.writeDays({ layout: this.#layout, key: { rule, series, revision }, days: completeDays })
  }
}

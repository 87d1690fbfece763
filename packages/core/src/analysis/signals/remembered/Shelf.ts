import { Effect } from "effect"
import { dayMs } from "../../../market/timeframe.ts"
import type { DayMemory } from "./DayMemory.ts"
import { dayFrom, dayOf, type Layout, type RememberedDay, type Rows, uniteDays } from "./dayRows.ts"
import { Gathered } from "./Gathered.ts"
import type { KeptDays } from "./keepDays.ts"
import type { PassingRows } from "./PassingRows.ts"
import type { SeriesRecord } from "./records.ts"

/** The caches of days: in this process, and optionally in a store that several processes share. */
export interface Remembering {
  readonly memory: DayMemory
  readonly passing: PassingRows
  readonly kept: KeptDays
}

/** The remembered days of one rule's series. Looks in this process first, then in the store. */
export class Shelf {
  readonly #layout: Layout
  readonly #memory: DayMemory
  readonly #passing: PassingRows
  readonly #kept: KeptDays

  constructor(layout: Layout, { kept, memory, passing }: Remembering) {
    this.#layout = layout
    this.#memory = memory
    this.#passing = passing
    this.#kept = kept
  }

  /**
   * Whether `DerivedDays` accepts the name. A coin with a name in another alphabet is remembered only in this process.
   */
  #isStorable(series: string): boolean {
    return /^[ -~]{1,64}$/u.test(series)
  }

  #nameOf(series: string): string {
    return `${this.#layout.rule} ${series}`
  }

  #day(series: string, day: number, revision: string): RememberedDay | undefined {
    const found = this.#memory.get(this.#nameOf(series), day)
    return found?.revision === revision ? found : undefined
  }

  /** Returns the start of the computation for rows that are missing after a time. Shared days begin at midnight. */
  computedFrom(missing: number): number {
    return this.#kept.shares ? dayOf(missing + 1) : missing
  }

  /** Returns the rows of a revision that this process remembers. */
  recall(series: string, from: number, to: number, at: SeriesRecord, now: number): Gathered {
    const gathered = new Gathered(this.#layout, from, to)
    gathered.recall((day) => this.#day(series, day, at.revision))
    this.#fill(series, gathered, at, now)
    return gathered
  }

  /** If rows are missing only beyond the watermark, uses those that were computed a moment ago. */
  #fill(series: string, gathered: Gathered, at: SeriesRecord, now: number): void {
    const { missingFrom } = gathered
    if (missingFrom === undefined || missingFrom + this.#layout.stepMs <= at.until) return
    const passing = this.#passing.get(this.#nameOf(series), at, now)
    if (passing !== undefined) gathered.fill(passing)
  }

  /** Reads the days with missing rows below the watermark from the store. */
  recallKept(series: string, gathered: Gathered, at: SeriesRecord, now: number): Effect.Effect<void> {
    const { revision, until } = at
    const { missingFrom, missingTo } = gathered
    if (missingFrom === undefined || missingFrom + this.#layout.stepMs > until || !this.#isStorable(series)) {
      return Effect.void
    }
    const key = { rule: this.#layout.rule, series, revision }
    return Effect.map(this.#kept.recall(this.#layout, key, dayOf(missingFrom + 1), missingTo), (found) => {
      const better = found.flatMap((stored) => {
        const known = this.#day(series, stored.day, revision)
        return known !== undefined && known.since <= stored.since && known.until >= stored.until
          ? []
          : [uniteDays(this.#layout, known, stored)]
      })
      if (better.length === 0) return
      this.#memory.put(this.#nameOf(series), better)
      // Memory may not have accepted all of these days.
      const stored = new Map(better.map((day) => [day.day, day]))
      gathered.recall((day) => stored.get(day) ?? this.#day(series, day, revision))
      this.#fill(series, gathered, at, now)
    })
  }

  /** Remembers computed rows: complete days and the running day. Rows beyond the watermark are remembered briefly. */
  remember(series: string, rows: Rows, at: SeriesRecord, now: number): void {
    const { revision, until } = at
    const { rule, stepMs } = this.#layout
    this.#passing.put(this.#nameOf(series), this.#layout, rows, at, now)
    const end = Math.min(rows.to, Math.floor(until / stepMs) * stepMs)
    const days: Array<RememberedDay> = []
    for (let day = dayOf(rows.from + 1); day < end; day += dayMs) {
      const known = this.#day(series, day, revision)
      const dayUntil = Math.min(end, day + dayMs)
      // The watermark may be before the computed rows.
      if (dayUntil <= rows.from) continue
      if (known !== undefined && known.since <= Math.max(day, rows.from) && known.until >= dayUntil) continue
      days.push(uniteDays(this.#layout, known, dayFrom(this.#layout, rows, { day, revision, until: dayUntil })))
    }
    if (days.length === 0) return
    this.#memory.put(this.#nameOf(series), days)
    const whole = days.filter(({ day, since }) => since === day)
    if (whole.length === 0 || !this.#isStorable(series)) return
    this.#kept.keep({ layout: this.#layout, key: { rule, series, revision }, days: whole })
  }
}

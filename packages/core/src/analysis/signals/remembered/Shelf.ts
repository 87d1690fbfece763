import { Effect } from "effect"
import { dayMs } from "../../../market/timeframe.ts"
import type { DayMemory } from "./DayMemory.ts"
import { dayFrom, dayOf, type Layout, type RememberedDay, type Rows, uniteDays } from "./dayRows.ts"
import { Gathered } from "./Gathered.ts"
import type { KeptDays } from "./keepDays.ts"
import type { PassingRows } from "./PassingRows.ts"
import type { SeriesRecord } from "./records.ts"

/** Where days are remembered: in this process, and perhaps in a store that several share. */
export interface Remembering {
  readonly memory: DayMemory
  readonly passing: PassingRows
  readonly kept: KeptDays
}

/** The remembered days of one rule's series: in this process first, then in the store. */
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

  /** What `DerivedDays` takes for a name: a coin of another alphabet is remembered here alone. */
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

  /** From where a question that misses what comes after an instant is computed: what is shared begins at midnight. */
  computedFrom(missing: number): number {
    return this.#kept.shares ? dayOf(missing + 1) : missing
  }

  /** What this process remembers of a revision. */
  recall(series: string, from: number, to: number, at: SeriesRecord, now: number): Gathered {
    const gathered = new Gathered(this.#layout, from, to)
    gathered.recall((day) => this.#day(series, day, at.revision))
    this.#fill(series, gathered, at, now)
    return gathered
  }

  /** Where something is missing beyond the mark alone, what was computed of that a moment ago. */
  #fill(series: string, gathered: Gathered, at: SeriesRecord, now: number): void {
    const { missingFrom } = gathered
    if (missingFrom === undefined || missingFrom + this.#layout.stepMs <= at.until) return
    const passing = this.#passing.get(this.#nameOf(series), at, now)
    if (passing !== undefined) gathered.fill(passing)
  }

  /** Asks the store for the days of which something is missing below the mark. */
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
      // Not every day has found room in memory.
      const stored = new Map(better.map((day) => [day.day, day]))
      gathered.recall((day) => stored.get(day) ?? this.#day(series, day, revision))
      this.#fill(series, gathered, at, now)
    })
  }

  /** Remembers the whole days, and the one that still runs, of what was computed; beyond the mark for a moment. */
  remember(series: string, rows: Rows, at: SeriesRecord, now: number): void {
    const { revision, until } = at
    const { rule, stepMs } = this.#layout
    this.#passing.put(this.#nameOf(series), this.#layout, rows, at, now)
    const end = Math.min(rows.to, Math.floor(until / stepMs) * stepMs)
    const days: Array<RememberedDay> = []
    for (let day = dayOf(rows.from + 1); day < end; day += dayMs) {
      const known = this.#day(series, day, revision)
      const dayUntil = Math.min(end, day + dayMs)
      // The mark may lie before what was computed.
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

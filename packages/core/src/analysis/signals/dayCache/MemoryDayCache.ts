import { Context } from "effect"
import { dayMs } from "../../../market/timeframe.ts"
import type { CachedDay } from "./dayRows.ts"

/** The memory for derived values per process, in bytes. A hundred coins need 34 MB for the 93 days of hit rates. */
export const DerivedMemory = Context.Reference<{ readonly bytes: number }>("@tapeline/core/signals/DerivedMemory", {
  defaultValue: () => ({ bytes: 40 * 1024 * 1024 })
})

/** The approximate overhead of a cached day in addition to its numbers, in bytes. */
const overheadBytes = 700

/**
 * The maximum number of cached days per series. The limit exceeds the number of days that the hit rates and their
 * warm-up need.
 */
const maxDaysPerSeries = 96

/** In a full cache, one of `admissionRate` new series displaces other series. */
const admissionRate = 8

const getSize = ({ values }: CachedDay): number => values.byteLength + overheadBytes

interface Entry {
  readonly series: string
  readonly days: Map<number, CachedDay>
  bytes: number
  index: number
}

/**
 * A cache of days with a size limit. The cache affects only the duration of a computation, never its result.
 *
 * If the cache is full, a series displaces random other series with a probability of 1/8. Without displacement, the
 * cache keeps only the newest day of the series. If callers use more series than fit, some of their series stay in the
 * cache. A cache that evicts the least recently used series would remove each series before its next use.
 */
export class MemoryDayCache {
  readonly #limit: number
  readonly #entries = new Map<string, Entry>()
  readonly #order: Array<Entry> = []
  #bytes = 0
  #drawn = 0x2545f491

  constructor(bytes: number) {
    this.#limit = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(series: string, day: number): CachedDay | undefined {
    return this.#entries.get(series)?.days.get(day)
  }

  /** Stores days of a series, oldest first. A stored day with the same date is replaced. */
  put(series: string, days: ReadonlyArray<CachedDay>): void {
    const newest = days.at(-1)
    if (newest === undefined) return
    const entry = this.#entry(series)
    const knownDays = days.filter(({ day }) => entry.days.has(day))
    const newDays = days.filter(({ day }) => !entry.days.has(day) && day > newest.day - maxDaysPerSeries * dayMs)
    for (const day of knownDays) this.#set(entry, day)
    const neededBytes = newDays.reduce((sum, day) => sum + getSize(day), 0)
    const fits = this.#bytes + neededBytes <= this.#limit
    for (const day of fits || this.#draw(admissionRate) === 0 ? newDays : newDays.slice(-1)) this.#set(entry, day)
    for (const day of entry.days.keys()) if (day <= newest.day - maxDaysPerSeries * dayMs) this.#drop(entry, day)
    this.#makeRoom(entry)
  }

  #entry(series: string): Entry {
    const known = this.#entries.get(series)
    if (known !== undefined) return known
    const entry: Entry = { series, days: new Map(), bytes: 0, index: this.#order.length }
    this.#entries.set(series, entry)
    this.#order.push(entry)
    return entry
  }

  #set(entry: Entry, day: CachedDay): void {
    this.#drop(entry, day.day)
    entry.days.set(day.day, day)
    entry.bytes += getSize(day)
    this.#bytes += getSize(day)
  }

  #drop(entry: Entry, day: number): void {
    const known = entry.days.get(day)
    if (known === undefined) return
    entry.days.delete(day)
    entry.bytes -= getSize(known)
    this.#bytes -= getSize(known)
  }

  /**
   * Removes random other series until the cache fits its limit. If the entry itself exceeds the limit, its oldest days
   * are removed.
   */
  #makeRoom(entry: Entry): void {
    while (this.#bytes > this.#limit && this.#order.length > 1) {
      const randomEntry = this.#order[this.#draw(this.#order.length)]!
      if (randomEntry !== entry) this.#forget(randomEntry)
    }
    for (const day of [...entry.days.keys()].sort((a, b) => a - b)) {
      if (this.#bytes <= this.#limit) return
      this.#drop(entry, day)
    }
  }

  #forget(entry: Entry): void {
    this.#bytes -= entry.bytes
    this.#entries.delete(entry.series)
    const last = this.#order.pop()!
    if (last === entry) return
    last.index = entry.index
    this.#order[entry.index] = last
  }

  /** Returns the next pseudorandom number in `[0, n)` of a fixed sequence. Source: Marsaglia, Xorshift RNGs (2003). */
  #draw(n: number): number {
    let x = this.#drawn
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#drawn = x >>> 0
    return this.#drawn % n
  }
}

import { dayMs } from "../../../market/timeframe.ts"
import type { RememberedDay } from "./dayRows.ts"

/** The approximate overhead of a day in addition to its numbers. */
const overheadBytes = 700

/** The days per series that are kept before its newest: those of hit rates, and their warm-up. */
const keptDays = 96

/** One in this many series that do not fit displaces others. */
const admission = 8

const sizeOf = ({ values }: RememberedDay): number => values.byteLength + overheadBytes

interface Entry {
  readonly series: string
  readonly days: Map<number, RememberedDay>
  bytes: number
  place: number
}

/**
 * A bounded cache of days. Its content never changes a result, only the time to compute it.
 *
 * If callers cycle through more series than fit, each pass still finds about the share that fits. A series that does
 * not fit displaces random others with a probability of 1/8. Otherwise only its newest day is kept, which callers
 * request most. With least-recently-used eviction, such a cycle would find nothing.
 */
export class DayMemory {
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

  get(series: string, day: number): RememberedDay | undefined {
    return this.#entries.get(series)?.days.get(day)
  }

  /** Stores days of a series, oldest first. Each replaces the stored day. */
  put(series: string, days: ReadonlyArray<RememberedDay>): void {
    const newest = days.at(-1)
    if (newest === undefined) return
    const entry = this.#entry(series)
    const known = days.filter(({ day }) => entry.days.has(day))
    const added = days.filter(({ day }) => !entry.days.has(day) && day > newest.day - keptDays * dayMs)
    for (const day of known) this.#set(entry, day)
    const need = added.reduce((sum, day) => sum + sizeOf(day), 0)
    const fits = this.#bytes + need <= this.#limit
    for (const day of fits || this.#draw(admission) === 0 ? added : added.slice(-1)) this.#set(entry, day)
    for (const day of entry.days.keys()) if (day <= newest.day - keptDays * dayMs) this.#drop(entry, day)
    this.#makeRoom(entry)
  }

  #entry(series: string): Entry {
    const known = this.#entries.get(series)
    if (known !== undefined) return known
    const entry: Entry = { series, days: new Map(), bytes: 0, place: this.#order.length }
    this.#entries.set(series, entry)
    this.#order.push(entry)
    return entry
  }

  #set(entry: Entry, day: RememberedDay): void {
    this.#drop(entry, day.day)
    entry.days.set(day.day, day)
    entry.bytes += sizeOf(day)
    this.#bytes += sizeOf(day)
  }

  #drop(entry: Entry, day: number): void {
    const known = entry.days.get(day)
    if (known === undefined) return
    entry.days.delete(day)
    entry.bytes -= sizeOf(known)
    this.#bytes -= sizeOf(known)
  }

  /** Drops random other series until the content fits. If `entry` alone does not fit, drops its oldest days. */
  #makeRoom(entry: Entry): void {
    while (this.#bytes > this.#limit && this.#order.length > 1) {
      const drawn = this.#order[this.#draw(this.#order.length)]!
      if (drawn !== entry) this.#forget(drawn)
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
    last.place = entry.place
    this.#order[entry.place] = last
  }

  /** Returns a pseudorandom number in `[0, n)` by xorshift (G. Marsaglia, 2003), so that runs can be reproduced. */
  #draw(n: number): number {
    let x = this.#drawn
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#drawn = x >>> 0
    return this.#drawn % n
  }
}

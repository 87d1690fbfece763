import { dayMs } from "../../../market/timeframe.ts"
import type { RememberedDay } from "./dayRows.ts"

/** Beside its numbers a day takes about this much. */
const overheadBytes = 700

/** Days of one series that are kept before its newest: what hit rates look at, and their warm-up. */
const keptDays = 96

/** One in so many series that find no room pushes others out. */
const admission = 8

const sizeOf = ({ values }: RememberedDay): number => values.byteLength + overheadBytes

interface Entry {
  readonly series: string
  readonly days: Map<number, RememberedDay>
  bytes: number
  place: number
}

/**
 * Remembered days within a bound of bytes. What it holds never changes an answer, only the time that the answer takes.
 *
 * Where more is asked for in turns than fits, each pass still finds about the share that fits: a series that finds no
 * room takes that of others, drawn at random, one time in eight, and else keeps its newest day alone (what everyone
 * asks for next). To forget what was used least lately would find nothing at all then.
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

  /** Remembers days of a series, oldest first, each in place of what was known of it. */
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

  /** Forgets other series at random until what is there fits; one that does not fit alone loses its oldest days. */
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

  /** A number in `[0, n)`: by xorshift (G. Marsaglia, 2003), so that a run can be repeated. */
  #draw(n: number): number {
    let x = this.#drawn
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    this.#drawn = x >>> 0
    return this.#drawn % n
  }
}

import { countRowsBetween, type RowLayout, type SeriesRows } from "./dayRows.ts"
import type { SeriesRecord } from "./seriesRecords.ts"

/** The cache duration of values after the watermark, in ms. Values after the watermark may change at any moment. */
const recentMs = 5_000

/** The time at which cached values were computed, and the record of their raw data. */
export interface ComputedAt {
  readonly time: number
  readonly record: SeriesRecord
}

/** Returns whether cached values after the watermark are recent enough to be returned. */
export const isStillRecent = ({ record, time }: ComputedAt, { revision, until }: SeriesRecord, now: number): boolean =>
  record.revision === revision && now >= time && now - time < recentMs &&
  (record.until === until || Math.abs(record.until - until) < recentMs)

const overheadBytes = 500

interface Entry extends ComputedAt {
  readonly rows: SeriesRows
}

const getSize = ({ rows }: Entry): number => rows.values.byteLength + overheadBytes

/** A cache of the rows after the watermark of each series. */
export class RecentRowCache {
  readonly #limit: number
  /** The cached entries in the order of their computation, newest last. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(bytes: number) {
    this.#limit = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(series: string, record: SeriesRecord, now: number): SeriesRows | undefined {
    const found = this.#entries.get(series)
    return found !== undefined && isStillRecent(found, record, now) ? found.rows : undefined
  }

  put(series: string, layout: RowLayout, computed: SeriesRows, record: SeriesRecord, now: number): void {
    const { from: start, to, values } = computed
    const from = Math.max(start, Math.floor(record.until / layout.stepMs) * layout.stepMs)
    this.#drop(series)
    if (from >= to) return
    const rows = { from, to, values: values.slice(countRowsBetween(layout, start, from) * layout.width) }
    const entry: Entry = { time: now, record, rows }
    this.#entries.set(series, entry)
    this.#bytes += getSize(entry)
    for (const [name, { time }] of this.#entries) {
      if (this.#bytes <= this.#limit && time <= now && now - time < recentMs) return
      this.#drop(name)
    }
  }

  #drop(series: string): void {
    const known = this.#entries.get(series)
    if (known === undefined) return
    this.#entries.delete(series)
    this.#bytes -= getSize(known)
  }
}

import { type Layout, type Rows, rowsBetween } from "./dayRows.ts"
import type { SeriesRecord } from "./records.ts"

/**
 * The time for which values beyond the watermark are remembered, if the watermark moves by less than this. They may
 * change at any moment and are requested most often. They are never stored.
 */
const passingMs = 5_000

/** When values beyond the watermark were computed, and the record of their data. */
export interface Seen {
  readonly time: number
  readonly record: SeriesRecord
}

/** Whether values beyond the watermark may still be returned. */
export const stillPasses = ({ record, time }: Seen, { revision, until }: SeriesRecord, now: number): boolean =>
  record.revision === revision && now >= time && now - time < passingMs &&
  (record.until === until || Math.abs(record.until - until) < passingMs)

/** The approximate overhead of an entry in addition to its numbers. */
const overheadBytes = 500

interface Entry extends Seen {
  readonly rows: Rows
}

const sizeOf = ({ rows }: Entry): number => rows.values.byteLength + overheadBytes

/** A bounded cache of each series' newest rows beyond its watermark. */
export class PassingRows {
  readonly #limit: number
  /** In order of computation, the newest last. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0

  constructor(bytes: number) {
    this.#limit = bytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(series: string, record: SeriesRecord, now: number): Rows | undefined {
    const found = this.#entries.get(series)
    return found !== undefined && stillPasses(found, record, now) ? found.rows : undefined
  }

  /** Remembers the rows beyond the watermark. */
  put(series: string, layout: Layout, computed: Rows, record: SeriesRecord, now: number): void {
    const { from: start, to, values } = computed
    const from = Math.max(start, Math.floor(record.until / layout.stepMs) * layout.stepMs)
    this.#drop(series)
    if (from >= to) return
    const rows = { from, to, values: values.slice(rowsBetween(layout, start, from) * layout.width) }
    const entry: Entry = { time: now, record, rows }
    this.#entries.set(series, entry)
    this.#bytes += sizeOf(entry)
    for (const [name, { time }] of this.#entries) {
      if (this.#bytes <= this.#limit && time <= now && now - time < passingMs) return
      this.#drop(name)
    }
  }

  #drop(series: string): void {
    const known = this.#entries.get(series)
    if (known === undefined) return
    this.#entries.delete(series)
    this.#bytes -= sizeOf(known)
  }
}

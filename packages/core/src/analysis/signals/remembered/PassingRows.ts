import { type Layout, type Rows, rowsBetween } from "./dayRows.ts"
import type { SeriesRecord } from "./records.ts"

/**
 * What lies beyond the mark may be another at any moment, and is asked for more than anything else. A process remembers
 * it for so long, and as long as the mark moves by less; it is never stored.
 */
const passingMs = 5_000

/** When something beyond the mark was computed, of which record. */
export interface Seen {
  readonly time: number
  readonly record: SeriesRecord
}

/** Whether something beyond the mark may still be told. */
export const stillPasses = ({ record, time }: Seen, { revision, until }: SeriesRecord, now: number): boolean =>
  record.revision === revision && now >= time && now - time < passingMs &&
  (record.until === until || Math.abs(record.until - until) < passingMs)

/** Beside its numbers an entry takes about this much. */
const overheadBytes = 500

interface Entry extends Seen {
  readonly rows: Rows
}

const sizeOf = ({ rows }: Entry): number => rows.values.byteLength + overheadBytes

/** The newest rows of each series beyond its mark, within a bound of bytes. */
export class PassingRows {
  readonly #limit: number
  /** The one that was computed last comes last. */
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

  /** Remembers the rows beyond the mark of what was computed. */
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

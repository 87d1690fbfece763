import { dayMs } from "../../../market/timeframe.ts"
import { copyDay, dayOf, type Layout, type RememberedDay, type Rows, rowsBetween } from "./dayRows.ts"

/** Collects the rows of a query. */
export class Gathered {
  readonly values: Float64Array
  readonly #layout: Layout
  readonly #from: number
  readonly #to: number
  /**
   * The missing times are in `(missingFrom, missingTo]`. The interval may begin before the query, at the end of a
   * remembered day, because remembered days have no holes.
   */
  missingFrom: number | undefined = undefined

  constructor(layout: Layout, from: number, to: number) {
    this.#layout = layout
    this.#from = from
    this.#to = to
    this.values = new Float64Array(rowsBetween(layout, from, to) * layout.width).fill(NaN)
  }

  get missingTo(): number {
    return this.#missingTo
  }
  #missingTo = -Infinity

  /** Copies the remembered days of a revision. */
  recall(known: (day: number) => RememberedDay | undefined): void {
    this.missingFrom = undefined
    this.#missingTo = -Infinity
    for (let day = dayOf(this.#from + 1); day < this.#to; day += dayMs) {
      const [first, last] = [Math.max(this.#from, day), Math.min(this.#to, day + dayMs)]
      const found = known(day)
      const begins = found !== undefined && found.since <= first
      const until = begins ? Math.min(found.until, last) : first
      if (begins && until > first) {
        copyDay(this.#layout, found, first, until, this.#from, this.values)
      }
      if (until >= last) continue
      this.missingFrom ??= until
      this.#missingTo = last
    }
  }

  /** Copies rows beyond the watermark, if nothing else is missing. */
  fill({ from, to, values }: Rows): void {
    const start = this.missingFrom
    if (start === undefined || from > start || to < this.#missingTo) return
    const skipped = values.subarray(rowsBetween(this.#layout, from, start) * this.#layout.width)
    this.add({ from: start, to, values: skipped })
    this.missingFrom = undefined
  }

  /** Copies computed rows. */
  add({ from, to, values }: Rows): void {
    const { width } = this.#layout
    const skip = rowsBetween(this.#layout, from, this.#from)
    const start = rowsBetween(this.#layout, this.#from, from)
    const end = rowsBetween(this.#layout, from, Math.min(to, this.#to))
    this.values.set(values.subarray(skip * width, end * width), start * width)
  }

  get rows(): Rows {
    return { from: this.#from, to: this.#to, values: this.values }
  }
}

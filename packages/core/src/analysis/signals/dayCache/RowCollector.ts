import { dayMs } from "../../../market/timeframe.ts"
import { type CachedDay, copyDayRows, countRowsBetween, getDayOf, type RowLayout, type SeriesRows } from "./dayRows.ts"

export class RowCollector {
  readonly values: Float64Array
  readonly #layout: RowLayout
  readonly #from: number
  readonly #to: number
  /**
   * The rows at the times in `(missingFrom, missingTo]` are missing. `missingFrom` is earlier than the requested
   * interval if the last cached day ends before the interval.
   */
  missingFrom: number | undefined = undefined

  constructor(layout: RowLayout, from: number, to: number) {
    this.#layout = layout
    this.#from = from
    this.#to = to
    this.values = new Float64Array(countRowsBetween(layout, from, to) * layout.width).fill(NaN)
  }

  get missingTo(): number {
    return this.#missingTo
  }
  #missingTo = -Infinity

  /** Copies the rows of cached days, and determines which rows are missing. */
  copyKnownDays(getDay: (day: number) => CachedDay | undefined): void {
    this.missingFrom = undefined
    this.#missingTo = -Infinity
    for (let day = getDayOf(this.#from + 1); day < this.#to; day += dayMs) {
      const [first, last] = [Math.max(this.#from, day), Math.min(this.#to, day + dayMs)]
      const found = getDay(day)
      const isKnownFromStart = found !== undefined && found.since <= first
      const until = isKnownFromStart ? Math.min(found.until, last) : first
      if (isKnownFromStart && until > first) {
        copyDayRows(this.#layout, found, first, until, this.#from, this.values)
      }
      if (until >= last) continue
      this.missingFrom ??= until
      this.#missingTo = last
    }
  }

  addRecentRows({ from, to, values }: SeriesRows): void {
    const start = this.missingFrom
    if (start === undefined || from > start || to < this.#missingTo) return
    const missingValues = values.subarray(countRowsBetween(this.#layout, from, start) * this.#layout.width)
    this.addComputedRows({ from: start, to, values: missingValues })
    this.missingFrom = undefined
  }

  addComputedRows({ from, to, values }: SeriesRows): void {
    const { width } = this.#layout
    const skip = countRowsBetween(this.#layout, from, this.#from)
    const start = countRowsBetween(this.#layout, this.#from, from)
    const end = countRowsBetween(this.#layout, from, Math.min(to, this.#to))
    this.values.set(values.subarray(skip * width, end * width), start * width)
  }

  get rows(): SeriesRows {
    return { from: this.#from, to: this.#to, values: this.values }
  }
}

import { dayMs } from "../../../market/timeframe.ts"

/** The layout of a rule's values: one row of `width` numbers at each multiple of `stepMs`. */
export interface Layout {
  /** The rule and its version, as in results. */
  readonly rule: string
  /** Divides a day. */
  readonly stepMs: number
  readonly width: number
}

/**
 * The consecutive rows of a series at the multiples of `stepMs` in `(from, to]`. A row whose first number is NaN has no
 * value.
 */
export interface Rows {
  readonly from: number
  readonly to: number
  readonly values: Float64Array
}

/** The remembered rows of a UTC day: those of a revision at the times in `(since, until]`. */
export interface RememberedDay {
  readonly day: number
  readonly revision: string
  /** The day itself, or a later time if its first hours were never requested. */
  readonly since: number
  readonly until: number
  /** Values of the whole day. Those outside `(since, until]` are undefined. */
  readonly values: Float64Array
}

/** Returns 00:00 UTC of the day of a value. A value at midnight belongs to the day that ends then. */
export const dayOf = (time: number): number => Math.ceil(time / dayMs - 1) * dayMs

/** Returns the number of rows in `(from, to]`. */
export const rowsBetween = ({ stepMs }: Layout, from: number, to: number): number =>
  Math.max(0, Math.round((to - from) / stepMs))

/** Returns the rows of one UTC day up to `until`. */
export const dayFrom = (
  layout: Layout,
  { from, values: all }: Rows,
  { day, revision, until }: Pick<RememberedDay, "day" | "revision" | "until">
): RememberedDay => {
  const { stepMs, width } = layout
  const values = new Float64Array((dayMs / stepMs) * width).fill(NaN)
  const since = Math.max(day, from)
  const first = rowsBetween(layout, from, since)
  values.set(
    all.subarray(first * width, (first + rowsBetween(layout, since, until)) * width),
    rowsBetween(layout, day, since) * width
  )
  return { day, revision, since, until, values }
}

/** Merges two versions of a day if they adjoin and have the same revision. Otherwise returns the newer one. */
export const uniteDays = (layout: Layout, known: RememberedDay | undefined, newer: RememberedDay): RememberedDay => {
  const { day, revision } = newer
  if (known?.revision !== revision || known.since > newer.until || newer.since > known.until) return newer
  const values = known.values.slice()
  copyDay(layout, newer, newer.since, newer.until, day, values)
  return {
    day,
    revision,
    since: Math.min(known.since, newer.since),
    until: Math.max(known.until, newer.until),
    values
  }
}

/** Copies the rows of a day in `(from, to]` to their place in `target`, whose rows begin at `start`. */
export const copyDay = (
  layout: Layout,
  { day, values }: RememberedDay,
  from: number,
  to: number,
  start: number,
  target: Float64Array
): void => {
  const { width } = layout
  const [first, last] = [rowsBetween(layout, day, from), rowsBetween(layout, day, to)]
  target.set(values.subarray(first * width, last * width), rowsBetween(layout, start, from) * width)
}

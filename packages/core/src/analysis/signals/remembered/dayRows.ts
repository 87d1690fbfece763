import { dayMs } from "../../../market/timeframe.ts"

/** How the values of a rule are laid out: one row at each multiple of `stepMs`, of `width` numbers. */
export interface Layout {
  /** The rule and its version, as results name it. */
  readonly rule: string
  /** Divides a day. */
  readonly stepMs: number
  readonly width: number
}

/**
 * The rows of a series at the multiples of `stepMs` in `(from, to]`, one after another. A row whose first number is NaN
 * is an instant without a value.
 */
export interface Rows {
  readonly from: number
  readonly to: number
  readonly values: Float64Array
}

/** What is remembered of a UTC day: the rows at the instants in `(since, until]` of a revision. */
export interface RememberedDay {
  readonly day: number
  readonly revision: string
  /** The day itself, or later where nobody asked for its first hours. */
  readonly since: number
  readonly until: number
  /** Of the whole day; what lies outside means nothing. */
  readonly values: Float64Array
}

/** 00:00 UTC of the day to which a value at `time` belongs: midnight's belongs to the day that it ended. */
export const dayOf = (time: number): number => Math.ceil(time / dayMs - 1) * dayMs

/** How many rows lie in `(from, to]`. */
export const rowsBetween = ({ stepMs }: Layout, from: number, to: number): number =>
  Math.max(0, Math.round((to - from) / stepMs))

/** The part of rows that lies in one UTC day and ends by `until`. */
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

/** What two know of one day: both, where they adjoin and are of one revision, else the newer one. */
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

/** Writes the rows of a day in `(from, to]` to where they belong among those from `start` on. */
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

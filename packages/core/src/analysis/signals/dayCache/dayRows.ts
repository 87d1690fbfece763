import { dayMs } from "../../../market/timeframe.ts"

/** The layout of a derived series: one row of `width` numbers at each multiple of `stepMs`. */
export interface RowLayout {
  /** The name of a rule and its version, such as `score/3`. */
  readonly rule: string
  /** The time between two rows, in ms. A day must be a multiple of `stepMs`. */
  readonly stepMs: number
  readonly width: number
}

/**
 * The rows of a series at the multiples of `stepMs` in `(from, to]`. If a row has no value, its first number is NaN.
 */
export interface SeriesRows {
  readonly from: number
  readonly to: number
  readonly values: Float64Array
}

/** The cached rows of a UTC day. `values` contains the rows of one revision at the times in `(since, until]`. */
export interface CachedDay {
  readonly day: number
  readonly revision: string
  /** The start of the cached rows: the start of the day, or later if earlier rows were never requested. */
  readonly since: number
  readonly until: number
  /** The rows of the complete UTC day. Rows outside `(since, until]` are NaN. */
  readonly values: Float64Array
}

/** Returns the start of the UTC day that contains a time. A time of 00:00 belongs to the previous day. */
export const getDayOf = (time: number): number => Math.ceil(time / dayMs - 1) * dayMs

export const countRowsBetween = ({ stepMs }: RowLayout, from: number, to: number): number =>
  Math.max(0, Math.round((to - from) / stepMs))

/** Returns the rows of one UTC day up to and including `until`. */
export const extractDay = (
  layout: RowLayout,
  { from, values: all }: SeriesRows,
  { day, revision, until }: Pick<CachedDay, "day" | "revision" | "until">
): CachedDay => {
  const { stepMs, width } = layout
  const values = new Float64Array((dayMs / stepMs) * width).fill(NaN)
  const since = Math.max(day, from)
  const first = countRowsBetween(layout, from, since)
  values.set(
    all.subarray(first * width, (first + countRowsBetween(layout, since, until)) * width),
    countRowsBetween(layout, day, since) * width
  )
  return { day, revision, since, until, values }
}

/**
 * Merges two versions of a day that overlap or adjoin and have equal revisions. If the versions cannot be merged,
 * returns the newer version.
 */
export const mergeDays = (layout: RowLayout, older: CachedDay | undefined, newer: CachedDay): CachedDay => {
  const { day, revision } = newer
  if (older?.revision !== revision || older.since > newer.until || newer.since > older.until) return newer
  const values = older.values.slice()
  copyDayRows(layout, newer, newer.since, newer.until, day, values)
  return {
    day,
    revision,
    since: Math.min(older.since, newer.since),
    until: Math.max(older.until, newer.until),
    values
  }
}

/** Copies the rows of a day in `(from, to]` into `target`. The rows of `target` begin at `start`. */
export const copyDayRows = (
  layout: RowLayout,
  { day, values }: CachedDay,
  from: number,
  to: number,
  start: number,
  target: Float64Array
): void => {
  const { width } = layout
  const [first, last] = [countRowsBetween(layout, day, from), countRowsBetween(layout, day, to)]
  target.set(values.subarray(first * width, last * width), countRowsBetween(layout, start, from) * width)
}

/**
 * The version of the binary format of a day. The format is little-endian: version, checksum of the following bytes, row
 * count, row width, and the rows as doubles.
 */
const formatVersion = 2
const headerBytes = 16

const computeChecksum = (bytes: Uint8Array): number => {
  let sum = 0x811c9dc5
  for (const byte of bytes) sum = Math.imul(sum ^ byte, 0x01000193)
  return sum >>> 0
}

export const encodeDay = ({ stepMs, width }: RowLayout, { day, until, values }: CachedDay): Uint8Array => {
  const rows = Math.round((until - day) / stepMs)
  const bytes = new Uint8Array(headerBytes + rows * width * 8)
  const view = new DataView(bytes.buffer)
  view.setUint32(8, rows, true)
  view.setUint32(12, width, true)
  let offset = headerBytes
  for (let i = 0; i < rows * width; i++, offset += 8) view.setFloat64(offset, values[i]!, true)
  view.setUint32(0, formatVersion, true)
  view.setUint32(4, computeChecksum(bytes.subarray(8)), true)
  return bytes
}

/** Decodes a day. Returns undefined if the bytes are damaged or have another format or layout. */
export const decodeDay = (
  { stepMs, width }: RowLayout,
  { bytes, day, revision, until }: {
    readonly bytes: Uint8Array
    readonly day: number
    readonly revision: string
    readonly until: number
  }
): CachedDay | undefined => {
  if (bytes.length < headerBytes) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const rows = view.getUint32(8, true)
  if (
    view.getUint32(0, true) !== formatVersion || rows !== (until - day) / stepMs || rows < 1 || rows > dayMs / stepMs ||
    view.getUint32(12, true) !== width || bytes.length !== headerBytes + rows * width * 8 ||
    view.getUint32(4, true) !== computeChecksum(bytes.subarray(8))
  ) return undefined
  const values = new Float64Array((dayMs / stepMs) * width).fill(NaN)
  let offset = headerBytes
  for (let i = 0; i < rows * width; i++, offset += 8) values[i] = view.getFloat64(offset, true)
  return { day, revision, since: day, until, values }
}

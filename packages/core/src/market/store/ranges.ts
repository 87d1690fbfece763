import type { Interval } from "../series.ts"

/** Non-empty half-open intervals in ascending order that neither overlap nor touch. */
export type Ranges = ReadonlyArray<Interval>

/** Merges any intervals into ranges. */
export const toRanges = (intervals: ReadonlyArray<Interval>): Ranges => {
  const sorted = intervals.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)
  const merged: Array<Interval> = []
  for (const { from, to } of sorted) {
    const last = merged.at(-1)
    if (last === undefined || last.to < from) merged.push({ from, to })
    else if (last.to < to) merged[merged.length - 1] = { from: last.from, to }
  }
  return merged
}

/** Returns the union of two lists of ranges. */
export const unionRanges = (one: Ranges, other: Ranges): Ranges =>
  one.length === 0 ? other : other.length === 0 ? one : toRanges([...one, ...other])

/** Returns the parts of `minuend` that are not in `subtrahend`. */
export const subtractRanges = (minuend: Ranges, subtrahend: Ranges): Ranges => {
  const remaining: Array<Interval> = []
  let next = 0
  for (const { from, to } of minuend) {
    while (next < subtrahend.length && subtrahend[next]!.to <= from) next++
    let start = from
    for (let i = next; i < subtrahend.length && subtrahend[i]!.from < to; i++) {
      if (subtrahend[i]!.from > start) remaining.push({ from: start, to: subtrahend[i]!.from })
      start = Math.max(start, subtrahend[i]!.to)
    }
    if (start < to) remaining.push({ from: start, to })
  }
  return remaining
}

/** Returns the parts of ranges that are within an interval. */
export const clipRanges = (some: Ranges, { from, to }: Interval): Ranges =>
  some.flatMap((range) =>
    range.from < to && from < range.to ? [{ from: Math.max(range.from, from), to: Math.min(range.to, to) }] : []
  )

/** Returns the range that contains a time or ends at the time. */
export const findRangeAt = (some: Ranges, time: number): Interval | undefined =>
  some.find(({ from, to }) => from <= time && time <= to)

export const areRangesEqual = (one: Ranges, other: Ranges): boolean =>
  one.length === other.length && one.every(({ from, to }, i) => from === other[i]!.from && to === other[i]!.to)

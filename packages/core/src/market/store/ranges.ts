import type { Interval } from "../series.ts"

/** Half-open intervals, ascending. They are not empty, and do not overlap or touch. */
export type Ranges = ReadonlyArray<Interval>

/** Merges any intervals into ranges. */
export const ranges = (intervals: ReadonlyArray<Interval>): Ranges => {
  const sorted = intervals.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)
  const found: Array<Interval> = []
  for (const { from, to } of sorted) {
    const last = found.at(-1)
    if (last === undefined || last.to < from) found.push({ from, to })
    else if (last.to < to) found[found.length - 1] = { from: last.from, to }
  }
  return found
}

/** Returns the union of two ranges. */
export const unite = (one: Ranges, other: Ranges): Ranges =>
  one.length === 0 ? other : other.length === 0 ? one : ranges([...one, ...other])

/** Returns the parts of `some` that are not in `others`. */
export const without = (some: Ranges, others: Ranges): Ranges => {
  const found: Array<Interval> = []
  let next = 0
  for (const { from, to } of some) {
    while (next < others.length && others[next]!.to <= from) next++
    let start = from
    for (let i = next; i < others.length && others[i]!.from < to; i++) {
      if (others[i]!.from > start) found.push({ from: start, to: others[i]!.from })
      start = Math.max(start, others[i]!.to)
    }
    if (start < to) found.push({ from: start, to })
  }
  return found
}

/** Returns the parts of ranges that are within an interval. */
export const within = (some: Ranges, { from, to }: Interval): Ranges =>
  some.flatMap((one) =>
    one.from < to && from < one.to ? [{ from: Math.max(one.from, from), to: Math.min(one.to, to) }] : []
  )

/** Returns the range that contains a time or ends at it. */
export const rangeAt = (some: Ranges, time: number): Interval | undefined =>
  some.find(({ from, to }) => from <= time && time <= to)

export const sameRanges = (one: Ranges, other: Ranges): boolean =>
  one.length === other.length && one.every(({ from, to }, i) => from === other[i]!.from && to === other[i]!.to)

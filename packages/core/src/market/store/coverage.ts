import type { Interval } from "../series.ts"
import { rangeAt, type Ranges, ranges, sameRanges, unite, within, without } from "./ranges.ts"

/** The data that a store keeps about one series in addition to its rows. */
export interface Coverage {
  /** The earliest time for which anything was written. Null until a row or an interval is written. */
  readonly first: number | null
  /** The start of recording. Data before it is not awaited. Null until an interval is covered or lost. */
  readonly since: number | null
  /** Everything from `since` to the watermark is covered or lost. 0 without a `since`. Never moves back. */
  readonly mark: number
  readonly covered: Ranges
  /** Disjoint from `covered`. */
  readonly lost: Ranges
}

/** The intervals and rows that one write adds to a series. */
export interface Touch {
  readonly covers: ReadonlyArray<Interval>
  readonly lost: ReadonlyArray<Interval>
  /** The earliest time of its rows. Null without rows. */
  readonly firstRow: number | null
}

export const untouched: Coverage = { first: null, since: null, mark: 0, covered: [], lost: [] }

/**
 * The maximum number of lost intervals per series. Beyond it, the oldest intervals are merged, including the time
 * between them.
 */
export const lostAtMost = 1_000

/**
 * The maximum number of separate covered intervals per series. A write that exceeds it is rejected: holes must be
 * filled or marked as lost.
 */
export const coveredAtMost = 2_000

const least = (...times: ReadonlyArray<number | null | undefined>): number | null => {
  const known = times.filter((time): time is number => typeof time === "number")
  return known.length === 0 ? null : Math.min(...known)
}

/** Limits the number of lost intervals. The time between merged intervals counts as lost. */
const bounded = (lost: Ranges): Ranges => {
  const excess = lost.length - lostAtMost
  return excess <= 0 ? lost : [{ from: lost[0]!.from, to: lost[excess]!.to }, ...lost.slice(excess + 1)]
}

const marked = (first: number | null, since: number | null, covered: Ranges, lost: Ranges): Coverage => {
  if (since === null) return { first, since, mark: 0, covered, lost }
  const run = rangeAt(unite(covered, lost), since)
  return { first, since: run?.from ?? since, mark: run?.to ?? since, covered, lost }
}

/** Returns the coverage after a write. A covered interval is not lost, whichever was written first. */
export const coverageAfter = (before: Coverage, touch: Touch): Coverage => {
  const covers = ranges(touch.covers)
  const said = ranges(touch.lost)
  const all = unite(before.covered, covers)
  const lost = bounded(without(unite(before.lost, said), all))
  const covered = without(all, lost)
  const since = before.since ?? least(covers[0]?.from, said[0]?.from)
  return marked(least(before.first, touch.firstRow, covers[0]?.from, said[0]?.from), since, covered, lost)
}

/** Returns the coverage after everything before `cut` is deleted. Deleted data is no longer awaited. */
export const coveragePruned = (before: Coverage, cut: number): Coverage => {
  const rest = { from: cut, to: Infinity }
  const first = before.first === null ? null : Math.max(before.first, cut)
  const since = before.since === null ? null : Math.max(before.since, cut)
  return marked(first, since, within(before.covered, rest), within(before.lost, rest))
}

/** True if the deletion at `cut` removes data below the watermark. */
export const isForgotten = ({ first, mark }: Coverage, cut: number): boolean =>
  first !== null && first < cut && first < mark

/**
 * True if the content below the watermark changed. Either a row was added, changed or removed, the earliest at
 * `firstChange`, or the covered or lost intervals changed.
 */
export const isRevised = (before: Coverage, after: Coverage, firstChange: number | null): boolean => {
  if (firstChange !== null && firstChange < before.mark) return true
  const below = { from: -Infinity, to: before.mark }
  return !sameRanges(within(before.covered, below), within(after.covered, below)) ||
    !sameRanges(within(before.lost, below), within(after.lost, below))
}

/** The parts of an interval without records: lost parts, and missing parts that may still be filled. */
export interface SeriesGaps {
  readonly lost: Ranges
  readonly missing: Ranges
}

export const gapsIn = ({ covered, lost }: Pick<Coverage, "covered" | "lost">, interval: Interval): SeriesGaps => ({
  lost: within(lost, interval),
  missing: without(without(ranges([interval]), covered), lost)
})

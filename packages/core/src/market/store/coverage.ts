import type { Interval } from "../series.ts"
import { rangeAt, type Ranges, ranges, sameRanges, unite, within, without } from "./ranges.ts"

/** What a store keeps of one series beside its rows. */
export interface Coverage {
  /** The first instant that anything was written of; null of nothing but documents' keys. */
  readonly first: number | null
  /** Where recording began: what lies before it is not awaited. Null until something is covered or lost. */
  readonly since: number | null
  /** Everything from `since` to it is covered or lost; 0 without a `since`. It never goes back. */
  readonly mark: number
  readonly covered: Ranges
  /** Apart from what is covered. */
  readonly lost: Ranges
}

/** What one write says of a series. */
export interface Touch {
  readonly covers: ReadonlyArray<Interval>
  readonly lost: ReadonlyArray<Interval>
  /** The earliest of its rows; null without any. */
  readonly firstRow: number | null
}

export const untouched: Coverage = { first: null, since: null, mark: 0, covered: [], lost: [] }

/** So many intervals of a series are kept as lost; beyond that the two oldest are told as one, with all in between. */
export const lostAtMost = 1_000

/** A write is refused that leaves more separate intervals recorded than that: holes must be filled, or said lost. */
export const coveredAtMost = 2_000

const least = (...times: ReadonlyArray<number | null | undefined>): number | null => {
  const known = times.filter((time): time is number => typeof time === "number")
  return known.length === 0 ? null : Math.min(...known)
}

/** Lost intervals within their bound. What lies between two that become one counts as lost. */
const bounded = (lost: Ranges): Ranges => {
  const excess = lost.length - lostAtMost
  return excess <= 0 ? lost : [{ from: lost[0]!.from, to: lost[excess]!.to }, ...lost.slice(excess + 1)]
}

const marked = (first: number | null, since: number | null, covered: Ranges, lost: Ranges): Coverage => {
  if (since === null) return { first, since, mark: 0, covered, lost }
  const run = rangeAt(unite(covered, lost), since)
  return { first, since: run?.from ?? since, mark: run?.to ?? since, covered, lost }
}

/** What is known of a series after a write. What is covered is not lost, whichever was said first. */
export const coverageAfter = (before: Coverage, touch: Touch): Coverage => {
  const covers = ranges(touch.covers)
  const said = ranges(touch.lost)
  const all = unite(before.covered, covers)
  const lost = bounded(without(unite(before.lost, said), all))
  const covered = without(all, lost)
  const since = before.since ?? least(covers[0]?.from, said[0]?.from)
  return marked(least(before.first, touch.firstRow, covers[0]?.from, said[0]?.from), since, covered, lost)
}

/** What is known of a series when all before `cut` is forgotten: it is awaited no more. */
export const coveragePruned = (before: Coverage, cut: number): Coverage => {
  const rest = { from: cut, to: Infinity }
  const first = before.first === null ? null : Math.max(before.first, cut)
  const since = before.since === null ? null : Math.max(before.since, cut)
  return marked(first, since, within(before.covered, rest), within(before.lost, rest))
}

/** Whether that takes anything from what lies below its mark. */
export const isForgotten = ({ first, mark }: Coverage, cut: number): boolean =>
  first !== null && first < cut && first < mark

/**
 * Whether what lies below the mark is other content now: a row below it was added, changed or removed, the earliest one
 * at `firstChange`, or it is known of other intervals there that they are recorded, or lost.
 */
export const isRevised = (before: Coverage, after: Coverage, firstChange: number | null): boolean => {
  if (firstChange !== null && firstChange < before.mark) return true
  const below = { from: -Infinity, to: before.mark }
  return !sameRanges(within(before.covered, below), within(after.covered, below)) ||
    !sameRanges(within(before.lost, below), within(after.lost, below))
}

/** Where a series has nothing in an interval: what is lost, and what may still be filled. */
export interface SeriesGaps {
  readonly lost: Ranges
  readonly missing: Ranges
}

export const gapsIn = ({ covered, lost }: Pick<Coverage, "covered" | "lost">, interval: Interval): SeriesGaps => ({
  lost: within(lost, interval),
  missing: without(without(ranges([interval]), covered), lost)
})

import type { Interval } from "../series.ts"
import {
  areRangesEqual,
  clipRanges,
  findRangeAt,
  type Ranges,
  subtractRanges,
  toRanges,
  unionRanges
} from "./ranges.ts"

/** Data about which times of one series are recorded. */
export interface Coverage {
  /** The earliest time of a written row or interval; null before the first write. */
  readonly firstAt: number | null
  /**
   * The start of recording; null before the first interval is covered or lost. Times before `since` never count as
   * missing.
   */
  readonly since: number | null
  /**
   * The first time after `since` that is neither covered nor lost; 0 if `since` is null. The watermark never moves
   * back.
   */
  readonly watermark: number
  readonly covered: Ranges
  /** The lost intervals, which do not overlap covered intervals. */
  readonly lost: Ranges
}

export interface CoverageWrite {
  readonly covers: ReadonlyArray<Interval>
  readonly lost: ReadonlyArray<Interval>
  /** The earliest time of the written rows; null if no rows are written. */
  readonly firstRowAt: number | null
}

export const emptyCoverage: Coverage = { firstAt: null, since: null, watermark: 0, covered: [], lost: [] }

/**
 * The maximum number of lost intervals per series. If a series has more, its oldest lost intervals and the time between
 * them become one lost interval.
 */
export const maxLostIntervals = 1_000

/**
 * The maximum number of separate covered intervals per series. A write that would exceed the maximum is rejected. The
 * writer must then fill the gaps between covered intervals, or mark the gaps as lost.
 */
export const maxCoveredIntervals = 2_000

const earliest = (...times: ReadonlyArray<number | null | undefined>): number | null => {
  const known = times.filter((time): time is number => typeof time === "number")
  return known.length === 0 ? null : Math.min(...known)
}

/** If there are too many lost intervals, merges the oldest intervals and the time between them. */
const limitLost = (lost: Ranges): Ranges => {
  const excess = lost.length - maxLostIntervals
  return excess <= 0 ? lost : [{ from: lost[0]!.from, to: lost[excess]!.to }, ...lost.slice(excess + 1)]
}

const withWatermark = (firstAt: number | null, since: number | null, covered: Ranges, lost: Ranges): Coverage => {
  if (since === null) return { firstAt, since, watermark: 0, covered, lost }
  const recordedRange = findRangeAt(unionRanges(covered, lost), since)
  return { firstAt, since: recordedRange?.from ?? since, watermark: recordedRange?.to ?? since, covered, lost }
}

/**
 * Returns the coverage of a series after `write` is applied. Covered intervals take precedence over newly lost
 * intervals.
 */
export const updateCoverage = (before: Coverage, write: CoverageWrite): Coverage => {
  const newlyCovered = toRanges(write.covers)
  const newlyLost = toRanges(write.lost)
  const allCovered = unionRanges(before.covered, newlyCovered)
  const lost = limitLost(subtractRanges(unionRanges(before.lost, newlyLost), allCovered))
  const covered = subtractRanges(allCovered, lost)
  const since = before.since ?? earliest(newlyCovered[0]?.from, newlyLost[0]?.from)
  return withWatermark(
    earliest(before.firstAt, write.firstRowAt, newlyCovered[0]?.from, newlyLost[0]?.from),
    since,
    covered,
    lost
  )
}

/** Returns the coverage of a series after all data before `keptFrom` is deleted. */
export const pruneCoverage = (before: Coverage, keptFrom: number): Coverage => {
  const kept = { from: keptFrom, to: Infinity }
  const first = before.firstAt === null ? null : Math.max(before.firstAt, keptFrom)
  const since = before.since === null ? null : Math.max(before.since, keptFrom)
  return withWatermark(first, since, clipRanges(before.covered, kept), clipRanges(before.lost, kept))
}

/** Returns whether deleting the data before `keptFrom` removes data before the watermark. */
export const isPrunedBelowWatermark = ({ firstAt, watermark }: Coverage, keptFrom: number): boolean =>
  firstAt !== null && firstAt < keptFrom && firstAt < watermark

/**
 * Returns whether a write changed rows, covered intervals or lost intervals before the watermark. `firstChange` is the
 * time of the earliest changed row.
 */
export const isContentChanged = (before: Coverage, after: Coverage, firstChange: number | null): boolean => {
  if (firstChange !== null && firstChange < before.watermark) return true
  const below = { from: -Infinity, to: before.watermark }
  return !areRangesEqual(clipRanges(before.covered, below), clipRanges(after.covered, below)) ||
    !areRangesEqual(clipRanges(before.lost, below), clipRanges(after.lost, below))
}

/**
 * The parts of an interval that are not recorded, as lost and as missing intervals. A lost interval can no longer be
 * filled. A missing interval may be filled later.
 */
export interface SeriesGaps {
  readonly lost: Ranges
  readonly missing: Ranges
}

export const gapsIn = ({ covered, lost }: Pick<Coverage, "covered" | "lost">, interval: Interval): SeriesGaps => ({
  lost: clipRanges(lost, interval),
  missing: subtractRanges(subtractRanges(toRanges([interval]), covered), lost)
})

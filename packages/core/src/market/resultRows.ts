import { Schema } from "effect"
import { formatInstant, Instant, quantity } from "../engine/tool/result.ts"
import type { Candle } from "./candle.ts"
import type { Gap } from "./series.ts"

/** The schema of a coin's candle in results. */
export const CandleRow = Schema.Struct({
  time: Instant.annotate({ description: "Opening instant" }),
  open: quantity("USD"),
  high: quantity("USD"),
  low: quantity("USD"),
  close: quantity("USD"),
  volume: quantity("Traded amount, coins"),
  closed: Schema.optionalKey(Schema.Literal(false)).annotate({
    description:
      "Present only on a last candle that is still open: its close is the latest price, and the other values can still change"
  })
})

/** Converts candles for results. Only an open candle has the field `closed`. */
export const toCandleRows = (candles: ReadonlyArray<Candle>) =>
  candles.map(({ close, closed, high, low, open, time, volume }) => ({
    time: formatInstant(time),
    open,
    high,
    low,
    close,
    volume,
    ...(closed ? {} : { closed: false as const })
  }))

const maxListedGaps = 200

/** The schema of intervals without records in results. */
export const GapRows = Schema.Array(Schema.Struct({ from: Instant, to: Instant })).annotate({
  description: "Intervals that were not recorded"
})

/** Converts the newest gaps to the format of tool results. */
export const toGapRows = (gaps: ReadonlyArray<Gap>) =>
  gaps.slice(-maxListedGaps).map(({ from, to }) => ({ from: formatInstant(from), to: formatInstant(to) }))

/** Returns a note that gaps were omitted from the result, or no note if all gaps are listed. */
export const omittedGapsNote = (gaps: ReadonlyArray<Gap>): ReadonlyArray<string> =>
  gaps.length <= maxListedGaps ? [] : [`The newest ${maxListedGaps} of ${gaps.length} gaps are listed.`]

/** Merges several lists of gaps into disjoint gaps, oldest first. */
export const mergeGaps = (...lists: ReadonlyArray<ReadonlyArray<Gap>>): ReadonlyArray<Gap> => {
  const merged: Array<Gap> = []
  for (const gap of lists.flat().sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last === undefined || last.to < gap.from) merged.push(gap)
    else merged[merged.length - 1] = { from: last.from, to: Math.max(last.to, gap.to) }
  }
  return merged
}

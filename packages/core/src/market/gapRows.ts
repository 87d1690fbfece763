import { Schema } from "effect"
import { Instant, instant } from "../engine/tool/result.ts"
import type { Gap } from "./series.ts"

/** The maximum number of gaps in a result. An unreliable source can have thousands. */
const shown = 200

/** Intervals without records, in results. */
export const gapRows = Schema.Array(Schema.Struct({ from: Instant, to: Instant })).annotate({
  description: "Outages: what happened in them is unknown"
})

/** Returns the newest gaps as rows of a result. */
export const gapRowsOf = (gaps: ReadonlyArray<Gap>) =>
  gaps.slice(-shown).map(({ from, to }) => ({ from: instant(from), to: instant(to) }))

/** Returns the note about gaps that are not listed. */
export const gapNotes = (gaps: ReadonlyArray<Gap>): ReadonlyArray<string> =>
  gaps.length <= shown ? [] : [`The newest ${shown} of ${gaps.length} gaps are listed.`]

/** Merges several lists of gaps into disjoint gaps, oldest first. */
export const uniteGaps = (...lists: ReadonlyArray<ReadonlyArray<Gap>>): ReadonlyArray<Gap> => {
  const united: Array<Gap> = []
  for (const gap of lists.flat().sort((a, b) => a.from - b.from)) {
    const last = united.at(-1)
    if (last === undefined || last.to < gap.from) united.push(gap)
    else united[united.length - 1] = { from: last.from, to: Math.max(last.to, gap.to) }
  }
  return united
}

import { type Gap, overlapsGap } from "../../market/series.ts"

/** Returns a note if an interval was not recorded completely. */
export const makeUnrecordedNotes = (gaps: ReadonlyArray<Gap>, from: number, to: number): ReadonlyArray<string> =>
  overlapsGap(gaps, from, to) ? ["Some of these hours were not recorded completely: counts are lower bounds."] : []

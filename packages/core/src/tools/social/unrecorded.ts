import { type Gap, touchesGap } from "../../market/series.ts"

/** Returns a note if an interval was not recorded completely. */
export const unrecordedNotes = (gaps: ReadonlyArray<Gap>, from: number, to: number): ReadonlyArray<string> =>
  touchesGap(gaps, from, to) ? ["Some of these hours were not recorded whole: counts are lower bounds."] : []

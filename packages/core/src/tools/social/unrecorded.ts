import { type Gap, touchesGap } from "../../market/series.ts"

/** The note on an interval of which not all was recorded. */
export const unrecordedNotes = (gaps: ReadonlyArray<Gap>, from: number, to: number): ReadonlyArray<string> =>
  touchesGap(gaps, from, to) ? ["Some of these hours were not recorded whole: counts are lower bounds."] : []

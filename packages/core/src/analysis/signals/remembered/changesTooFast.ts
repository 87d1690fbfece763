import { SourceUnavailable } from "../../../market/errors.ts"
import type { SeriesRecord } from "./records.ts"

/** The maximum number of attempts of a read whose data are backfilled meanwhile. */
const revisionsTried = 4
/** No further attempt begins after this time, because with a slow store it would be as slow and fail again. */
const triedForMs = 3_000

/** Whether a read may begin its first or a further attempt. */
export const mayTry = (tried: number, tookMs: number): boolean =>
  tried === 0 || (tried < revisionsTried && tookMs < triedForMs)

/** The error of a read whose data changed in each attempt, so that its values would mix two revisions. */
export const changesTooFast = (series: string, { sources }: SeriesRecord) =>
  new SourceUnavailable({
    source: sources[0] ?? "market",
    failure: "filling",
    reason: `what is recorded of ${series} is filled in faster than it is read`,
    retryable: true
  })

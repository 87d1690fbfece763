import { SourceUnavailable } from "../../../market/errors.ts"
import type { SeriesRecord } from "./records.ts"

/** How often a question begins anew because what it stands on was filled in meanwhile. */
const revisionsTried = 4
/** It does not begin anew once it took so long: where a store is slow, what comes next is as slow, and in vain. */
const triedForMs = 3_000

/** Whether a question may begin once more, the first time or anew. */
export const mayTry = (tried: number, tookMs: number): boolean =>
  tried === 0 || (tried < revisionsTried && tookMs < triedForMs)

/** Where each revision was replaced while it was read: a value would be a mixture of two pasts. */
export const changesTooFast = (series: string, { sources }: SeriesRecord) =>
  new SourceUnavailable({
    source: sources[0] ?? "market",
    failure: "filling",
    reason: `what is recorded of ${series} is filled in faster than it is read`,
    retryable: true
  })

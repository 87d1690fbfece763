import { SourceUnavailable } from "../../market/errors.ts"
import type { SeriesRecord } from "./records.ts"

/** How often a question begins anew because what it stands on was filled in meanwhile. */
export const revisionsTried = 4

/** Where each revision was replaced while it was read: a value would be a mixture of two pasts. */
export const changesTooFast = (series: string, { sources }: SeriesRecord) =>
  new SourceUnavailable({
    source: sources[0] ?? "market",
    failure: "rate_limited",
    reason: `what is recorded of ${series} is filled in faster than it is read`,
    retryable: true
  })

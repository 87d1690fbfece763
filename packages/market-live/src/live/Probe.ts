import type { SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"

/** The number of rows in a response, or null if unknown, and the name of the source that responded. */
export interface AttributedCount {
  readonly count: number | null
  readonly source: string
}

/** A test request to a source. */
export interface Probe {
  readonly source: string
  readonly label: string
  readonly fetch: Effect.Effect<number | null | AttributedCount, SourceUnavailable>
}

/** Returns the number of rows in a result, regardless of the source that responded. */
export const countOf = (result: number | null | AttributedCount): number | null =>
  result !== null && typeof result === "object" ? result.count : result

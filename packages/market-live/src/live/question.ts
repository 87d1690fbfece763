import type { SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"

/** A question, and how much its answer holds. */
export interface Probe {
  readonly source: string
  readonly what: string
  readonly ask: Effect.Effect<number | null, SourceUnavailable>
}

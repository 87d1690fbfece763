import type { SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"

/** How much an answer holds, null of what has no number, and who gave it where that may be another source. */
export interface ToldBy {
  readonly told: number | null
  readonly by: string
}

/** A question to a source, or to who stands in for it. */
export interface Probe {
  readonly source: string
  readonly what: string
  readonly ask: Effect.Effect<number | null | ToldBy, SourceUnavailable>
}

/** How much was told, whoever told it. */
export const countOf = (told: number | null | ToldBy): number | null =>
  told !== null && typeof told === "object" ? told.told : told

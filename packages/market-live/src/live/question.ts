import type { SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"

/** The number of rows in an answer (null without one), and the answer's source, which may be a replacement. */
export interface ToldBy {
  readonly told: number | null
  readonly by: string
}

/** One request to a source or its replacement. */
export interface Probe {
  readonly source: string
  readonly what: string
  readonly ask: Effect.Effect<number | null | ToldBy, SourceUnavailable>
}

/** The number of rows, whichever source provided them. */
export const countOf = (told: number | null | ToldBy): number | null =>
  told !== null && typeof told === "object" ? told.told : told

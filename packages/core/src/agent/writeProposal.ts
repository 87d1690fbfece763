import type { Schema } from "effect"

/** A call of a write tool, as an answer proposed it and showed it to the user. */
export interface WriteProposal {
  readonly tool: string
  readonly arguments: Schema.Json
}

/** The positions and tasks that an answer's calls returned, which identify "my BTC position" but allow no write. */
export interface KnownRecords {
  readonly positions: ReadonlyArray<{ readonly id: number; readonly coin: string; readonly side: string }>
  readonly tasks: ReadonlyArray<{ readonly id: number; readonly symbol: string }>
}

export const noRecords: KnownRecords = { positions: [], tasks: [] }

/**
 * The reason why a write is not covered by the user's request, and the argument that the reason is about. `field` is ""
 * if the user requested nothing, and the user's own word if the reason is `unused`.
 */
export interface WriteObjection {
  readonly reason: "not_asked" | "differs" | "missing" | "unclear" | "unused"
  readonly field: string
}

/** A write tool, with the calls that the user requested and the maximum number of calls. */
export interface AllowedWrite {
  readonly tool: string
  readonly maxCalls: number
  /** Returns the objection to a call with the parsed `args`, or null if the user requested the call. */
  readonly findObjection: (args: Schema.Json, records: KnownRecords) => WriteObjection | null
}

/**
 * Decides which writes an answer to `message` may make, from the user's own words and the previous answer's proposals.
 */
export type WriteIntent = (
  message: string,
  proposals: ReadonlyArray<WriteProposal>
) => ReadonlyArray<AllowedWrite>

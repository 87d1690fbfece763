import type { Schema } from "effect"

/** A call of a tool that writes, as an answer proposed it and showed it to its reader. */
export interface WriteProposal {
  readonly tool: string
  readonly arguments: Schema.Json
}

/**
 * The account's own positions and tasks that calls of this answer returned, so that ids can be resolved. They identify
 * the record that "my BTC position" means, and allow no write themselves.
 */
export interface KnownRecords {
  readonly positions: ReadonlyArray<{ readonly id: number; readonly coin: string; readonly side: string }>
  readonly tasks: ReadonlyArray<{ readonly id: number; readonly symbol: string }>
}

export const noRecords: KnownRecords = { positions: [], tasks: [] }

/**
 * The reason why the user did not request a write. `field` is the argument that the reason is about. It is "" if the
 * user requested nothing, and the user's own word if the reason is `unused`.
 */
export interface WriteObjection {
  readonly reason: "not_asked" | "differs" | "missing" | "unclear" | "unused"
  readonly field: string
}

/** A tool that writes, the calls of it that the user requested, and their maximum number. */
export interface AllowedWrite {
  readonly tool: string
  readonly maxCalls: number
  /** Judges a call by `args`, its parsed arguments. Returns null if the user requested the call. */
  readonly findObjection: (args: Schema.Json, records: KnownRecords) => WriteObjection | null
}

/**
 * Decides which writes an answer to `message` may make. A pure function of the user's own words and of the proposals of
 * the previous answer. The model, tools, images and `seed_context` have no influence on it.
 */
export type WriteIntent = (
  message: string,
  proposals: ReadonlyArray<WriteProposal>
) => ReadonlyArray<AllowedWrite>

import type { Schema } from "effect"

/** A call of a write tool, as an answer proposed it and showed it to the user. */
export interface WriteProposal {
  readonly tool: string
  readonly arguments: Schema.Json
}

/**
 * The account's own positions and tasks that calls of this answer returned. Known records identify what "my BTC
 * position" means, but allow no write.
 */
export interface KnownRecords {
  readonly positions: ReadonlyArray<{ readonly id: number; readonly coin: string; readonly side: string }>
  readonly tasks: ReadonlyArray<{ readonly id: number; readonly symbol: string }>
}

export const noRecords: KnownRecords = { positions: [], tasks: [] }

/**
 * The reason why a write is not covered by the user's request. `field` is the argument that the reason is about.
 * `field` is "" if the user requested nothing, and the user's own word if the reason is `unused`.
 */
export interface WriteObjection {
  readonly reason: "not_asked" | "differs" | "missing" | "unclear" | "unused"
  readonly field: string
}

/** A write tool, with the calls that the user requested and their maximum number. */
export interface AllowedWrite {
  readonly tool: string
  readonly maxCalls: number
  /** Checks a call by `args`, its parsed arguments. Returns null if the user requested the call. */
  readonly findObjection: (args: Schema.Json, records: KnownRecords) => WriteObjection | null
}

/**
 * Decides which writes an answer to `message` may make, depending only on the user's own words and the proposals of the
 * previous answer. The model, tools, images and `seed_context` have no influence on allowed writes.
 */
export type WriteIntent = (
  message: string,
  proposals: ReadonlyArray<WriteProposal>
) => ReadonlyArray<AllowedWrite>

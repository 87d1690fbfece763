import type { Schema } from "effect"

/** A call of a tool that writes, as an answer proposed it and its reader saw it. */
export interface WriteProposal {
  readonly tool: string
  readonly arguments: Schema.Json
}

/**
 * What is known of the records that ids name: of the account's own, as the calls of this answer told. They say which
 * record is meant by "my BTC position", and allow nothing by themselves.
 */
export interface KnownRecords {
  readonly positions: ReadonlyArray<{ readonly id: number; readonly coin: string; readonly side: string }>
  readonly tasks: ReadonlyArray<{ readonly id: number; readonly symbol: string }>
}

export const noRecords: KnownRecords = { positions: [], tasks: [] }

/**
 * Why a write is not what the user asked for; `field` is the argument that it is about, "" when nothing was asked, and
 * the user's own word when that is `unused`.
 */
export interface WriteObjection {
  readonly reason: "not_asked" | "differs" | "missing" | "unclear" | "unused"
  readonly field: string
}

/** A tool that writes, which calls of it the user asked for, and how many. */
export interface AllowedWrite {
  readonly tool: string
  readonly times: number
  /** `args` are those of the call, parsed. Null for a call that was asked for. */
  readonly objection: (args: Schema.Json, records: KnownRecords) => WriteObjection | null
}

/**
 * What may be written in answer to `message`: a pure function of the user's own words, and of what the answer before
 * had proposed. What a model, a tool, an image or `seed_context` says has no part in it.
 */
export type WriteIntent = (
  message: string,
  proposals: ReadonlyArray<WriteProposal>
) => ReadonlyArray<AllowedWrite>

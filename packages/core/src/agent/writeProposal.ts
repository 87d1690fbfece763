import type { Schema } from "effect"

/** A call of a write tool that an answer proposed and showed to the user. */
export interface WriteProposal {
  readonly tool: string
  readonly arguments: Schema.Json
}

/**
 * The positions and tasks that the answer's tool calls returned. `KnownRecords` identify records such as "my BTC
 * position", but permit no write.
 */
export interface KnownRecords {
  readonly positions: ReadonlyArray<{ readonly id: number; readonly coin: string; readonly side: string }>
  readonly tasks: ReadonlyArray<{ readonly id: number; readonly symbol: string }>
}

export const noRecords: KnownRecords = { positions: [], tasks: [] }

/**
 * The reason why the user's request does not cover a write, and the name of the argument that differs or is missing.
 * `field` is "" if the user requested no write. If the reason is `unused`, `field` is a word of the user's message that
 * no argument uses.
 */
export interface WriteObjection {
  readonly reason: "not_asked" | "differs" | "missing" | "unclear" | "unused"
  readonly field: string
}

/** A write tool that an answer may call, and the maximum number of its calls. */
export interface AllowedWrite {
  readonly tool: string
  readonly maxCalls: number
  /** Returns the objection to a call with the parsed `args`, or null if the user requested the call. */
  readonly findObjection: (args: Schema.Json, records: KnownRecords) => WriteObjection | null
}

/**
 * Decides which writes an answer to `message` may make. The user's own words and the previous answer's proposals permit
 * writes. The model, tools, images and `seed_context` never influence which writes are allowed.
 */
export type WriteIntent = (
  message: string,
  proposals: ReadonlyArray<WriteProposal>
) => ReadonlyArray<AllowedWrite>

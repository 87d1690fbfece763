import { Context, type Schema } from "effect"

/** A call of a tool that writes, as an answer proposed it and its reader saw it. */
export interface WriteProposal {
  readonly tool: string
  readonly arguments: Schema.Json
}

/** A tool that writes, and which calls of it the user asked for. */
export interface AllowedWrite {
  readonly tool: string
  /** `args` are those of the call, parsed. */
  readonly allows: (args: Schema.Json) => boolean
}

/**
 * What may be written in answer to `message`: a pure function of the user's own words, and of what the answer before
 * had proposed. What a model, a tool, an image or `seed_context` says has no part in it.
 */
export type WriteIntent = (
  message: string,
  proposals: ReadonlyArray<WriteProposal>
) => ReadonlyArray<AllowedWrite>

/** What decides about writing; nothing is ever written unless an engine is given one. */
export const WritePolicy = Context.Reference<WriteIntent>("@tapeline/core/agent/WritePolicy", {
  defaultValue: () => () => []
})

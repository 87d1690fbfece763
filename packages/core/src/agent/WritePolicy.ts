import { Context } from "effect"
import { writeIntent } from "./writeIntent/writeIntent.ts"
import type { WriteIntent } from "./writeProposal.ts"

/** Decides which writes an answer may make, by default from the user's own message. */
export const WritePolicy = Context.Reference<WriteIntent>("@tapeline/core/agent/WritePolicy", {
  defaultValue: () => writeIntent
})

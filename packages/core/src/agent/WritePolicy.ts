import { Context } from "effect"
import { writeIntent } from "./writeIntent/writeIntent.ts"
import type { WriteIntent } from "./writes.ts"

/** What decides about writing: what the message itself asks for, unless an engine is given something stricter. */
export const WritePolicy = Context.Reference<WriteIntent>("@tapeline/core/agent/WritePolicy", {
  defaultValue: () => writeIntent
})

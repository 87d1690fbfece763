import { Schema } from "effect"
import { optional, requiresChange } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { maxRuns, optionalPrompt, recordId, SpecArgument, title } from "./arguments.ts"
import { TaskRow } from "./fields.ts"

export const updateTask = specify({
  name: "update_task",
  area: "tasks",
  scope: "write:personal",
  credits: 1,
  summary: "Changes, pauses or resumes a background task; omitted fields stay. A new spec has the same kind.",
  parameters: Schema.Struct({
    id: recordId,
    title: optional(title),
    spec: optional(SpecArgument),
    prompt: optional(optionalPrompt.annotate({ description: "\"\" removes it" })),
    max_runs: optional(maxRuns.annotate({ description: "0: unlimited" })),
    status: optional(Schema.Literals(["active", "paused"]))
  }).check(requiresChange(["title", "spec", "prompt", "max_runs", "status"])),
  additionalScope: ({ prompt = "", spec }) =>
    prompt !== "" || (spec !== undefined && spec.metric === undefined) ? "agent:chat" : null,
  result: Schema.Struct({ task: TaskRow, notes }),
  example: { id: 1, status: "paused" }
})

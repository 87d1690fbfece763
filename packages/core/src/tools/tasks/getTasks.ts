import { Schema } from "effect"
import { integerBetween, optional, withDefault } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { TaskStatus } from "../../personal/tasks/task.ts"
import { TaskRow } from "./fields.ts"

export const getTasks = specify({
  name: "get_tasks",
  area: "tasks",
  scope: "read:personal",
  credits: 1,
  pure: true,
  summary: "The caller's background tasks, watches and schedules, newest first. What they reported: get_notifications.",
  parameters: Schema.Struct({
    status: optional(TaskStatus),
    top: withDefault(integerBetween(1, 200), 12)
  }),
  result: Schema.Struct({
    tasks: Schema.Array(TaskRow),
    total: Schema.Int.annotate({ description: "Number of tasks with the requested status" }),
    notes
  }),
  example: { status: "active" }
})

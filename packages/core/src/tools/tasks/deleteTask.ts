import { Schema } from "effect"
import { specify } from "../../engine/tool/specification.ts"
import { recordId } from "./arguments.ts"

export const deleteTask = specify({
  name: "delete_task",
  area: "tasks",
  scope: "write:personal",
  credits: 1,
  summary: "Deletes a background task permanently; to pause it: update_task with status paused.",
  parameters: Schema.Struct({ id: recordId }),
  result: Schema.Struct({ deleted: Schema.Int.annotate({ description: "The task's id" }) }),
  example: { id: 1 }
})

import { Effect } from "effect"
import { handlerOf } from "../../tool/implement.ts"
import { deleteTask } from "./deleteTask.ts"
import { makeTaskWriting } from "./writing.ts"

export const handler = handlerOf(
  deleteTask,
  Effect.map(
    makeTaskWriting,
    (write) => ({ id }, context) =>
      Effect.map(write(context, { _tag: "Delete", id }, "Deleted"), (written) => ({ deleted: written.id }))
  )
)

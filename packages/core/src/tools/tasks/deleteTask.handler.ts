import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { deleteTask } from "./deleteTask.ts"
import { keyOf, makeTaskWriting } from "./writing.ts"

export const handler = handlerOf(
  deleteTask,
  Effect.map(
    makeTaskWriting,
    (write) =>
      Effect.fnUntraced(function*({ id }, context) {
        const written = yield* write(context, { _tag: "Delete", id, key: yield* keyOf(context) }, "Deleted")
        return { deleted: written.id }
      })
  )
)

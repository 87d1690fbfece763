import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { deleteTask } from "./deleteTask.ts"
import { makeTaskVersionReader, makeTaskWriter, readKeyId } from "./writeTask.ts"

export const handler = handlerOf(
  deleteTask,
  Effect.map(
    makeTaskWriter,
    (write) =>
      Effect.fnUntraced(function*({ id }, context) {
        const written = yield* write(context, { _tag: "Delete", id, key: yield* readKeyId(context) }, "Deleted")
        return { deleted: written.id }
      })
  ),
  makeTaskVersionReader
)

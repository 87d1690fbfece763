import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { deletePosition } from "./deletePosition.ts"
import { makeWriting } from "./writing.ts"

export const handler = handlerOf(
  deletePosition,
  Effect.map(
    makeWriting,
    (write) => ({ id }, context) =>
      Effect.map(write(context, { _tag: "Delete", id }, "Deleted"), (written) => ({ deleted: written.id }))
  )
)

import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { deletePosition } from "./deletePosition.ts"
import { makeJournalWriter, makePositionVersionReader } from "./writeJournal.ts"

export const handler = handlerOf(
  deletePosition,
  Effect.map(
    makeJournalWriter,
    (write) => ({ id }, context) =>
      Effect.map(write(context, { _tag: "Delete", id }, "Deleted"), (written) => ({ deleted: written.id }))
  ),
  makePositionVersionReader
)

import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { toPositionRow } from "./rows.ts"
import { updatePosition } from "./updatePosition.ts"
import { makeJournalWriter, makePositionVersionReader, makePositionWarnings, toPositionFields } from "./writeJournal.ts"

export const handler = handlerOf(
  updatePosition,
  Effect.map(makeJournalWriter, (write) =>
    Effect.fnUntraced(function*({ id, ...fieldArguments }, context) {
      const { position } = yield* write(
        context,
        { _tag: "Update", id, fields: toPositionFields(fieldArguments) },
        "Position"
      )
      return { position: toPositionRow(position), notes: makePositionWarnings(position) }
    })),
  makePositionVersionReader
)

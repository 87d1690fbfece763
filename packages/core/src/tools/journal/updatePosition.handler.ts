import { Effect } from "effect"
import { handlerOf } from "../../engine/tool/implement.ts"
import { positionRow } from "./rows.ts"
import { updatePosition } from "./updatePosition.ts"
import { makeWriting, positionFieldsOf, warningsOf } from "./writing.ts"

export const handler = handlerOf(
  updatePosition,
  Effect.map(makeWriting, (write) =>
    Effect.fnUntraced(function*({ id, ...given }, context) {
      const { position } = yield* write(context, { _tag: "Update", id, fields: positionFieldsOf(given) }, "Position")
      return { position: positionRow(position), notes: warningsOf(position) }
    }))
)

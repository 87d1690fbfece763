import { Schema } from "effect"
import { requiresChange } from "../../engine/tool/argument.ts"
import { notes } from "../../engine/tool/result.ts"
import { specify } from "../../engine/tool/specification.ts"
import { positionArguments, recordId } from "./arguments.ts"
import { PositionRow } from "./fields.ts"

export const updatePosition = specify({
  name: "update_position",
  area: "journal",
  scope: "write:personal",
  credits: 1,
  summary: "Changes an open position of the journal; omitted fields stay. To close it: close_position.",
  parameters: Schema.Struct({ id: recordId, ...positionArguments }).check(
    requiresChange(Object.keys(positionArguments))
  ),
  result: Schema.Struct({ position: PositionRow, notes }),
  example: { id: 1, stop: 94000 }
})

import { Schema } from "effect"
import { specify } from "../../engine/tool/specification.ts"
import { recordId } from "./arguments.ts"

export const deletePosition = specify({
  name: "delete_position",
  area: "journal",
  scope: "write:personal",
  credits: 1,
  summary: "Deletes an open position recorded by mistake, without a trade. After a close: close_position.",
  parameters: Schema.Struct({ id: recordId }),
  result: Schema.Struct({ deleted: Schema.Int.annotate({ description: "The position's id" }) }),
  example: { id: 1 }
})

import { Schema } from "effect"
import { expectation, optional } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"
import { recordId } from "./arguments.ts"

export const markNotificationsRead = specify({
  name: "mark_notifications_read",
  area: "tasks",
  scope: "write:personal",
  credits: 1,
  summary: "Marks notifications of the caller's tasks as read.",
  parameters: Schema.Struct({
    ids: optional(
      Schema.Array(recordId).annotate({ description: "Default: all" }).check(
        Schema.isMinLength(
          1,
          expectation("a list of at least one item", { key: "expected_items", params: { minimum: 1 } })
        ),
        Schema.isMaxLength(1_000)
      )
    )
  }),
  result: Schema.Struct({
    marked: Schema.Int.annotate({ description: "Number of notifications that were unread before" })
  }),
  example: { ids: [1] }
})

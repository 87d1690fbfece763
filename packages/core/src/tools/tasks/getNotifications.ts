import { Schema } from "effect"
import { topArgument, withDefault } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"
import { NotificationRow } from "./fields.ts"

export const getNotifications = specify({
  name: "get_notifications",
  area: "tasks",
  scope: "read:personal",
  credits: 1,
  summary: "What the caller's tasks told by the bell, newest first. The tasks themselves: get_tasks.",
  parameters: Schema.Struct({ unread_only: withDefault(Schema.Boolean, false), top: topArgument }),
  result: Schema.Struct({
    notifications: Schema.Array(NotificationRow),
    unread: Schema.Int.annotate({ description: "How many are unread in all" })
  }),
  example: { unread_only: true }
})

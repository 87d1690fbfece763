import { Schema } from "effect"
import { topArgument, withDefault } from "../../engine/tool/argument.ts"
import { specify } from "../../engine/tool/specification.ts"
import { NotificationRow } from "./fields.ts"

export const getNotifications = specify({
  name: "get_notifications",
  area: "tasks",
  scope: "read:personal",
  credits: 1,
  pure: true,
  summary: "Notifications of the caller's tasks, newest first. The tasks themselves: get_tasks.",
  parameters: Schema.Struct({ unread_only: withDefault(Schema.Boolean, false), top: topArgument }),
  result: Schema.Struct({
    notifications: Schema.Array(NotificationRow),
    unread: Schema.Int.annotate({ description: "Number of all unread notifications" })
  }),
  example: { unread_only: true }
})

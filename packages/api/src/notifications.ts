import { NotificationRow } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import { ResumeHeaders } from "./headers.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { withPriceAndScope } from "./priceAndScope.ts"
import { problemSchemas } from "./problem.ts"

/** The schema of a notification in the form that the tool `get_notifications` returns. */
export const NotificationBody = NotificationRow.annotate({ identifier: "Notification" })

export const UnreadBody = Schema.Struct({
  unread: Schema.Int.annotate({ description: "Number of unread notifications, up to this event's id" })
}).annotate({ identifier: "Unread" })

/** The union of all events of the notification stream. */
export const NotificationStreamEvent = Schema.Union([
  Schema.Struct({
    id: Schema.String.annotate({ description: "The newest notification's id; 0 without notifications" }),
    event: Schema.Literal("unread"),
    data: Schema.fromJsonString(UnreadBody)
  }).annotate({
    identifier: "Event_unread",
    description:
      "The number of unread notifications: the first event, unless the request names the last `id` that was read"
  }),
  Schema.Struct({
    id: Schema.String.annotate({ description: "The notification's id; ids increase" }),
    event: Schema.Literal("notification"),
    data: Schema.fromJsonString(NotificationBody)
  }).annotate({ identifier: "Event_notification", description: "A new notification of a task" })
]).annotate({ identifier: "BellEvent" })

const sampleEvents: ReadonlyArray<typeof NotificationStreamEvent.Type> = [
  { id: "41", event: "unread", data: { unread: 3 } },
  {
    id: "42",
    event: "notification",
    data: {
      id: 42,
      time: "2026-11-22T09:31:04.000Z",
      kind: "task_fired",
      title: "BTC above 100,000",
      body: "BTC: price is 100,250, above 100,000.",
      task_id: 7,
      conversation_id: 56,
      read: false
    }
  }
]

/** A sample notification stream in the format of server-sent events, for the OpenAPI document. */
export const sampleNotificationStream = sampleEvents
  .map(({ data, event, id }) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  .join("")

/** The endpoint that streams the notifications of an account's tasks. */
export const notificationsGroup = HttpApiGroup.make("notifications", { topLevel: true })
  .add(
    HttpApiEndpoint.get("notifications", "/v1/notifications/stream", {
      headers: ResumeHeaders,
      query: {
        after: Schema.optionalKey(
          Schema.String.annotate({
            description: "The last `id` that the client read, as in the header `Last-Event-ID`"
          })
        )
      },
      success: HttpApiSchema.StreamSse({ events: NotificationStreamEvent }),
      error: problemSchemas("scope_required", "not_found", "rate_limited")
    }).annotateMerge(OpenApi.annotations({
      transform: withPriceAndScope({ scope: "read:personal" }),
      identifier: "notifications",
      summary: "Stream notifications",
      description: "Streams the notifications of the key's account without an end. Costs no credits. The first event " +
        "contains the number of unread notifications, and only new notifications follow. With `Last-Event-ID` or " +
        "`after`, the stream instead starts with all stored notifications after that id."
    }))
  )
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Notifications of the account's tasks.")

import { NotificationRow } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import { ResumeHeaders } from "./headers.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { withPriceAndScope } from "./priceAndScope.ts"
import { problemSchemas } from "./problem.ts"

/** A notification in the form that the tool `get_notifications` returns. */
export const NotificationBody = NotificationRow.annotate({ identifier: "Notification" })

export const UnreadBody = Schema.Struct({
  unread: Schema.Int.annotate({ description: "How many notifications are unread, up to this event's id" })
}).annotate({ identifier: "Unread" })

/** The union of all events of the notification stream. The field `data` contains one line of JSON. */
export const NotificationStreamEvent = Schema.Union([
  Schema.Struct({
    id: Schema.String.annotate({ description: "The newest notification's id; 0 where there is none" }),
    event: Schema.Literal("unread"),
    data: Schema.fromJsonString(UnreadBody)
  }).annotate({
    identifier: "Event_unread",
    description: "First, where the request names no `id` that was read: how many are unread"
  }),
  Schema.Struct({
    id: Schema.String.annotate({ description: "The notification's id, larger than all before it" }),
    event: Schema.Literal("notification"),
    data: Schema.fromJsonString(NotificationBody)
  }).annotate({ identifier: "Event_notification", description: "A task rang" })
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
          Schema.String.annotate({ description: "The last `id` that was read, as in the header `Last-Event-ID`" })
        )
      },
      success: HttpApiSchema.StreamSse({ events: NotificationStreamEvent }),
      error: problemSchemas("scope_required", "not_found", "rate_limited")
    }).annotateMerge(OpenApi.annotations({
      transform: withPriceAndScope({ scope: "read:personal" }),
      identifier: "notifications",
      summary: "Follow the bell",
      description: "The notifications of the key's account as they come, without an end; costs no credits. First an " +
        "event says how many are unread, and only new ones follow; with `Last-Event-ID` or `after` there is no such " +
        "event, and all that are kept above that id come."
    }))
  )
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "The bell: what the account's tasks tell.")

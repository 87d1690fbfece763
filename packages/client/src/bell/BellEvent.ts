import type { NotificationBody, UnreadBody } from "@tapeline/api"
import type { EventSourceMessage } from "eventsource-parser"

/** A notification, as `get_notifications` returns it. */
export type Notification = typeof NotificationBody.Type

/**
 * An event of the notification stream. Without `after`, the first event is the number of unread notifications. Each
 * further event is a notification.
 */
export type BellEvent =
  | {
    readonly kind: "unread"
    readonly data: typeof UnreadBody.Type
    /** The id of the newest notification; 0 if there is none. */
    readonly id: number
  }
  | { readonly kind: "notification"; readonly data: Notification; readonly id: number }

/** Converts a server-sent event; undefined if it is not an event of the notification stream. */
export const bellEventOf = ({ data, event, id }: EventSourceMessage): BellEvent | undefined => {
  if (!/^\d{1,15}$/.test(id ?? "")) return undefined
  try {
    // The service's contract defines the data of each kind.
    return { kind: event ?? "message", data: JSON.parse(data), id: Number(id) } as BellEvent
  } catch {
    return undefined
  }
}

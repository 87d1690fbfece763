import type { NotificationBody, UnreadBody } from "@tapeline/api"
import type { EventSourceMessage } from "eventsource-parser"

/** A notification, as `get_notifications` shows it. */
export type Notification = typeof NotificationBody.Type

/** What a bell tells: first how many are unread, where nothing was read before, and then each notification. */
export type BellEvent =
  | {
    readonly kind: "unread"
    readonly data: typeof UnreadBody.Type
    /** The newest notification's; 0 where there is none. */
    readonly id: number
  }
  | { readonly kind: "notification"; readonly data: Notification; readonly id: number }

/** An event that came, as it is handed on; undefined where it is none of a bell. */
export const bellEventOf = ({ data, event, id }: EventSourceMessage): BellEvent | undefined => {
  if (!/^\d{1,15}$/.test(id ?? "")) return undefined
  try {
    // Its kind says what its data is, by the service's contract.
    return { kind: event ?? "message", data: JSON.parse(data), id: Number(id) } as BellEvent
  } catch {
    return undefined
  }
}

import { type Language, type LoggedEvent, toNotificationRow } from "@tapeline/core"
import type { Notification } from "@tapeline/core/personal"

/** Encodes an event as a server-sent event. The data of the event must not contain a line break. */
export const encodeEvent = (generation: number, { data, kind, n }: LoggedEvent): Uint8Array =>
  Buffer.from(`id: ${generation}-${n}\nevent: ${kind}\ndata: ${data}\n\n`)

const encodeNotificationEvent = (n: number, kind: "unread" | "notification", data: unknown): Uint8Array =>
  Buffer.from(`id: ${n}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)

/** Encodes a notification as a server-sent event, in the language of the reader. */
export const encodeNotification = (notification: Notification, language: Language): Uint8Array =>
  encodeNotificationEvent(notification.n, "notification", toNotificationRow(notification, language))

/**
 * Encodes the number of unread notifications as a server-sent event. The event has the id of the newest notification,
 * so a reader that reconnects with the id misses no notification.
 */
export const encodeUnreadCount = (newest: number, unread: number): Uint8Array =>
  encodeNotificationEvent(newest, "unread", { unread })

/** An empty comment line, which keeps proxies from closing an idle connection. */
export const heartbeat: Uint8Array = Buffer.from(":\n\n")

const eventIdPattern = /^(\d{1,16})-(\d{1,10})$/

/**
 * Returns the number of the last event of a generation that the reader has received. Returns 0 if the request contains
 * no event id of the generation.
 */
export const lastReadEvent = (
  { id, nextN }: { readonly id: number; readonly nextN: number },
  ...eventIds: ReadonlyArray<string | undefined>
): number =>
  Math.max(
    0,
    ...eventIds.map((eventId) => {
      const [, generation, n] = eventIdPattern.exec(eventId?.trim() ?? "") ?? []
      return generation !== undefined && Number(generation) === id && Number(n) < nextN ? Number(n) : 0
    })
  )

/** Returns the generation number of the first valid event id, or null if no event id is valid. */
export const generationOfEventIds = (...eventIds: ReadonlyArray<string | undefined>): number | null => {
  const ids = eventIds.flatMap((eventId) => eventIdPattern.exec(eventId?.trim() ?? "")?.[1] ?? [])
  return ids[0] === undefined ? null : Number(ids[0])
}

/**
 * Returns the number of the last notification that a reader has received. Returns 0 if no event id is valid, and
 * undefined if the request contains no event id.
 */
export const lastReadNotification = (
  newest: number,
  ...eventIds: ReadonlyArray<string | undefined>
): number | undefined => {
  const presentIds = eventIds.filter((eventId) => eventId !== undefined)
  if (presentIds.length === 0) return undefined
  return Math.max(...presentIds.map((eventId) => {
    const n = /^\d{1,15}$/.test(eventId.trim()) ? Number(eventId) : 0
    return n <= newest ? n : 0
  }))
}

import { type Language, type LoggedEvent, toNotificationRow } from "@tapeline/core"
import type { Notification } from "@tapeline/core/personal"

/** Encodes an event as a server-sent event, the same for each reader. Its data is already on one line. */
export const encodeEvent = (generation: number, { data, kind, n }: LoggedEvent): Uint8Array =>
  Buffer.from(`id: ${generation}-${n}\nevent: ${kind}\ndata: ${data}\n\n`)

const encodeNotificationEvent = (n: number, kind: "unread" | "notification", data: unknown): Uint8Array =>
  Buffer.from(`id: ${n}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)

/** Encodes a notification in a language as a server-sent event. */
export const encodeNotification = (notification: Notification, language: Language): Uint8Array =>
  encodeNotificationEvent(notification.n, "notification", toNotificationRow(notification, language))

/**
 * Encodes the number of unread notifications. The event's id is the newest notification's, so that a reader that
 * reconnects with it misses none.
 */
export const encodeUnreadCount = (newest: number, unread: number): Uint8Array =>
  encodeNotificationEvent(newest, "unread", { unread })

/** A comment line without content, which keeps proxies on the way from closing the connection. */
export const heartbeat: Uint8Array = Buffer.from(":\n\n")

const eventIdPattern = /^(\d{1,16})-(\d{1,10})$/

/**
 * Returns the number of the last event that a reader has, from the event ids that it sends. Ignores ids of other
 * generations and of events that do not exist. Returns 0 if no id is valid, so that no event is skipped.
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

/** Returns the generation of the first valid event id; null if no id is valid. */
export const generationOfEventIds = (...eventIds: ReadonlyArray<string | undefined>): number | null => {
  const ids = eventIds.flatMap((eventId) => eventIdPattern.exec(eventId?.trim() ?? "")?.[1] ?? [])
  return ids[0] === undefined ? null : Number(ids[0])
}

/**
 * Returns the number of the last notification that a reader has. Ignores invalid numbers, like `lastReadEvent`.
 * Undefined if the reader sends no id at all and has therefore read nothing before.
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

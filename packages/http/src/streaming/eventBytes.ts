import { type Language, type LoggedEvent, notificationRow } from "@tapeline/core"
import type { Notification } from "@tapeline/core/personal"

/** Encodes an event as a server-sent event, the same for each reader. Its data is already on one line. */
export const eventBytes = (generation: number, { data, kind, n }: LoggedEvent): Uint8Array =>
  Buffer.from(`id: ${generation}-${n}\nevent: ${kind}\ndata: ${data}\n\n`)

const bellBytes = (n: number, kind: "unread" | "notification", data: unknown): Uint8Array =>
  Buffer.from(`id: ${n}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)

/** Encodes a notification in a language as a server-sent event. */
export const notificationBytes = (notification: Notification, language: Language): Uint8Array =>
  bellBytes(notification.n, "notification", notificationRow(notification, language))

/**
 * Encodes the number of unread notifications. The event's id is the newest notification's, so that a reader that
 * reconnects with it misses none.
 */
export const unreadBytes = (newest: number, unread: number): Uint8Array => bellBytes(newest, "unread", { unread })

/** A comment line without content, which keeps proxies on the way from closing the connection. */
export const heartbeat: Uint8Array = Buffer.from(":\n\n")

const idForm = /^(\d{1,16})-(\d{1,10})$/

/**
 * Returns the number of the last event that a reader has, from the event ids that it sends. Ignores ids of other
 * generations and of events that do not exist. Returns 0 if no id is valid, so that no event is skipped.
 */
export const lastRead = (
  { id, nextN }: { readonly id: number; readonly nextN: number },
  ...named: ReadonlyArray<string | undefined>
): number =>
  Math.max(
    0,
    ...named.map((text) => {
      const [, generation, n] = idForm.exec(text?.trim() ?? "") ?? []
      return generation !== undefined && Number(generation) === id && Number(n) < nextN ? Number(n) : 0
    })
  )

/** Returns the generation of the first valid event id; null if no id is valid. */
export const generationNamed = (...named: ReadonlyArray<string | undefined>): number | null => {
  const ids = named.flatMap((text) => idForm.exec(text?.trim() ?? "")?.[1] ?? [])
  return ids[0] === undefined ? null : Number(ids[0])
}

/**
 * Returns the number of the last notification that a reader has. Ignores invalid numbers, like `lastRead`. Undefined if
 * the reader sends no id at all and has therefore read nothing before.
 */
export const lastRung = (newest: number, ...named: ReadonlyArray<string | undefined>): number | undefined => {
  const given = named.filter((text) => text !== undefined)
  if (given.length === 0) return undefined
  return Math.max(...given.map((text) => {
    const n = /^\d{1,15}$/.test(text.trim()) ? Number(text) : 0
    return n <= newest ? n : 0
  }))
}

import { type Language, type LoggedEvent, notificationRow } from "@tapeline/core"
import type { Notification } from "@tapeline/core/personal"

/** An event as it goes over the wire, the same for every reader. Its data is on one line already. */
export const eventBytes = (generation: number, { data, kind, n }: LoggedEvent): Uint8Array =>
  Buffer.from(`id: ${generation}-${n}\nevent: ${kind}\ndata: ${data}\n\n`)

const bellBytes = (n: number, kind: "unread" | "notification", data: unknown): Uint8Array =>
  Buffer.from(`id: ${n}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`)

/** A notification as it goes over the wire, in a language. */
export const notificationBytes = (notification: Notification, language: Language): Uint8Array =>
  bellBytes(notification.n, "notification", notificationRow(notification, language))

/** How many are unread. Its id is the newest notification's, so that a reader that comes back after it misses none. */
export const unreadBytes = (newest: number, unread: number): Uint8Array => bellBytes(newest, "unread", { unread })

/** A line that tells a reader nothing, and keeps the proxies on its way awake. */
export const heartbeat: Uint8Array = Buffer.from(":\n\n")

const idForm = /^(\d{1,16})-(\d{1,10})$/

/**
 * The number of the last event that a reader has, by the ids that it names: of this generation, and of an event that
 * there is. Anything else is no id of it, and 0: nothing is skipped.
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

/** The generation that ids of events name, the first of them that is one; null when none is. */
export const generationNamed = (...named: ReadonlyArray<string | undefined>): number | null => {
  const ids = named.flatMap((text) => idForm.exec(text?.trim() ?? "")?.[1] ?? [])
  return ids[0] === undefined ? null : Number(ids[0])
}

/**
 * The same of a bell, whose events are numbered by themselves; undefined when none is named at all: then the reader has
 * no past.
 */
export const lastRung = (newest: number, ...named: ReadonlyArray<string | undefined>): number | undefined => {
  const given = named.filter((text) => text !== undefined)
  if (given.length === 0) return undefined
  return Math.max(...given.map((text) => {
    const n = /^\d{1,15}$/.test(text.trim()) ? Number(text) : 0
    return n <= newest ? n : 0
  }))
}

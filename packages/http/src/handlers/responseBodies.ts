import type { IssuedKeyBody, KeyBody } from "@tapeline/api"
import type { Actor, KeyRecord, PageAfter } from "@tapeline/core"
import { Effect, Redacted } from "effect"

export const iso = (time: number): string => new Date(time).toISOString()
export const isoOrNull = (time: number | null): string | null => time === null ? null : iso(time)

/** Returns the text of an actor: `key ID`, `session ID` or `task ID`. */
export const formatActor = (actor: Actor): string =>
  actor._tag === "Key"
    ? `key ${actor.key}`
    : actor._tag === "Session"
    ? `session ${actor.session}`
    : `task ${actor.task}`

/** Converts an API key to its form in responses, without the text of the key. */
export const keyBody = (key: KeyRecord): typeof KeyBody.Type => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  created_at: iso(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  revoked_at: isoOrNull(key.revokedAt),
  last_used_at: isoOrNull(key.lastUsedAt)
})

/** Converts a new API key to its form in responses, including the text of the key. */
export const issuedKeyBody = (record: KeyRecord, key: Redacted.Redacted<string>): typeof IssuedKeyBody.Type => ({
  id: record.id,
  name: record.name,
  scopes: record.scopes,
  key: Redacted.value(key),
  created_at: iso(record.createdAt),
  expires_at: isoOrNull(record.expiresAt)
})

/** The number of items of a page without the parameter `limit`. */
export const defaultPageSize = 100

/**
 * Reads one page of a list and returns the cursor of the next page. Reads one additional item to detect whether a next
 * page exists.
 */
export const readPage = <A extends { readonly id: number }, E>(
  read: (page: PageAfter) => Effect.Effect<ReadonlyArray<A>, E>,
  { cursor = 0, limit = defaultPageSize }: { readonly cursor?: number; readonly limit?: number }
) =>
  Effect.map(read({ after: cursor, limit: limit + 1 }), (items) => {
    const pageItems = items.slice(0, limit)
    return { part: pageItems, next_cursor: items.length > limit ? pageItems.at(-1)!.id : null }
  })

/** Converts an expiry time to epoch ms, and leaves null and undefined unchanged. */
export const parseExpiry = (expires_at: string | null | undefined) =>
  typeof expires_at === "string" ? Date.parse(expires_at) : expires_at

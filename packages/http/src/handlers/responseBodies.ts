import type { IssuedKeyBody, KeyBody, RotatedKeyBody, RotateKey } from "@tapeline/api"
import type { Actor, Administration, KeyRecord, Ledger, PageAfter, StoreUnavailable } from "@tapeline/core"
import { canonicalRange, type KeyCredits, keyOverlap } from "@tapeline/core/engine"
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
/** Returns the limits of a key in responses. */
const keyLimitsBody = ({ allowedIps, monthlyCredits, requestsPerMinute }: KeyRecord) => ({
  monthly_credits: monthlyCredits,
  requests_per_minute: requestsPerMinute,
  allowed_ips: allowedIps
})

/** Converts API keys to their form in responses, with the credits that keys with monthly credits have used. */
export const keyBodies = (
  ledger: Ledger["Service"],
  keys: ReadonlyArray<KeyRecord>
): Effect.Effect<ReadonlyArray<typeof KeyBody.Type>, StoreUnavailable> => {
  const limitedIds = keys.flatMap(({ id, monthlyCredits }) => monthlyCredits === null ? [] : [id])
  return Effect.map(limitedIds.length === 0 ? Effect.succeed([]) : ledger.keyCredits(limitedIds), (credits) => {
    const creditsById = new Map(limitedIds.map((id, i) => [id, credits[i] ?? null]))
    return keys.map((key) => keyBody(key, creditsById.get(key.id) ?? null))
  })
}

/** Converts the limits of a key in a request. Writes ranges of addresses in canonical form, without duplicates. */
export const readKeyLimits = (
  { allowed_ips, monthly_credits, requests_per_minute }: {
    readonly [K in keyof ReturnType<typeof keyLimitsBody>]?: ReturnType<typeof keyLimitsBody>[K] | undefined
  }
) => ({
  monthlyCredits: monthly_credits,
  requestsPerMinute: requests_per_minute,
  allowedIps: allowed_ips === undefined ? undefined : [...new Set(allowed_ips.map((text) => canonicalRange(text)!))]
})

/** Converts an API key to its form in responses, without the text of the key. */
const keyBody = (key: KeyRecord, credits: KeyCredits | null): typeof KeyBody.Type => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  scopes: key.scopes,
  created_at: iso(key.createdAt),
  expires_at: isoOrNull(key.expiresAt),
  revoked_at: isoOrNull(key.revokedAt),
  last_used_at: isoOrNull(key.lastUsedAt),
  ...keyLimitsBody(key),
  credits_used: credits === null ? null : credits.used + credits.reserved,
  first_key: key.firstKey
})

/** Converts a new API key to its form in responses, including the text of the key. */
export const issuedKeyBody = (record: KeyRecord, key: Redacted.Redacted<string>): typeof IssuedKeyBody.Type => ({
  id: record.id,
  name: record.name,
  scopes: record.scopes,
  key: Redacted.value(key),
  created_at: iso(record.createdAt),
  expires_at: isoOrNull(record.expiresAt),
  ...keyLimitsBody(record)
})

/** Converts a rotated API key to its form in responses, including the text of the successor. */
export const rotatedKeyBody = (
  { key, previous, record }: Effect.Success<ReturnType<Administration["Service"]["rotateKey"]>>
): typeof RotatedKeyBody.Type => ({
  ...issuedKeyBody(record, key),
  // A rotated key always expires.
  previous: { id: previous.id, expires_at: iso(previous.expiresAt!) }
})

/** Converts the body of a rotation. */
export const readRotation = ({ expires_at, overlap_seconds }: typeof RotateKey.Type) => ({
  overlapMs: overlap_seconds === undefined ? keyOverlap.defaultMs : overlap_seconds * 1000,
  expiresAt: parseExpiry(expires_at)
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

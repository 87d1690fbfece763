import type { Key } from "@tapeline/client"

/** The state of a key. `ending` means that it expires within a week. */
export type KeyState = "live" | "ending" | "expired" | "revoked"

const dayMs = 86_400_000

export const stateOf = (key: Pick<Key, "expires_at" | "revoked_at">, now: number): KeyState => {
  if (key.revoked_at !== null) return "revoked"
  if (key.expires_at === null) return "live"
  const left = Date.parse(key.expires_at) - now
  return left <= 0 ? "expired" : left <= 7 * dayMs ? "ending" : "live"
}

/** True for a key that is valid. The plan limits the number of these keys. */
export const isLive = (key: Pick<Key, "expires_at" | "revoked_at">, now: number): boolean => {
  const state = stateOf(key, now)
  return state === "live" || state === "ending"
}

/** True for a key that was used within the last day, so that revoking it probably breaks a program. */
export const isInUse = ({ last_used_at }: Pick<Key, "last_used_at">, now: number): boolean =>
  last_used_at !== null && now - Date.parse(last_used_at) < dayMs

/** The live keys, and the revoked and expired ones; newest first. */
export const parted = <A extends Pick<Key, "expires_at" | "revoked_at" | "id">>(
  keys: ReadonlyArray<A>,
  now: number
): { readonly live: ReadonlyArray<A>; readonly past: ReadonlyArray<A> } => {
  const latest = keys.toSorted((a, b) => b.id - a.id)
  return { live: latest.filter((key) => isLive(key, now)), past: latest.filter((key) => !isLive(key, now)) }
}

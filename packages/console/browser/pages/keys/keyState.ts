import type { Key } from "@tapeline/client"

/** The state of an API key, which is `ending` if the key expires within a week. */
export type KeyState = "live" | "ending" | "expired" | "revoked"

const dayMs = 86_400_000

export const getKeyState = (key: Pick<Key, "expires_at" | "revoked_at">, now: number): KeyState => {
  if (key.revoked_at !== null) return "revoked"
  if (key.expires_at === null) return "live"
  const remainingMs = Date.parse(key.expires_at) - now
  return remainingMs <= 0 ? "expired" : remainingMs <= 7 * dayMs ? "ending" : "live"
}

/** Returns whether a key is neither revoked nor expired. */
export const isLive = (key: Pick<Key, "expires_at" | "revoked_at">, now: number): boolean => {
  const state = getKeyState(key, now)
  return state === "live" || state === "ending"
}

/** Returns whether a key was used within the last day. Revoking a key that is in use probably breaks a program. */
export const isInUse = ({ last_used_at }: Pick<Key, "last_used_at">, now: number): boolean =>
  last_used_at !== null && now - Date.parse(last_used_at) < dayMs

/** Splits keys into valid keys, and revoked or expired keys; newest first. */
export const splitByState = <A extends Pick<Key, "expires_at" | "revoked_at" | "id">>(
  keys: ReadonlyArray<A>,
  now: number
): { readonly live: ReadonlyArray<A>; readonly past: ReadonlyArray<A> } => {
  const newestFirst = keys.toSorted((a, b) => b.id - a.id)
  return { live: newestFirst.filter((key) => isLive(key, now)), past: newestFirst.filter((key) => !isLive(key, now)) }
}

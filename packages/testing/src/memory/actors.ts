import type { Actor } from "@tapeline/core/engine"
import type { MemoryState } from "./MemoryState.ts"
import { getEndTime } from "./sessionTables.ts"

/**
 * Returns whether an actor may no longer make a change: its session or key has ended, or its key lacks the scope
 * `write:personal`.
 */
export const hasActorEnded = (
  { keys, sessions }: Pick<MemoryState["Service"], "keys" | "sessions">,
  account: number,
  actor: Actor | undefined,
  now: number
): boolean => {
  if (actor === undefined || actor._tag === "Task") return false
  if (actor._tag === "Session") {
    const session = sessions.sessions.get(actor.session)
    return session?.account !== account || getEndTime(session) <= now
  }
  const key = keys.get(actor.key)
  if (key?.account !== account) return false
  return key.revokedAt !== null || (key.expiresAt ?? Infinity) <= now || !key.scopes.includes("write:personal")
}

/** Returns whether the actor of a change is a key with monthly credits of its own. */
export const isKeyLimited = (
  { keys }: Pick<MemoryState["Service"], "keys">,
  account: number,
  actor: Actor | undefined
): boolean => {
  const key = actor?._tag === "Key" ? keys.get(actor.key) : undefined
  return key !== undefined && key.account === account && key.monthlyCredits !== null
}

import type { Actor } from "@tapeline/core/engine"
import type { MemoryState } from "./MemoryState.ts"
import { getEndTime } from "./sessionTables.ts"

/** Returns whether the session or key that makes a change has ended, or the key lacks the scope `write:personal`. */
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

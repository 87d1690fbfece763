import { Clock, Effect, Option } from "effect"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Principal } from "./account.ts"
import { KeyStore } from "./KeyStore.ts"
import { grants, type Scope } from "./scope.ts"
import { SessionStore } from "./sessions/SessionStore.ts"

/**
 * Checks in the store whether an actor may still use a scope. An answer runs longer than its request, so the key can be
 * revoked, expire or lose the scope, and the session can end. A task keeps its scopes until the task ends. Expiry uses
 * the clock of this process.
 */
export const makeMayStill: Effect.Effect<
  (principal: Principal, scope: Scope) => Effect.Effect<boolean, StoreUnavailable>,
  never,
  KeyStore
> = Effect.gen(function*() {
  const keys = yield* KeyStore
  const sessions = yield* Effect.serviceOption(SessionStore)

  const ofKey = Effect.fnUntraced(function*(id: number, scope: Scope) {
    const key = yield* Effect.catchTag(keys.key(id), "UnknownKey", () => Effect.succeed(null))
    if (key === null || key.revokedAt !== null || !grants(key.scopes, [scope])) return false
    return key.expiresAt === null || key.expiresAt > (yield* Clock.currentTimeMillis)
  })
  const ofSession = Effect.fnUntraced(function*(account: number, id: number) {
    if (Option.isNone(sessions)) return false
    const page = sessions.value.sessions(account, { after: id - 1, limit: 1 })
    const [session] = yield* Effect.catchTag(page, "UnknownAccount", () => Effect.succeed([]))
    if (session?.id !== id || session.ended !== null) return false
    return session.endsAt > (yield* Clock.currentTimeMillis)
  })

  return ({ account, actor }, scope) => {
    switch (actor._tag) {
      case "Key":
        return ofKey(actor.key, scope)
      case "Session":
        return ofSession(account, actor.session)
      case "Task":
        return Effect.succeed(true)
    }
  }
})

import { Clock, Effect, Option } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import { KeyStore } from "../../engine/access/KeyStore.ts"
import type { Scope } from "../../engine/access/scope.ts"
import { sessionExpiry, SessionStore } from "../../engine/access/sessions/SessionStore.ts"
import { TaskActors } from "../../engine/access/TaskActors.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"

/**
 * Returns a function that checks whether a principal still has a scope. An answer runs longer than the request that
 * started it. During an answer, an account can be suspended, a key can be revoked, expire or lose a scope, a session
 * can end, and a task can be paused. If the principal is a task with a key, the key must have the scope. Keys and
 * sessions expire by the clock of the process.
 */
export const makeScopeCheck: Effect.Effect<
  (principal: Principal, scope: Scope) => Effect.Effect<boolean, StoreUnavailable>,
  never,
  KeyStore
> = Effect.gen(function*() {
  const [keys, tasks] = yield* Effect.all([KeyStore, Effect.service(TaskActors)])
  const sessions = yield* Effect.serviceOption(SessionStore)

  const isHeldByKey = Effect.fnUntraced(function*(account: number, id: number, scope: Scope) {
    const key = yield* Effect.catchTag(keys.key(id), "UnknownKey", () => Effect.succeed(null))
    if (key?.account !== account || key.revokedAt !== null) return false
    if (!key.scopes.includes("agent:chat") || !key.scopes.includes(scope)) return false
    return key.expiresAt === null || key.expiresAt > (yield* Clock.currentTimeMillis)
  })
  const isHeldBySession = Effect.fnUntraced(function*(account: number, id: number) {
    if (Option.isNone(sessions)) return false
    const page = sessions.value.sessions(account, { after: id - 1, limit: 1 })
    const [session] = yield* Effect.catchTag(page, "UnknownAccount", () => Effect.succeed([]))
    if (session?.id !== id || session.ended !== null) return false
    return sessionExpiry(session) > (yield* Clock.currentTimeMillis)
  })
  const isHeldByTask = Effect.fnUntraced(function*(account: number, id: number, scope: Scope) {
    const task = yield* Effect.catchTag(tasks.find(account, id), "NoTaskStore", () => Effect.succeed(null))
    // A task has the status `done` as soon as its last run begins.
    if (task === null || task.status === "paused") return false
    return task.key === null || (yield* isHeldByKey(account, task.key, scope))
  })

  const isHeld = ({ account, actor }: Principal, scope: Scope) => {
    switch (actor._tag) {
      case "Key":
        return isHeldByKey(account, actor.key, scope)
      case "Session":
        return isHeldBySession(account, actor.session)
      case "Task":
        return isHeldByTask(account, actor.task, scope)
    }
  }
  return (principal, scope) =>
    keys.account(principal.account).pipe(
      Effect.flatMap(({ status }) => status === "active" ? isHeld(principal, scope) : Effect.succeed(false)),
      Effect.catchTag("UnknownAccount", () => Effect.succeed(false))
    )
})

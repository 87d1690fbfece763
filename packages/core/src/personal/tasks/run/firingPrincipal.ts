import { Effect } from "effect"
import type { Principal } from "../../../engine/access/account.ts"
import type { KeyStore } from "../../../engine/access/KeyStore.ts"
import { hasAnyScope, type Scope, userScopes } from "../../../engine/access/scope.ts"
import type { StoreUnavailable } from "../../../engine/store/errors.ts"
import type { Firing } from "../firing.ts"

/** Returns the current scopes of an account's key, or an empty list if the key is deleted, revoked or expired. */
const readCurrentScopes = (
  keys: KeyStore["Service"],
  account: number,
  id: number,
  now: number
): Effect.Effect<ReadonlyArray<Scope>, StoreUnavailable> =>
  keys.key(id).pipe(
    Effect.map((key) =>
      key.account !== account || key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)
        ? []
        : key.scopes
    ),
    Effect.catchTag("UnknownKey", () => Effect.succeed([]))
  )

/** The permission of a task to fire: `granted`, or the reason why the task may not fire. */
export type FiringPermission = "granted" | "account_suspended" | "key_gone"

/**
 * Returns whether a firing may continue: the account is active, and the task's key is valid and has the scope that the
 * firing needs.
 */
export const checkPermission = Effect.fnUntraced(function*(
  keys: KeyStore["Service"],
  { account, key, question }: Pick<Firing, "account" | "key" | "question">,
  now: number
): Effect.fn.Return<FiringPermission, StoreUnavailable> {
  const owner = yield* Effect.catchTag(keys.account(account), "UnknownAccount", () => Effect.succeed(null))
  if (owner?.status !== "active") return "account_suspended"
  if (key === null) return "granted"
  const scopes = yield* readCurrentScopes(keys, account, key, now)
  // A valid key has at least one scope.
  return scopes.length > 0 && (question === null || hasAnyScope(scopes, ["agent:chat"])) ? "granted" : "key_gone"
})

/**
 * Returns the account with the scopes of the task's key, except `write:personal`. Returns null if the key is invalid or
 * lacks a required scope. A task without a key has the scopes of a signed-in user.
 */
export const resolveFiringPrincipal = Effect.fnUntraced(function*(
  keys: KeyStore["Service"],
  { account, key: id, question, task }: Firing,
  now: number
): Effect.fn.Return<Principal | null, StoreUnavailable> {
  const owner = yield* Effect.catchTag(keys.account(account), "UnknownAccount", () => Effect.succeed(null))
  const scopes = id === null ? userScopes : yield* readCurrentScopes(keys, account, id, now)
  // A valid key has at least one scope.
  if (owner === null || scopes.length === 0) return null
  if (question !== null && !hasAnyScope(scopes, ["agent:chat"])) return null
  return {
    account,
    actor: { _tag: "Task", task },
    plan: owner.plan,
    scopes: scopes.filter((scope) => scope !== "write:personal")
  }
})

import { Effect } from "effect"
import type { Principal } from "../../access/account.ts"
import type { KeyStore } from "../../access/KeyStore.ts"
import { grants } from "../../access/scope.ts"
import type { StoreUnavailable } from "../../store/StoreUnavailable.ts"
import type { Firing } from "../firing.ts"

/**
 * In whose name a firing runs: its account's, in the scopes that its key has now, but that it never writes. Null when
 * the key is gone, revoked or expired, or is to ask the analyst and may not.
 */
export const speakerOf = Effect.fnUntraced(function*(
  keys: KeyStore["Service"],
  { account, key: id, question, task }: Firing,
  now: number
): Effect.fn.Return<Principal | null, StoreUnavailable> {
  const none = () => Effect.succeed(null)
  const key = yield* Effect.catchTag(keys.key(id), "UnknownKey", none)
  const owner = yield* Effect.catchTag(keys.account(account), "UnknownAccount", none)
  if (key === null || owner === null || key.account !== account) return null
  if (key.revokedAt !== null || (key.expiresAt !== null && key.expiresAt <= now)) return null
  if (question !== null && !grants(key.scopes, ["agent:chat"])) return null
  return {
    account,
    actor: { _tag: "Task", task },
    plan: owner.plan,
    scopes: key.scopes.filter((scope) => scope !== "write:personal")
  }
})

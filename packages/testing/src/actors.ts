import { KeyStore, SessionStore } from "@tapeline/core/engine"
import { Effect } from "effect"
import { randomBytes } from "node:crypto"

export const newHash = () => randomBytes(32).toString("hex")

/** Creates an account with two sessions and a key that holds `write:personal`. */
export const enrolledActors = Effect.gen(function*() {
  const [keys, sessions] = yield* Effect.all([KeyStore, SessionStore])
  const { id: account } = yield* keys.createAccount({ name: "owner", plan: "pro", now: null })
  const opening = { device: "test", idleMs: 3_600_000, lifeMs: 3_600_000, replaces: null }
  const open = Effect.suspend(() => sessions.open(account, "openid", { ...opening, hash: newHash() }, null))
  const added = { account, name: "k", prefix: "tl_live_abcd", scopes: ["write:personal"] } as const
  const { id: key } = yield* keys.createKey({ ...added, hash: newHash(), expiresAt: null, limit: 1, now: null })
  return { keys, sessions, account, key, session: (yield* open).id, other: (yield* open).id }
})

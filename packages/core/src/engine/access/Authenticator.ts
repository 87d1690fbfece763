import { Clock, Context, Duration, Effect, Layer, Schema, Stream } from "effect"
import { groupCommit } from "../credits/groupCommit.ts"
import { say } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Account, KeyRecord, Principal } from "./account.ts"
import { sha256 } from "./hash.ts"
import { isWellFormedKey } from "./key.ts"
import { KeyStore } from "./KeyStore.ts"
import { makeMemory, makeUses, type Remembered } from "./remembered.ts"

/**
 * The key is missing, malformed, unknown, expired or revoked. All cases have the same error, so that callers cannot
 * probe for keys.
 */
export class InvalidKey extends Schema.TaggedError<InvalidKey>()("InvalidKey", {}) {
  override get message(): string {
    return say({ key: "invalid_key" }, "en")
  }
}

/** The size of the authenticator's cache, and how long its entries are valid. */
export const AuthenticatorSettings = Context.Reference<{
  /** The maximum number of cached keys. The least recently used key is evicted first. */
  readonly capacity: number
  /** The time for which a cached key is trusted while this node receives the changes of other nodes. */
  readonly trust: Duration.Input
  /**
   * The time for which a cached key is trusted while this node receives no changes of other nodes. A revoked key can
   * work on this node for that time. Streams check their keys each second, and so end within 2 s.
   */
  readonly trustUnheard: Duration.Input
  /** The interval at which times of last use are written. */
  readonly touchEvery: Duration.Input
}>("@tapeline/core/access/AuthenticatorSettings", {
  defaultValue: () => ({ capacity: 10_000, trust: "60 seconds", trustUnheard: "1 second", touchEvery: "10 seconds" })
})

interface RememberedKey extends Remembered {
  readonly key: number
  /** The times of the look-up and of the key's expiry, by the monotonic clock. */
  readonly at: bigint
  readonly expiresAt: bigint | null
}

/** The maximum number of keys per store request, and of concurrent store requests. */
const batching = { maxBatch: 512, batchesInFlight: 2 }

const nanos = (duration: Duration.Input): bigint => BigInt(Math.round(Duration.toMillis(duration))) * 1_000_000n

const principalOf = (key: KeyRecord, account: Account): Principal => ({
  account: account.id,
  actor: { _tag: "Key", key: key.id },
  plan: account.plan,
  scopes: key.scopes
})

/**
 * Authenticates callers by their keys. A recently used key and a malformed key (form, checksum) need no store request.
 * Rejections are not cached. Concurrent look-ups are batched, so that a flood of invented keys costs the store only a
 * few requests and does not delay other callers.
 */
export class Authenticator extends Context.Service<Authenticator, {
  readonly authenticate: (key: string | undefined) => Effect.Effect<Principal, InvalidKey | StoreUnavailable>
  /** Removes an account from the cache immediately. The node that makes a change calls this. */
  readonly forget: (account: number) => Effect.Effect<void>
}>()("@tapeline/core/access/Authenticator") {
  static readonly layer: Layer.Layer<Authenticator, never, KeyStore> = Layer.effect(
    Authenticator,
    Effect.gen(function*() {
      const store = yield* KeyStore
      const settings = yield* AuthenticatorSettings
      const find = yield* groupCommit(store.findByHashes, batching)
      const trust = nanos(settings.trust)
      const trustUnheard = nanos(settings.trustUnheard)
      const memory = makeMemory<RememberedKey>(settings.capacity)
      const uses = makeUses((agoMs) => store.touchKeys(agoMs, null))

      yield* store.changes.pipe(
        Stream.runForEach((change) =>
          Effect.sync(() => memory.forget(change._tag === "Account" ? change.account : null))
        ),
        Effect.forkScoped
      )
      yield* uses.write.pipe(Effect.delay(settings.touchEvery), Effect.forever, Effect.forkScoped)
      yield* Effect.addFinalizer(() => uses.write)

      const lookUp = Effect.fnUntraced(function*(text: string, now: bigint) {
        const before = memory.changes()
        const found = yield* find(yield* sha256(text))
        if (found === null || found.key.revokedAt !== null) return yield* new InvalidKey()
        const entry = {
          key: found.key.id,
          principal: principalOf(found.key, found.account),
          at: now,
          expiresAt: found.lifeMs === null ? null : now + BigInt(Math.round(found.lifeMs)) * 1_000_000n
        }
        if (memory.changes() === before) memory.add(text, entry)
        return entry
      })

      const letIn = (entry: RememberedKey, at: bigint): Effect.Effect<Principal, InvalidKey> => {
        if (entry.expiresAt !== null && entry.expiresAt <= at) return Effect.fail(new InvalidKey())
        uses.note(entry.key, at)
        return Effect.succeed(entry.principal)
      }

      const lookedUp = (text: string, at: bigint) => Effect.flatMap(lookUp(text, at), (entry) => letIn(entry, at))

      const recalled = (text: string, entry: RememberedKey, at: bigint) =>
        Effect.flatMap(store.hearsChanges, (hears) => {
          const isTrusted = at - entry.at < (hears ? trust : trustUnheard)
          if (!isTrusted || !memory.use(text, entry)) return lookedUp(text, at)
          return letIn(entry, at)
        })

      const authenticate = (text: string | undefined): Effect.Effect<Principal, InvalidKey | StoreUnavailable> =>
        Effect.flatMap(Clock.monotonicTimeNanos, (at) => {
          const entry = text === undefined ? undefined : memory.get(text)
          if (text !== undefined && entry !== undefined) return recalled(text, entry, at)
          return text !== undefined && isWellFormedKey(text) ? lookedUp(text, at) : Effect.fail(new InvalidKey())
        })

      return Authenticator.of({ authenticate, forget: (account) => Effect.sync(() => memory.forget(account)) })
    })
  )
}

import { Clock, Context, Duration, Effect, Layer, Schema, Stream } from "effect"
import { groupCommit } from "../credits/groupCommit.ts"
import { formatMessage } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/errors.ts"
import type { Account, KeyRecord, Principal } from "./account.ts"
import { AccountSuspended, isSuspended } from "./AccountSuspended.ts"
import { isInRanges } from "./addressRange.ts"
import { type CachedCredential, makeCredentialCache, makeLastUses } from "./credentialCache.ts"
import { sha256 } from "./hash.ts"
import { isWellFormedKey } from "./key.ts"
import { AddressNotAllowed } from "./keyLimits.ts"
import { KeyStore } from "./KeyStore.ts"

/**
 * The error of a missing, malformed, unknown, expired or revoked API key. All these cases have the same error, so that
 * a caller cannot find out whether a key exists.
 */
export class InvalidKey extends Schema.TaggedError<InvalidKey>()("InvalidKey", {}) {
  override get message(): string {
    return formatMessage({ key: "invalid_key" }, "en")
  }
}

/** The size of the authenticator's key cache, and the time for which cached keys stay valid. */
export const AuthenticatorSettings = Context.Reference<{
  /** The maximum number of cached keys, above which the least recently used key is evicted. */
  readonly capacity: number
  /** The time for which a cached key is trusted while this node receives the changes that other nodes make. */
  readonly trustFor: Duration.Input
  /**
   * The time for which a cached key is trusted while this node receives no changes from other nodes. A key that another
   * node revoked may be accepted for this time at most. Streams check their keys every second, so a stream ends within
   * 2 s of the revocation.
   */
  readonly trustForWhenDisconnected: Duration.Input
  /** The interval at which the authenticator writes the keys' times of last use to the store. */
  readonly lastUseInterval: Duration.Input
}>("@tapeline/core/access/AuthenticatorSettings", {
  defaultValue: () => ({
    capacity: 10_000,
    trustFor: "60 seconds",
    trustForWhenDisconnected: "1 second",
    lastUseInterval: "10 seconds"
  })
})

interface CachedKey extends CachedCredential {
  readonly key: number
  readonly readAt: bigint
  readonly expiresAt: bigint | null
  readonly allowedIps: ReadonlyArray<string>
}

const batching = { maxBatch: 512, batchesInFlight: 2 }

const nanosOf = (duration: Duration.Input): bigint => BigInt(Math.round(Duration.toMillis(duration))) * 1_000_000n

const principalOf = (key: KeyRecord, account: Account): Principal => ({
  account: account.id,
  actor: { _tag: "Key", key: key.id },
  plan: account.plan,
  scopes: key.scopes,
  ...(key.requestsPerMinute === null
    ? {}
    : { keyRateLimit: { firstKey: key.firstKey, perMinute: key.requestsPerMinute } })
})

/**
 * Authenticates callers by their API keys. A recently used key, a malformed key, or a key with a wrong checksum needs
 * no store request. Rejections are not cached. Concurrent key look-ups are batched, so that a flood of invented keys
 * costs the store few requests.
 */
export class Authenticator extends Context.Service<Authenticator, {
  /**
   * Returns the caller with an API key. `address` is the client's IP address. A key with ranges of addresses is
   * rejected if `address` is undefined.
   */
  readonly authenticate: (
    key: string | undefined,
    address?: string
  ) => Effect.Effect<Principal, InvalidKey | AddressNotAllowed | AccountSuspended | StoreUnavailable>
  /**
   * Removes the keys of an account from this node's cache. Call `invalidate` after this node has changed the account.
   */
  readonly invalidate: (account: number) => Effect.Effect<void>
}>()("@tapeline/core/access/Authenticator") {
  static readonly layer: Layer.Layer<Authenticator, never, KeyStore> = Layer.effect(
    Authenticator,
    Effect.gen(function*() {
      const store = yield* KeyStore
      const settings = yield* AuthenticatorSettings
      const find = yield* groupCommit(store.findByHashes, batching)
      const trust = nanosOf(settings.trustFor)
      const trustWhenDisconnected = nanosOf(settings.trustForWhenDisconnected)
      const cache = makeCredentialCache<CachedKey>(settings.capacity)
      const lastUses = makeLastUses((agoMs) => store.recordLastUses(agoMs, null))

      yield* store.changes.pipe(
        Stream.runForEach((change) =>
          Effect.sync(() => cache.invalidate(change._tag === "Account" ? change.account : null))
        ),
        Effect.forkScoped
      )
      yield* lastUses.write.pipe(Effect.delay(settings.lastUseInterval), Effect.forever, Effect.forkScoped)
      yield* Effect.addFinalizer(() => lastUses.write)

      const lookUp = Effect.fnUntraced(function*(text: string, now: bigint) {
        const changesBefore = cache.invalidationCount()
        const found = yield* find(yield* sha256(text))
        if (found === null || found.key.revokedAt !== null) return yield* new InvalidKey()
        if (found.account.status === "closed") return yield* new InvalidKey()
        if (isSuspended(found.account)) return yield* new AccountSuspended()
        const entry = {
          key: found.key.id,
          principal: principalOf(found.key, found.account),
          readAt: now,
          allowedIps: found.key.allowedIps,
          expiresAt: found.remainingMs === null ? null : now + BigInt(Math.round(found.remainingMs)) * 1_000_000n
        }
        if (cache.invalidationCount() === changesBefore) cache.add(text, entry)
        return entry
      })

      const admitKey = (
        entry: CachedKey,
        now: bigint,
        address: string | undefined
      ): Effect.Effect<Principal, InvalidKey | AddressNotAllowed> => {
        if (entry.expiresAt !== null && entry.expiresAt <= now) return Effect.fail(new InvalidKey())
        if (entry.allowedIps.length > 0 && !isInRanges(address ?? "", entry.allowedIps)) {
          return Effect.fail(new AddressNotAllowed())
        }
        lastUses.add(entry.key, now)
        return Effect.succeed(entry.principal)
      }

      const authenticateFromStore = (text: string, now: bigint, address: string | undefined) =>
        Effect.flatMap(lookUp(text, now), (entry) => admitKey(entry, now, address))

      const authenticateFromCache = (text: string, entry: CachedKey, now: bigint, address: string | undefined) =>
        Effect.flatMap(store.isReceivingChanges, (isReceivingChanges) => {
          const isTrusted = now - entry.readAt < (isReceivingChanges ? trust : trustWhenDisconnected)
          if (!isTrusted || !cache.markUsed(text, entry)) return authenticateFromStore(text, now, address)
          return admitKey(entry, now, address)
        })

      const authenticate: Authenticator["Service"]["authenticate"] = (text, address) =>
        Effect.flatMap(Clock.monotonicTimeNanos, (now) => {
          const entry = text === undefined ? undefined : cache.get(text)
          if (text !== undefined && entry !== undefined) return authenticateFromCache(text, entry, now, address)
          return text !== undefined && isWellFormedKey(text)
            ? authenticateFromStore(text, now, address)
            : Effect.fail(new InvalidKey())
        })

      return Authenticator.of({ authenticate, invalidate: (account) => Effect.sync(() => cache.invalidate(account)) })
    })
  )
}

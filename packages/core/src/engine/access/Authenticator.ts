import { Clock, Context, Duration, Effect, Layer, Schema, Stream } from "effect"
import { groupCommit } from "../credits/groupCommit.ts"
import { say } from "../messages/language.ts"
import type { StoreUnavailable } from "../store/StoreUnavailable.ts"
import type { Account, KeyRecord, Principal } from "./account.ts"
import { sha256 } from "./hash.ts"
import { isWellFormedKey } from "./key.ts"
import { KeyStore } from "./KeyStore.ts"
import { makeMemory, makeUses, type Remembered } from "./remembered.ts"

/** The key is missing, malformed, unknown, expired or revoked: one answer for all, so that nothing can be probed. */
export class InvalidKey extends Schema.TaggedError<InvalidKey>()("InvalidKey", {}) {
  override get message(): string {
    return say({ key: "invalid_key" }, "en")
  }
}

/** How much the authenticator remembers, and for how long. */
export const AuthenticatorSettings = Context.Reference<{
  /** Keys remembered at most; the one unused for longest is forgotten first. */
  readonly capacity: number
  /** How long a remembered key is trusted while changes of other nodes are heard. */
  readonly trust: Duration.Input
  /**
   * The same while they are not heard: the longest that a revoked key can go on working there. Streams check their keys
   * each second, and so end within 2 s.
   */
  readonly trustUnheard: Duration.Input
  /** How often the times of last use are written. */
  readonly touchEvery: Duration.Input
}>("@tapeline/core/access/AuthenticatorSettings", {
  defaultValue: () => ({ capacity: 10_000, trust: "60 seconds", trustUnheard: "1 second", touchEvery: "10 seconds" })
})

interface RememberedKey extends Remembered {
  readonly key: number
  /** When it was looked up and when the key expires, by a clock that nobody sets. */
  readonly at: bigint
  readonly expiresAt: bigint | null
}

/** At most so many keys are looked up in one statement, and so many statements are under way. */
const batching = { maxBatch: 512, batchesInFlight: 2 }

const nanos = (duration: Duration.Input): bigint => BigInt(Math.round(Duration.toMillis(duration))) * 1_000_000n

const principalOf = (key: KeyRecord, account: Account): Principal => ({
  account: account.id,
  actor: { _tag: "Key", key: key.id },
  plan: account.plan,
  scopes: key.scopes
})

/**
 * Tells who calls from the key that is shown. A key that was seen lately costs no look at the store; one that cannot
 * be a key (form, checksum) costs none either; refusals are not remembered. Look-ups that come together travel
 * together, so that a flood of invented keys costs the store a few statements and delays nobody.
 */
export class Authenticator extends Context.Service<Authenticator, {
  readonly authenticate: (key: string | undefined) => Effect.Effect<Principal, InvalidKey | StoreUnavailable>
  /** Forgets what is remembered of an account, at once: for the node that makes a change. */
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

import { Clock, Effect, type Scope, Stream } from "effect"
import { groupCommit } from "../../credits/groupCommit.ts"
import type { StoreUnavailable } from "../../store/errors.ts"
import type { Principal } from "../account.ts"
import { AccountSuspended, isSuspended } from "../AccountSuspended.ts"
import { AdminStore } from "../AdminStore.ts"
import { type CachedCredential, makeCredentialCache, makeLastUses } from "../credentialCache.ts"
import { sha256 } from "../hash.ts"
import { KeyStore } from "../KeyStore.ts"
import { userScopes } from "../scope.ts"
import { tokenFormat } from "../tokenFormat.ts"
import { InvalidSession } from "./InvalidSession.ts"
import { sessionEnded } from "./sessionEvents.ts"
import { SessionSettings, toWholeMs } from "./SessionSettings.ts"
import { SessionStore, type SessionWithAccount } from "./SessionStore.ts"

/** An authenticated session of a signed-in user. */
export interface OpenSession {
  readonly id: number
  readonly principal: Principal
  /** Whether the session token is old enough to be replaced by `renew`. */
  readonly isStale: boolean
  /** The time in ms since the user signed in. */
  readonly ageMs: number
}

/**
 * Whether a user's action (`person`) or a timer of a web page (`clock`) caused a request. A timer's request does not
 * count as a use of the session.
 */
export type RequestOrigin = "person" | "clock"

export const sessionTokens = tokenFormat("tl_sess_")

interface CachedSession extends CachedCredential {
  readonly session: number
  readonly readAt: bigint
  readonly signedInAt: bigint
  readonly endsAt: bigint
  /**
   * The time on the monotonic clock at which the session token should be replaced; null for a token that is already
   * replaced.
   */
  readonly renewAt: bigint | null
}

const nanosOf = (ms: number): bigint => BigInt(Math.round(ms)) * 1_000_000n

const principalOf = ({ account, session }: SessionWithAccount): Principal => ({
  account: account.id,
  actor: { _tag: "Session", session: session.id },
  plan: account.plan,
  scopes: userScopes
})

const cacheEntryOf = (
  found: SessionWithAccount,
  now: bigint,
  { graceMs, renewAfterMs }: { readonly graceMs: number; readonly renewAfterMs: number }
): CachedSession => {
  const { ageMs: sessionAgeMs, remainingMs, session, token } = found
  const common = {
    session: session.id,
    principal: principalOf(found),
    readAt: now,
    signedInAt: now - nanosOf(sessionAgeMs)
  }
  if (token._tag === "Past") {
    return { ...common, endsAt: now + nanosOf(Math.min(remainingMs, graceMs - token.replacedMsAgo)), renewAt: null }
  }
  const ageMs = token._tag === "Current" ? token.ageMs : 0
  return { ...common, endsAt: now + nanosOf(remainingMs), renewAt: now + nanosOf(renewAfterMs - ageMs) }
}

const openUnlessEnded = (
  { endsAt, principal, renewAt, session, signedInAt }: CachedSession,
  now: bigint
): Effect.Effect<OpenSession, InvalidSession> =>
  endsAt <= now
    ? Effect.fail(new InvalidSession())
    : Effect.succeed({
      id: session,
      principal,
      isStale: renewAt !== null && renewAt <= now,
      ageMs: Number((now - signedInAt) / 1_000_000n)
    })

/** Creates a cache of recently used sessions. The cache also records when sessions are used. */
export const makeSessionCache: Effect.Effect<
  {
    readonly authenticate: (
      token: string | undefined,
      origin?: RequestOrigin
    ) => Effect.Effect<OpenSession, InvalidSession | AccountSuspended | StoreUnavailable>
    readonly isActive: (token: string) => Effect.Effect<boolean, StoreUnavailable>
    readonly accountOf: (token: string) => Effect.Effect<number | undefined, StoreUnavailable>
    /**
     * Removes the sessions of an account from this node's cache. Call `invalidate` after this node has changed the
     * account.
     */
    readonly invalidate: (account: number) => void
  },
  never,
  AdminStore | SessionStore | KeyStore | Scope.Scope
> = Effect.gen(function*() {
  const [adminStore, store, keys, settings] = yield* Effect.all([AdminStore, SessionStore, KeyStore, SessionSettings])
  const find = yield* groupCommit(
    (hashes: ReadonlyArray<string>) => store.findByHashes(hashes, null),
    { maxBatch: 512, batchesInFlight: 2 }
  )
  const [trust, trustWhenDisconnected] = [
    nanosOf(toWholeMs(settings.trustFor)),
    nanosOf(toWholeMs(settings.trustForWhenDisconnected))
  ]
  const periods = { graceMs: toWholeMs(settings.renewalGrace), renewAfterMs: toWholeMs(settings.renewAfter) }
  const cache = makeCredentialCache<CachedSession>(settings.capacity)
  const lastUses = makeLastUses((agoMs) => store.recordLastUses(agoMs, null))
  yield* keys.changes.pipe(
    Stream.runForEach((change) =>
      Effect.sync(() => cache.invalidate(change._tag === "Account" ? change.account : null))
    ),
    Effect.forkScoped
  )
  yield* lastUses.write.pipe(Effect.delay(settings.lastUseInterval), Effect.forever, Effect.forkScoped)
  yield* Effect.addFinalizer(() => lastUses.write)

  const endStolenSession = Effect.fnUntraced(function*({ session: { account, id } }: SessionWithAccount) {
    yield* Effect.logWarning(
      `Session ${id} of account ${account} was ended, because a replaced session token was used`
    )
    yield* adminStore.transact(Effect.andThen(
      Effect.catchTag(store.end({ account, id }, "stolen", null), "UnknownSession", () => Effect.void),
      adminStore.record([sessionEnded(account, id, "stolen")])
    ))
    cache.invalidate(account)
  })

  const lookUp = Effect.fnUntraced(function*(token: string, now: bigint) {
    const invalidationsBefore = cache.invalidationCount()
    const hash = yield* sha256(token)
    const found = yield* find(hash)
    if (found === null || found.remainingMs <= 0) return yield* new InvalidSession()
    if (found.account.status === "closed") return yield* new InvalidSession()
    if (isSuspended(found.account)) return yield* new AccountSuspended()
    if (found.token._tag === "Past" && found.token.replacedMsAgo >= periods.graceMs) {
      yield* endStolenSession(found)
      return yield* new InvalidSession()
    }
    if (found.token._tag === "Offered") yield* store.confirmToken(hash, null)
    const entry = cacheEntryOf(found, now, periods)
    if (cache.invalidationCount() === invalidationsBefore) cache.add(token, entry)
    return entry
  })

  /** Returns the cached session of a token if the cache entry is still valid, or reads the session from the store. */
  const findSession = (
    token: string,
    now: bigint
  ): Effect.Effect<CachedSession, InvalidSession | AccountSuspended | StoreUnavailable> => {
    const entry = cache.get(token)
    if (entry === undefined) {
      return sessionTokens.isWellFormed(token) ? lookUp(token, now) : Effect.fail(new InvalidSession())
    }
    return Effect.flatMap(keys.isReceivingChanges, (isReceivingChanges) => {
      const isTrusted = now < entry.endsAt && now - entry.readAt < (isReceivingChanges ? trust : trustWhenDisconnected)
      return isTrusted && cache.markUsed(token, entry) ? Effect.succeed(entry) : lookUp(token, now)
    })
  }

  return {
    authenticate: Effect.fnUntraced(function*(token: string | undefined, origin: RequestOrigin = "person") {
      const now = yield* Clock.monotonicTimeNanos
      const opened = yield* openUnlessEnded(yield* findSession(token ?? "", now), now)
      if (origin === "person") lastUses.add(opened.id, now)
      return opened
    }),
    isActive: (token) =>
      Effect.map(
        Effect.flatMap(sha256(token), find),
        (found) => found !== null && found.remainingMs > 0 && found.account.status === "active"
      ),
    accountOf: (token) =>
      sessionTokens.isWellFormed(token)
        ? Effect.map(Effect.flatMap(sha256(token), find), (found) => found?.account.id)
        : Effect.undefined,
    invalidate: cache.invalidate
  }
})

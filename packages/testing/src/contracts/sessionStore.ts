import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import {
  KeyStore,
  LinkRefused,
  newAccountFields,
  type NewSession,
  SessionStore,
  type SessionTokenState,
  UnknownAccount,
  UnknownSession
} from "@tapeline/core/engine"
import { Deferred, Effect, Fiber, type Layer, Stream } from "effect"
import { testSessionKeys } from "./sessionKeys.ts"

const runId = Date.now().toString(16)
let hashCount = 0
/** Returns a hash that no other test uses in the current run or an earlier run. */
const makeUniqueHash = (): string => `5${(++hashCount).toString(16).padStart(8, "0")}${runId}`.padEnd(64, "0")

const now = Date.UTC(2026, 10, 20)
const firstPage = { after: 0, limit: 1_000 }
const unknownId = 999_999_999

const newAccount = Effect.flatMap(
  KeyStore,
  (keys) => Effect.map(keys.createAccount({ name: "contract", plan: "pro", now }), ({ id }) => id)
)

const makeOpening = (overrides: Partial<NewSession> = {}): NewSession => ({
  hash: makeUniqueHash(),
  device: "Firefox",
  idleMs: 1_000,
  maxLifetimeMs: 10_000,
  replacedHash: null,
  ...overrides
})

const newSession = (overrides: Partial<NewSession> = {}, at: number | null = now, accountId?: number) =>
  Effect.gen(function*() {
    const store = yield* SessionStore
    const account = accountId ?? (yield* newAccount)
    const options = makeOpening(overrides)
    return { account, hash: options.hash, session: yield* store.open(account, "openid", options, at) }
  })

const readSession = (hash: string, at: number | null) =>
  Effect.gen(function*() {
    const [one] = yield* (yield* SessionStore).findByHashes([hash], at)
    assert.isNotNull(one)
    return one!
  })

const readTokenState = (hash: string, at: number) =>
  Effect.map(readSession(hash, at), ({ token }): SessionTokenState => token)

type Tests = Vitest.MethodsNonLive<KeyStore | SessionStore>

const testLinks = (it: Tests): void => {
  it.effect("opens one session per link under concurrent use", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const account = yield* newAccount
      const hash = makeUniqueHash()
      assert.deepStrictEqual(yield* store.createLink({ account, hash, lifetimeMs: 500, now }), { expiresAt: now + 500 })
      const results = yield* Effect.forEach(
        Array.from({ length: 8 }, () => makeOpening()),
        (options) =>
          Effect.match(store.useLink(hash, options, now + 499), {
            onFailure: (error) => error._tag === "LinkRefused" ? error.reason : error._tag,
            onSuccess: (session) => session
          }),
        { concurrency: "unbounded" }
      )
      const sessions = results.filter((result) => typeof result !== "string")
      assert.strictEqual(sessions.length, 1)
      assert.strictEqual(results.filter((result) => result === "used").length, 7)
      assert.deepStrictEqual(sessions[0], {
        id: sessions[0]!.id,
        account,
        signInMethod: "link",
        device: "Firefox",
        createdAt: now + 499,
        lastUsedAt: now + 499,
        endsAt: now + 10_499,
        idleMs: 1_000,
        ended: null
      })
      assert.deepStrictEqual(yield* store.sessions(account, firstPage), sessions)
    }))

  it.effect("rejects an expired, a used and an unknown link, each with its reason", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const account = yield* newAccount
      const [expiredHash, usedHash, other] = [makeUniqueHash(), makeUniqueHash(), makeUniqueHash()]
      for (const hash of [expiredHash, usedHash, other]) {
        yield* store.createLink({ account, hash, lifetimeMs: 500, now })
      }
      const getLinkError = (hash: string, at: number) => Effect.flip(store.useLink(hash, makeOpening(), at))
      assert.deepStrictEqual(yield* getLinkError(expiredHash, now + 500), new LinkRefused({ reason: "expired" }))
      yield* store.useLink(usedHash, makeOpening(), now)
      assert.deepStrictEqual(yield* getLinkError(usedHash, now + 500), new LinkRefused({ reason: "used" }))
      assert.deepStrictEqual(yield* getLinkError(makeUniqueHash(), now), new LinkRefused({ reason: "unknown" }))
      assert.strictEqual((yield* store.sessions(account, firstPage)).length, 1)
      yield* store.useLink(other, makeOpening(), now + 1)
      assert.deepStrictEqual(
        yield* Effect.flip(store.createLink({ account: unknownId, hash: makeUniqueHash(), lifetimeMs: 1, now })),
        new UnknownAccount({ account: unknownId })
      )
    }))

  it.effect("ends the browser's previous session, of any account, when a new one opens", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const before = yield* newSession()
      const otherSession = yield* newSession({}, now, before.account)
      const { session } = yield* newSession({ replacedHash: before.hash }, now + 10)
      assert.notStrictEqual(session.account, before.account)
      assert.deepStrictEqual((yield* readSession(before.hash, now + 10)).session.ended, {
        at: now + 10,
        reason: "replaced"
      })
      assert.isAtMost((yield* readSession(before.hash, now + 10)).remainingMs, 0)
      assert.isNull((yield* readSession(otherSession.hash, now + 10)).session.ended)
      yield* newSession({ replacedHash: makeUniqueHash() }, now + 10, before.account)
      assert.strictEqual(
        (yield* store.sessions(before.account, firstPage)).filter(({ ended }) => ended === null).length,
        2
      )
      assert.deepStrictEqual(
        yield* Effect.flip(newSession({}, now, unknownId)),
        new UnknownAccount({ account: unknownId })
      )
    }))
}

const testLookup = (it: Tests): void => {
  it.effect("finds sessions by their tokens, with their accounts and remaining lives", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const idle = yield* newSession()
      const old = yield* newSession({ maxLifetimeMs: 700 }, now, idle.account)
      const hashes = [makeUniqueHash(), old.hash, idle.hash, old.hash]
      const foundSessions = yield* store.findByHashes(hashes, now + 600)
      assert.deepStrictEqual(foundSessions.map((one) => one?.session.id), [
        undefined,
        old.session.id,
        idle.session.id,
        old.session.id
      ])
      assert.deepStrictEqual(foundSessions.map((one) => one?.remainingMs), [undefined, 100, 400, 100])
      assert.deepStrictEqual(foundSessions[2], {
        session: idle.session,
        account: { id: idle.account, name: "contract", plan: "pro", createdAt: now, ...newAccountFields },
        remainingMs: 400,
        ageMs: 600,
        token: { _tag: "Current", ageMs: 600 }
      })
      assert.deepStrictEqual(yield* store.findByHashes([], now), [])
      assert.deepStrictEqual(yield* store.sessions(idle.account, firstPage), [idle.session, old.session])
      assert.deepStrictEqual(yield* store.sessions(idle.account, { after: 0, limit: 1 }), [idle.session])
      assert.deepStrictEqual(yield* store.sessions(idle.account, { after: idle.session.id, limit: 9 }), [old.session])
      assert.deepStrictEqual(
        yield* Effect.flip(store.sessions(unknownId, firstPage)),
        new UnknownAccount({ account: unknownId })
      )
    }))

  it.effect("extends a session from its last use, never backwards, up to its maximum life", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { account, hash, session } = yield* newSession({ maxLifetimeMs: 1_500 })
      yield* store.recordLastUses(new Map([[session.id, 100], [unknownId, 0]]), now + 900)
      yield* store.recordLastUses(new Map([[session.id, 200]]), now + 900)
      yield* store.recordLastUses(new Map(), now)
      const [usedSession] = yield* store.sessions(account, firstPage)
      assert.strictEqual(usedSession?.lastUsedAt, now + 800)
      assert.strictEqual((yield* readSession(hash, now + 900)).remainingMs, 600)
      assert.strictEqual((yield* readSession(hash, now + 1_500)).remainingMs, 0)
    }))

  it.effect("uses its own clock if no time is given", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { account, hash, session } = yield* newSession({ idleMs: 1e9, maxLifetimeMs: 2e9 }, null)
      const one = yield* readSession(hash, null)
      assert.isAtMost(one.remainingMs, 1e9)
      assert.isAbove(one.remainingMs, 1e9 - 60_000)
      assert.isTrue(one.ageMs >= 0 && one.ageMs < 60_000)
      yield* store.recordLastUses(new Map([[session.id, 0]]), null)
      const link = makeUniqueHash()
      const { expiresAt } = yield* store.createLink({ account, hash: link, lifetimeMs: 1e9, now: null })
      assert.isAtLeast(expiresAt, session.createdAt + 1e9)
      const next = makeUniqueHash()
      assert.isTrue(yield* store.offerToken({ current: hash, next, minIntervalMs: 0 }, null))
      yield* store.confirmToken(next, null)
      const endedSession = yield* store.end({ account, id: session.id }, "signed_out", null)
      assert.isAtLeast(endedSession.ended!.at, endedSession.lastUsedAt)
      assert.isAtLeast(endedSession.lastUsedAt, session.createdAt)
    }))
}

const testTokenRenewal = (it: Tests): void => {
  it.effect("replaces the current token when the offered token is first used", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { hash, session } = yield* newSession()
      const next = makeUniqueHash()
      assert.isTrue(yield* store.offerToken({ current: hash, next, minIntervalMs: 60 }, now + 100))
      assert.deepStrictEqual(yield* readTokenState(hash, now + 150), { _tag: "Current", ageMs: 150 })
      assert.deepStrictEqual(yield* readTokenState(next, now + 150), { _tag: "Offered" })
      assert.strictEqual((yield* readSession(next, now + 150)).session.id, session.id)
      yield* store.confirmToken(next, now + 200)
      yield* store.confirmToken(next, now + 300)
      assert.deepStrictEqual(yield* readTokenState(hash, now + 400), { _tag: "Past", replacedMsAgo: 200 })
      assert.deepStrictEqual(yield* readTokenState(next, now + 400), { _tag: "Current", ageMs: 200 })
      // A past token gets no new offer and cannot be confirmed again.
      assert.isFalse(yield* store.offerToken({ current: hash, next: makeUniqueHash(), minIntervalMs: 0 }, now + 400))
      yield* store.confirmToken(hash, now + 400)
      assert.deepStrictEqual(yield* readTokenState(hash, now + 400), { _tag: "Past", replacedMsAgo: 200 })
      yield* store.confirmToken(makeUniqueHash(), now)
    }))

  it.effect("offers one token at a time; the next offer replaces an unused one, which becomes past", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { hash } = yield* newSession()
      const [unusedText, second] = [makeUniqueHash(), makeUniqueHash()]
      const offers = yield* Effect.forEach(
        [unusedText, ...Array.from({ length: 6 }, makeUniqueHash)],
        (next) =>
          Effect.map(
            store.offerToken({ current: hash, next, minIntervalMs: 60 }, now),
            (hashCount) => hashCount ? [next] : []
          ),
        { concurrency: "unbounded" }
      )
      const [first] = offers.flat()
      assert.strictEqual(offers.flat().length, 1)
      assert.isFalse(yield* store.offerToken({ current: hash, next: second, minIntervalMs: 60 }, now + 59))
      assert.isTrue(yield* store.offerToken({ current: hash, next: second, minIntervalMs: 60 }, now + 60))
      assert.deepStrictEqual(yield* readTokenState(first!, now + 61), { _tag: "Past", replacedMsAgo: 1 })
      yield* store.confirmToken(first!, now + 61)
      assert.deepStrictEqual(yield* readTokenState(hash, now + 61), { _tag: "Current", ageMs: 61 })
      yield* store.confirmToken(second, now + 62)
      assert.deepStrictEqual(yield* readTokenState(second, now + 62), { _tag: "Current", ageMs: 0 })
    }))

  it.effect("offers and confirms no token for an ended session", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { account, hash, session } = yield* newSession()
      const next = makeUniqueHash()
      assert.isTrue(yield* store.offerToken({ current: hash, next, minIntervalMs: 0 }, now))
      yield* store.end({ account, id: session.id }, "signed_out", now + 1)
      yield* store.confirmToken(next, now + 1)
      assert.deepStrictEqual(yield* readTokenState(next, now + 1), { _tag: "Offered" })
      assert.isFalse(yield* store.offerToken({ current: hash, next: makeUniqueHash(), minIntervalMs: 0 }, now + 1))
      const idle = yield* newSession()
      assert.isFalse(
        yield* store.offerToken({ current: idle.hash, next: makeUniqueHash(), minIntervalMs: 0 }, now + 1_000)
      )
    }))
}

const testSessionEnds = (it: Tests): void => {
  it.effect("ends a session permanently, only by its own account, and keeps the first time and reason", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { account, hash, session } = yield* newSession()
      const other = yield* newAccount
      const sessionRef = { account, id: session.id }
      const unknown = new UnknownSession({ session: session.id })
      assert.deepStrictEqual(yield* Effect.flip(store.end({ account: other, id: session.id }, "revoked", now)), unknown)
      assert.deepStrictEqual(
        yield* Effect.flip(store.end({ account, id: unknownId }, "revoked", now)),
        new UnknownSession({ session: unknownId })
      )
      const endedSession = { ...session, ended: { at: now + 5, reason: "stolen" as const } }
      assert.deepStrictEqual(yield* store.end(sessionRef, "stolen", now + 5), endedSession)
      assert.deepStrictEqual(yield* store.end(sessionRef, "signed_out", now + 6), endedSession)
      assert.isAtMost((yield* readSession(hash, now + 5)).remainingMs, 0)
      // An expired session was not ended by an actor, so `ended` stays null.
      const idle = yield* newSession()
      const endAfterExpiry = yield* store.end({ account: idle.account, id: idle.session.id }, "revoked", now + 1_000)
      assert.isNull(endAfterExpiry.ended)
    }))

  it.effect("ends all live sessions of an account except one, and uses up its pending links", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const remaining = yield* newSession()
      const { account } = remaining
      const endedSession = yield* newSession({}, now, account)
      yield* newSession({ maxLifetimeMs: 1 }, now, account)
      const [foreignSession, link] = [yield* newSession(), makeUniqueHash()]
      yield* store.createLink({ account, hash: link, lifetimeMs: 500, now })
      assert.strictEqual(yield* store.endAll(account, remaining.session.id, now + 5), 1)
      assert.deepStrictEqual((yield* readSession(endedSession.hash, now + 5)).session.ended, {
        at: now + 5,
        reason: "revoked"
      })
      for (const { hash } of [remaining, foreignSession]) {
        assert.isNull((yield* readSession(hash, now + 5)).session.ended)
      }
      assert.deepStrictEqual(
        yield* Effect.flip(store.useLink(link, makeOpening(), now + 6)),
        new LinkRefused({ reason: "used" })
      )
      assert.strictEqual(yield* store.endAll(account, null, now + 7), 1)
      assert.isNotNull((yield* readSession(remaining.hash, now + 7)).session.ended)
    }))

  it.effect("deletes sessions and links only if they ended long ago", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const expiredSession = yield* newSession({ maxLifetimeMs: 100 })
      const { account } = expiredSession
      const recentSession = yield* newSession({ maxLifetimeMs: 101 }, now, account)
      const [old, waiting] = [makeUniqueHash(), makeUniqueHash()]
      yield* store.createLink({ account, hash: old, lifetimeMs: 100, now })
      yield* store.createLink({ account, hash: waiting, lifetimeMs: 5_000, now })
      let removedCount = 0
      for (let i = 0; i < 1_000; i++) {
        const removedNow = yield* store.prune(1_000, 2, now + 1_100)
        removedCount += removedNow
        if (removedNow === 0) break
      }
      assert.isAtLeast(removedCount, 2)
      assert.deepStrictEqual(yield* store.findByHashes([expiredSession.hash], now), [null])
      assert.deepStrictEqual(yield* store.sessions(account, firstPage), [recentSession.session])
      const getLinkError = (hash: string) => Effect.flip(store.useLink(hash, makeOpening(), now + 1_100))
      assert.deepStrictEqual(yield* getLinkError(old), new LinkRefused({ reason: "unknown" }))
      yield* store.useLink(waiting, makeOpening(), now + 1_100)
    }))
}

const testChanges = (it: Tests): void => {
  it.effect("publishes an account change when a session ends or changes its token", () =>
    Effect.gen(function*() {
      const [keys, store] = yield* Effect.all([KeyStore, SessionStore])
      const { account, hash, session } = yield* newSession({ idleMs: 1e12, maxLifetimeMs: 1e12 })
      /**
       * Runs an action and waits until the change stream publishes a change of the account. The action begins only
       * after the change stream has published its first element, `Everything`.
       */
      const awaitNextChange = (accountId: number, action: Effect.Effect<unknown, unknown, SessionStore | KeyStore>) =>
        Effect.gen(function*() {
          const ready = yield* Deferred.make<void>()
          const listener = yield* keys.changes.pipe(
            Stream.tap((overrides) =>
              overrides._tag === "Everything" ? Deferred.succeed(ready, undefined) : Effect.void
            ),
            Stream.filter((overrides) => overrides._tag === "Account" && overrides.account === accountId),
            Stream.take(1),
            Stream.runDrain,
            Effect.forkChild
          )
          yield* Deferred.await(ready)
          yield* action
          yield* Fiber.join(listener)
        })
      const text = makeUniqueHash()
      yield* store.offerToken({ current: hash, next: text, minIntervalMs: 0 }, now)
      yield* awaitNextChange(account, store.confirmToken(text, now))
      yield* awaitNextChange(account, store.end({ account, id: session.id }, "revoked", now))
      const replacedSession = yield* newSession({}, now, account)
      yield* awaitNextChange(account, newSession({ replacedHash: replacedSession.hash }))
      yield* newSession({ idleMs: 1e12, maxLifetimeMs: 1e12 }, now, account)
      yield* awaitNextChange(account, store.endAll(account, null, now))
    }))
}

/** Defines the contract tests of `SessionStore`. */
export const sessionStoreContract = <E>(
  name: string,
  layer: Layer.Layer<KeyStore | SessionStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(
    `SessionStore: ${name}`,
    (it) => {
      testLinks(it)
      testLookup(it)
      testTokenRenewal(it)
      testSessionEnds(it)
      testChanges(it)
      testSessionKeys(it)
    }
  )

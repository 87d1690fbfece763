import { assert, it } from "@effect/vitest"
import {
  InvalidSession,
  KeyStore,
  LinkRefused,
  Sessions,
  SessionSettings,
  SessionStore,
  StoreUnavailable
} from "@tapeline/core"
import { seededRandom } from "@tapeline/quant"
import { MemoryAdminStore, MemoryKeyStore, MemorySessionStore, MemoryState } from "@tapeline/testing"
import { Effect, Layer, Redacted, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"

const stores = Layer.mergeAll(MemoryAdminStore, MemoryKeyStore, MemorySessionStore).pipe(
  Layer.provideMerge(MemoryState.layer)
)
const service = Sessions.layer.pipe(Layer.provideMerge(stores))

/** Sessions whose background jobs run rarely, for tests that advance the clock by days. */
const layerWithHourlyUse = service.pipe(
  Layer.provide(Layer.succeed(SessionSettings, {
    ...SessionSettings.defaultValue(),
    lastUseInterval: "1 hour",
    pruneInterval: "10 days"
  }))
)

const newAccount = Effect.flatMap(
  KeyStore,
  (keys) => Effect.map(keys.createAccount({ name: "a trader", plan: "pro", now: null }), ({ id }) => id)
)

const arrival = { device: "Firefox" }

const signedIn = Effect.gen(function*() {
  const [account, sessions] = yield* Effect.all([newAccount, Sessions])
  const { token: link } = yield* sessions.createLink(account)
  const { session, token } = yield* sessions.useLink(Redacted.value(link), arrival)
  return { account, id: session.id, text: Redacted.value(token) }
})

const invalidSession = new InvalidSession()
const isRefused = (text: string | undefined) =>
  Effect.flatMap(Sessions, (sessions) => Effect.map(Effect.flip(sessions.authenticate(text)), (error) => error._tag))

/** Sessions whose reads of the store are counted, and whose store can become unavailable. */
const counting = (lookupCount: Ref.Ref<number>, isUnavailable: Ref.Ref<boolean>) =>
  Sessions.layer.pipe(
    Layer.provide(Layer.effect(KeyStore, Effect.map(KeyStore, (store) => ({ ...store, changes: Stream.never })))),
    Layer.provide(Layer.effect(
      SessionStore,
      Effect.map(SessionStore, (store) => ({
        ...store,
        findByHashes: Effect.fnUntraced(function*(hashes: ReadonlyArray<string>, now: number | null) {
          if (yield* Ref.get(isUnavailable)) {
            return yield* new StoreUnavailable({ store: "sessions", cause: new Error("away") })
          }
          yield* Ref.update(lookupCount, (n) => n + 1)
          return yield* store.findByHashes(hashes, now)
        })
      }))
    )),
    Layer.fresh
  )

it.effect("opens one session per link, with all scopes of the account", () =>
  Effect.gen(function*() {
    const [account, sessions] = yield* Effect.all([newAccount, Sessions])
    const { expiresAt, token: link } = yield* sessions.createLink(account)
    assert.strictEqual(expiresAt, 15 * 60_000)
    assert.match(Redacted.value(link), /^tl_link_[0-9A-Za-z]{38}$/)
    const { session, token } = yield* sessions.useLink(Redacted.value(link), {
      device: `Fire\u0000fox ${"x".repeat(190)}\u{1f4c8}\u{1f4c8}`
    })
    assert.isTrue(session.device.isWellFormed())
    assert.isAtMost(session.device.length, 200)
    const opened = yield* sessions.authenticate(Redacted.value(token))
    assert.strictEqual(opened.id, session.id)
    assert.deepStrictEqual(opened.principal.actor, { _tag: "Session", session: session.id })
    assert.strictEqual(opened.principal.account, account)
    assert.strictEqual(opened.principal.plan, "pro")
    assert.include(opened.principal.scopes, "write:personal")
    assert.deepStrictEqual(
      yield* Effect.flip(sessions.useLink(Redacted.value(link), arrival)),
      new LinkRefused({ reason: "used" })
    )
    for (const invalidToken of ["", "tl_link_", `${Redacted.value(link)}x`, Redacted.value(token)]) {
      assert.deepStrictEqual(
        yield* Effect.flip(sessions.useLink(invalidToken, arrival)),
        new LinkRefused({ reason: "unknown" })
      )
    }
  }).pipe(Effect.provide(service)))

it.effect("reads the store once for a recent token, never for a malformed one, and reports its outage", () =>
  Effect.gen(function*() {
    const [lookupCount, isUnavailable] = yield* Effect.all([Ref.make(0), Ref.make(false)])
    const { text } = yield* signedIn
    yield* Effect.gen(function*() {
      const sessions = yield* Sessions
      for (let i = 0; i < 20; i++) yield* sessions.authenticate(text)
      assert.strictEqual(yield* Ref.get(lookupCount), 1)
      for (const invalidToken of [undefined, "", text.slice(0, -1), `${text}x`, text.replace("sess", "live")]) {
        assert.deepStrictEqual(yield* Effect.flip(sessions.authenticate(invalidToken)), invalidSession)
      }
      assert.strictEqual(yield* Ref.get(lookupCount), 1)
      yield* Ref.set(isUnavailable, true)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual((yield* Effect.flip(sessions.authenticate(text)))._tag, "StoreUnavailable")
      yield* Ref.set(isUnavailable, false)
      yield* sessions.authenticate(text)
    }).pipe(Effect.provide(counting(lookupCount, isUnavailable)))
  }).pipe(Effect.provide(service)))

it.effect("rejects a session after idling, after its maximum lifetime, and once it is ended", () =>
  Effect.gen(function*() {
    const sessions = yield* Sessions
    const idle = yield* signedIn
    yield* TestClock.adjust("11 hours")
    yield* sessions.authenticate(idle.text)
    yield* TestClock.adjust("11 hours")
    yield* sessions.authenticate(idle.text)
    yield* TestClock.adjust("12 hours")
    assert.strictEqual(yield* isRefused(idle.text), "InvalidSession")
    const usedSession = yield* signedIn
    for (let hours = 0; hours < 29 * 24; hours += 8) {
      yield* TestClock.adjust("8 hours")
      yield* sessions.authenticate(usedSession.text)
    }
    yield* TestClock.adjust("24 hours")
    assert.strictEqual(yield* isRefused(usedSession.text), "InvalidSession")
    const [one, other] = [yield* signedIn, yield* signedIn]
    yield* sessions.authenticate(one.text)
    yield* sessions.end({ account: one.account, id: one.id }, "signed_out")
    assert.strictEqual(yield* isRefused(one.text), "InvalidSession")
    yield* sessions.authenticate(other.text)
    assert.strictEqual(yield* sessions.endAll(other.account, null), 1)
    assert.strictEqual(yield* isRefused(other.text), "InvalidSession")
  }).pipe(Effect.provide(layerWithHourlyUse)))

it.effect("ends the browser's earlier session on sign-in, which prevents session fixation", () =>
  Effect.gen(function*() {
    const sessions = yield* Sessions
    const plantedSession = yield* signedIn
    const account = yield* newAccount
    const { token: link } = yield* sessions.createLink(account)
    const { token } = yield* sessions.useLink(Redacted.value(link), {
      device: "Firefox",
      previousToken: plantedSession.text
    })
    assert.notStrictEqual(Redacted.value(token), plantedSession.text)
    assert.strictEqual(yield* isRefused(plantedSession.text), "InvalidSession")
    assert.strictEqual((yield* sessions.authenticate(Redacted.value(token))).principal.account, account)
  }).pipe(Effect.provide(service)))

it.effect("returns the time since the sign-in, with and without the cache, also after a renewal of the token", () =>
  Effect.gen(function*() {
    const sessions = yield* Sessions
    const { text } = yield* signedIn
    yield* TestClock.adjust("15 minutes")
    // The first request reads the session from the store, and the second request from the cache.
    assert.strictEqual((yield* sessions.authenticate(text)).ageMs, 900_000)
    yield* TestClock.adjust("1 second")
    assert.strictEqual((yield* sessions.authenticate(text)).ageMs, 901_000)
    const next = Redacted.value((yield* sessions.renew(text))!)
    assert.strictEqual((yield* sessions.authenticate(next)).ageMs, 901_000)
  }).pipe(Effect.provide(service)))

it.effect("renews a stale token; use of the old token after a minute ends the session as stolen", () =>
  Effect.gen(function*() {
    const sessions = yield* Sessions
    const { account, id, text } = yield* signedIn
    assert.isFalse((yield* sessions.authenticate(text)).isStale)
    yield* TestClock.adjust("15 minutes")
    assert.isTrue((yield* sessions.authenticate(text)).isStale)
    const next = Redacted.value((yield* sessions.renew(text))!)
    assert.isNull(yield* sessions.renew(text))
    yield* sessions.authenticate(text)
    assert.isFalse((yield* sessions.authenticate(next)).isStale)
    yield* TestClock.adjust("59 seconds")
    const before = yield* sessions.authenticate(text)
    assert.deepStrictEqual([before.id, before.isStale], [id, false])
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* isRefused(text), "InvalidSession")
    assert.strictEqual(yield* isRefused(next), "InvalidSession")
    const [session] = yield* sessions.sessions(account, { after: 0, limit: 10 })
    assert.strictEqual(session?.ended?.reason, "stolen")
  }).pipe(Effect.provide(service)))

it.effect("checks by a replaced token whether a session is active, without counting as use or theft", () =>
  Effect.gen(function*() {
    const sessions = yield* Sessions
    const { account, id, text } = yield* signedIn
    yield* TestClock.adjust("16 minutes")
    const next = Redacted.value((yield* sessions.renew(text))!)
    yield* sessions.authenticate(next)
    yield* TestClock.adjust("2 minutes")
    assert.isTrue(yield* sessions.isActive(text))
    yield* sessions.authenticate(next)
    yield* TestClock.adjust("11 hours")
    assert.isTrue(yield* sessions.isActive(text))
    yield* TestClock.adjust("1 hour")
    assert.isFalse(yield* sessions.isActive(text), "idle for 12 hours")
    const other = yield* signedIn
    yield* sessions.end({ account: other.account, id: other.id }, "revoked")
    assert.isFalse(yield* sessions.isActive(other.text))
    assert.isFalse(yield* sessions.isActive("tl_sess_"))
    const [session] = yield* sessions.sessions(account, { after: id - 1, limit: 1 })
    assert.isNull(session!.ended)
  }).pipe(Effect.provide(layerWithHourlyUse)))

/** Simulates a browser that sends requests from time to time. Some responses with a new token are lost. */
const browsing = Effect.fnUntraced(function*(seed: number) {
  const sessions = yield* Sessions
  const random = seededRandom(seed)
  const { text } = yield* signedIn
  const jar = { text, lostCount: 0, renewed: 0 }
  for (let i = 0; i < 120; i++) {
    yield* TestClock.adjust(`${Math.ceil(random() * 40 * 60_000)} millis`)
    for (let crossing = 0; crossing < 1 + Math.floor(random() * 3); crossing++) {
      const { isStale } = yield* sessions.authenticate(jar.text)
      const next = isStale ? yield* sessions.renew(jar.text) : null
      if (next === null) continue
      if (random() < 0.4) jar.lostCount++
      else {
        jar.text = Redacted.value(next)
        jar.renewed++
      }
    }
  }
  return jar
})

it.effect("keeps a browser signed in when responses with renewed tokens are lost", () =>
  Effect.gen(function*() {
    for (let seed = 1; seed <= 12; seed++) {
      const { lostCount, renewed } = yield* browsing(seed)
      assert.isAbove(lostCount, 0, `seed ${seed}`)
      assert.isAbove(renewed, 0, `seed ${seed}`)
    }
  }).pipe(Effect.provide(layerWithHourlyUse)))

it.effect("ends a session soon after two holders share its token, whichever of them renews first", () =>
  Effect.gen(function*() {
    const sessions = yield* Sessions
    for (let seed = 1; seed <= 30; seed++) {
      const random = seededRandom(seed)
      const { text } = yield* signedIn
      const holders = [{ text, ended: false }, { text, ended: false }]
      for (let i = 0; i < 40 && holders.some(({ ended: isEnded }) => !isEnded); i++) {
        yield* TestClock.adjust(`${Math.ceil(random() * 20 * 60_000)} millis`)
        const holder = holders[random() < 0.5 ? 0 : 1]!
        const opened = yield* Effect.result(sessions.authenticate(holder.text))
        if (opened._tag === "Failure") holder.ended = true
        else if (opened.success.isStale) {
          const next = yield* sessions.renew(holder.text)
          if (next !== null) holder.text = Redacted.value(next)
        }
      }
      assert.deepStrictEqual(holders.map(({ ended: isEnded }) => isEnded), [true, true], `seed ${seed}`)
    }
  }).pipe(Effect.provide(service)))

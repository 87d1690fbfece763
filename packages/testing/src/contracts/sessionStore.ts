import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import {
  KeyStore,
  LinkRefused,
  type Opening,
  SessionStore,
  type TextState,
  UnknownAccount,
  UnknownSession
} from "@tapeline/core/engine"
import { Deferred, Effect, Fiber, type Layer, Stream } from "effect"
import { changingKeys } from "./sessionKeys.ts"

const run = Date.now().toString(16)
let made = 0
/** A hash that no other test uses, in this run or an earlier one. */
const freshHash = (): string => `5${(++made).toString(16).padStart(8, "0")}${run}`.padEnd(64, "0")

const now = Date.UTC(2026, 10, 20)
const all = { after: 0, limit: 1_000 }
const nobody = 999_999_999

const newAccount = Effect.flatMap(
  KeyStore,
  (keys) => Effect.map(keys.createAccount({ name: "contract", plan: "pro", now }), ({ id }) => id)
)

const opening = (change: Partial<Opening> = {}): Opening => ({
  hash: freshHash(),
  device: "Firefox",
  idleMs: 1_000,
  lifeMs: 10_000,
  replaces: null,
  ...change
})

/** Opens a session, by default of a new account, and returns it with the hash of its text. */
const newSession = (change: Partial<Opening> = {}, at: number | null = now, of?: number) =>
  Effect.gen(function*() {
    const store = yield* SessionStore
    const account = of ?? (yield* newAccount)
    const opens = opening(change)
    return { account, hash: opens.hash, session: yield* store.open(account, "openid", opens, at) }
  })

const found = (hash: string, at: number | null) =>
  Effect.gen(function*() {
    const [one] = yield* (yield* SessionStore).findByHashes([hash], at)
    assert.isNotNull(one)
    return one!
  })

const textOf = (hash: string, at: number) => Effect.map(found(hash, at), ({ text }): TextState => text)

/** Tests over the adapter's layer. */
type Tests = Vitest.MethodsNonLive<KeyStore | SessionStore>

const usingLinks = (it: Tests): void => {
  it.effect("lets in once by a link, however many show it at once", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const account = yield* newAccount
      const hash = freshHash()
      assert.deepStrictEqual(yield* store.createLink({ account, hash, lifeMs: 500, now }), { expiresAt: now + 500 })
      const results = yield* Effect.forEach(
        Array.from({ length: 8 }, () => opening()),
        (opens) =>
          Effect.match(store.useLink(hash, opens, now + 499), {
            onFailure: (error) => error._tag === "LinkRefused" ? error.reason : error._tag,
            onSuccess: (session) => session
          }),
        { concurrency: "unbounded" }
      )
      const letIn = results.filter((result) => typeof result !== "string")
      assert.strictEqual(letIn.length, 1)
      assert.strictEqual(results.filter((result) => result === "used").length, 7)
      assert.deepStrictEqual(letIn[0], {
        id: letIn[0]!.id,
        account,
        by: "link",
        device: "Firefox",
        createdAt: now + 499,
        lastUsedAt: now + 499,
        endsAt: now + 10_499,
        idleMs: 1_000,
        ended: null
      })
      assert.deepStrictEqual(yield* store.sessions(account, all), letIn)
    }))

  it.effect("tells a link that is late, used or nobody's apart, and opens nothing by it", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const account = yield* newAccount
      const [late, used, other] = [freshHash(), freshHash(), freshHash()]
      for (const hash of [late, used, other]) yield* store.createLink({ account, hash, lifeMs: 500, now })
      const refusal = (hash: string, at: number) => Effect.flip(store.useLink(hash, opening(), at))
      assert.deepStrictEqual(yield* refusal(late, now + 500), new LinkRefused({ reason: "expired" }))
      yield* store.useLink(used, opening(), now)
      assert.deepStrictEqual(yield* refusal(used, now + 500), new LinkRefused({ reason: "used" }))
      assert.deepStrictEqual(yield* refusal(freshHash(), now), new LinkRefused({ reason: "unknown" }))
      assert.strictEqual((yield* store.sessions(account, all)).length, 1)
      // Using one link does not use up another link.
      yield* store.useLink(other, opening(), now + 1)
      assert.deepStrictEqual(
        yield* Effect.flip(store.createLink({ account: nobody, hash: freshHash(), lifeMs: 1, now })),
        new UnknownAccount({ account: nobody })
      )
    }))

  it.effect("ends the session that the browser held, whoever's it was, when another one opens", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const before = yield* newSession()
      const beside = yield* newSession({}, now, before.account)
      const { session } = yield* newSession({ replaces: before.hash }, now + 10)
      assert.notStrictEqual(session.account, before.account)
      assert.deepStrictEqual((yield* found(before.hash, now + 10)).session.ended, { at: now + 10, how: "replaced" })
      assert.isAtMost((yield* found(before.hash, now + 10)).lifeMs, 0)
      assert.isNull((yield* found(beside.hash, now + 10)).session.ended)
      // A text without a session ends no session.
      yield* newSession({ replaces: freshHash() }, now + 10, before.account)
      assert.strictEqual((yield* store.sessions(before.account, all)).filter(({ ended }) => ended === null).length, 2)
      assert.deepStrictEqual(yield* Effect.flip(newSession({}, now, nobody)), new UnknownAccount({ account: nobody }))
    }))
}

const finding = (it: Tests): void => {
  it.effect("finds sessions by their texts, with their accounts and how long they live", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const idle = yield* newSession()
      const old = yield* newSession({ lifeMs: 700 }, now, idle.account)
      const hashes = [freshHash(), old.hash, idle.hash, old.hash]
      const told = yield* store.findByHashes(hashes, now + 600)
      assert.deepStrictEqual(told.map((one) => one?.session.id), [
        undefined,
        old.session.id,
        idle.session.id,
        old.session.id
      ])
      assert.deepStrictEqual(told.map((one) => one?.lifeMs), [undefined, 100, 400, 100])
      assert.deepStrictEqual(told[2], {
        session: idle.session,
        account: { id: idle.account, name: "contract", plan: "pro", createdAt: now },
        lifeMs: 400,
        text: { _tag: "Current", ageMs: 600 }
      })
      assert.deepStrictEqual(yield* store.findByHashes([], now), [])
      assert.deepStrictEqual(yield* store.sessions(idle.account, all), [idle.session, old.session])
      assert.deepStrictEqual(yield* store.sessions(idle.account, { after: 0, limit: 1 }), [idle.session])
      assert.deepStrictEqual(yield* store.sessions(idle.account, { after: idle.session.id, limit: 9 }), [old.session])
      assert.deepStrictEqual(yield* Effect.flip(store.sessions(nobody, all)), new UnknownAccount({ account: nobody }))
    }))

  it.effect("lives on from its last use, never backwards, and no longer than its life", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { account, hash, session } = yield* newSession({ lifeMs: 1_500 })
      yield* store.touch(new Map([[session.id, 100], [nobody, 0]]), now + 900)
      yield* store.touch(new Map([[session.id, 200]]), now + 900)
      yield* store.touch(new Map(), now)
      const [used] = yield* store.sessions(account, all)
      assert.strictEqual(used?.lastUsedAt, now + 800)
      assert.strictEqual((yield* found(hash, now + 900)).lifeMs, 600)
      assert.strictEqual((yield* found(hash, now + 1_500)).lifeMs, 0)
    }))

  it.effect("goes by its own clock where it is told no time", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { account, hash, session } = yield* newSession({ idleMs: 1e9, lifeMs: 2e9 }, null)
      const one = yield* found(hash, null)
      assert.isAtMost(one.lifeMs, 1e9)
      assert.isAbove(one.lifeMs, 1e9 - 60_000)
      yield* store.touch(new Map([[session.id, 0]]), null)
      const link = freshHash()
      const { expiresAt } = yield* store.createLink({ account, hash: link, lifeMs: 1e9, now: null })
      assert.isAtLeast(expiresAt, session.createdAt + 1e9)
      const next = freshHash()
      assert.isTrue(yield* store.offer({ current: hash, next, everyMs: 0 }, null))
      yield* store.confirm(next, null)
      const ended = yield* store.end({ account, id: session.id }, "signed_out", null)
      assert.isAtLeast(ended.ended!.at, ended.lastUsedAt)
      assert.isAtLeast(ended.lastUsedAt, session.createdAt)
    }))
}

const renewing = (it: Tests): void => {
  it.effect("an offered text takes the current one's place when it is shown, and not before", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { hash, session } = yield* newSession()
      const next = freshHash()
      assert.isTrue(yield* store.offer({ current: hash, next, everyMs: 60 }, now + 100))
      assert.deepStrictEqual(yield* textOf(hash, now + 150), { _tag: "Current", ageMs: 150 })
      assert.deepStrictEqual(yield* textOf(next, now + 150), { _tag: "Offered" })
      assert.strictEqual((yield* found(next, now + 150)).session.id, session.id)
      yield* store.confirm(next, now + 200)
      yield* store.confirm(next, now + 300)
      assert.deepStrictEqual(yield* textOf(hash, now + 400), { _tag: "Past", agoMs: 200 })
      assert.deepStrictEqual(yield* textOf(next, now + 400), { _tag: "Current", ageMs: 200 })
      // A past text gets no new offer and cannot be confirmed again.
      assert.isFalse(yield* store.offer({ current: hash, next: freshHash(), everyMs: 0 }, now + 400))
      yield* store.confirm(hash, now + 400)
      assert.deepStrictEqual(yield* textOf(hash, now + 400), { _tag: "Past", agoMs: 200 })
      yield* store.confirm(freshHash(), now)
    }))

  it.effect("offers one at a time; one that nobody showed gives way to the next, and is known as past", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { hash } = yield* newSession()
      const [lost, second] = [freshHash(), freshHash()]
      const offers = yield* Effect.forEach(
        [lost, ...Array.from({ length: 6 }, freshHash)],
        (next) => Effect.map(store.offer({ current: hash, next, everyMs: 60 }, now), (made) => made ? [next] : []),
        { concurrency: "unbounded" }
      )
      const [first] = offers.flat()
      assert.strictEqual(offers.flat().length, 1)
      assert.isFalse(yield* store.offer({ current: hash, next: second, everyMs: 60 }, now + 59))
      assert.isTrue(yield* store.offer({ current: hash, next: second, everyMs: 60 }, now + 60))
      assert.deepStrictEqual(yield* textOf(first!, now + 61), { _tag: "Past", agoMs: 1 })
      yield* store.confirm(first!, now + 61)
      assert.deepStrictEqual(yield* textOf(hash, now + 61), { _tag: "Current", ageMs: 61 })
      yield* store.confirm(second, now + 62)
      assert.deepStrictEqual(yield* textOf(second, now + 62), { _tag: "Current", ageMs: 0 })
    }))

  it.effect("a session that is over is offered nothing, and confirms nothing", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { account, hash, session } = yield* newSession()
      const next = freshHash()
      assert.isTrue(yield* store.offer({ current: hash, next, everyMs: 0 }, now))
      yield* store.end({ account, id: session.id }, "signed_out", now + 1)
      yield* store.confirm(next, now + 1)
      assert.deepStrictEqual(yield* textOf(next, now + 1), { _tag: "Offered" })
      assert.isFalse(yield* store.offer({ current: hash, next: freshHash(), everyMs: 0 }, now + 1))
      const idle = yield* newSession()
      assert.isFalse(yield* store.offer({ current: idle.hash, next: freshHash(), everyMs: 0 }, now + 1_000))
    }))
}

const ending = (it: Tests): void => {
  it.effect("ends a session of its own account for good, and keeps the first time and reason", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const { account, hash, session } = yield* newSession()
      const other = yield* newAccount
      const mine = { account, id: session.id }
      const unknown = new UnknownSession({ session: session.id })
      assert.deepStrictEqual(yield* Effect.flip(store.end({ account: other, id: session.id }, "revoked", now)), unknown)
      assert.deepStrictEqual(
        yield* Effect.flip(store.end({ account, id: nobody }, "revoked", now)),
        new UnknownSession({ session: nobody })
      )
      const ended = { ...session, ended: { at: now + 5, how: "stolen" as const } }
      assert.deepStrictEqual(yield* store.end(mine, "stolen", now + 5), ended)
      assert.deepStrictEqual(yield* store.end(mine, "signed_out", now + 6), ended)
      assert.isAtMost((yield* found(hash, now + 5)).lifeMs, 0)
      // An expired session was not ended by an actor, so `ended` stays null.
      const idle = yield* newSession()
      const late = yield* store.end({ account: idle.account, id: idle.session.id }, "revoked", now + 1_000)
      assert.isNull(late.ended)
    }))

  it.effect("ends all of an account's that live but one, and uses up the links that wait", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const kept = yield* newSession()
      const { account } = kept
      const gone = yield* newSession({}, now, account)
      yield* newSession({ lifeMs: 1 }, now, account)
      const [stranger, link] = [yield* newSession(), freshHash()]
      yield* store.createLink({ account, hash: link, lifeMs: 500, now })
      assert.strictEqual(yield* store.endAll(account, kept.session.id, now + 5), 1)
      assert.deepStrictEqual((yield* found(gone.hash, now + 5)).session.ended, { at: now + 5, how: "revoked" })
      for (const { hash } of [kept, stranger]) assert.isNull((yield* found(hash, now + 5)).session.ended)
      assert.deepStrictEqual(
        yield* Effect.flip(store.useLink(link, opening(), now + 6)),
        new LinkRefused({ reason: "used" })
      )
      assert.strictEqual(yield* store.endAll(account, null, now + 7), 1)
      assert.isNotNull((yield* found(kept.hash, now + 7)).session.ended)
    }))

  it.effect("forgets what has been over for long, and nothing else", () =>
    Effect.gen(function*() {
      const store = yield* SessionStore
      const over = yield* newSession({ lifeMs: 100 })
      const { account } = over
      const lately = yield* newSession({ lifeMs: 101 }, now, account)
      const [old, waiting] = [freshHash(), freshHash()]
      yield* store.createLink({ account, hash: old, lifeMs: 100, now })
      yield* store.createLink({ account, hash: waiting, lifeMs: 5_000, now })
      let dropped = 0
      for (let i = 0; i < 1_000; i++) {
        const some = yield* store.prune(1_000, 2, now + 1_100)
        dropped += some
        if (some === 0) break
      }
      assert.isAtLeast(dropped, 2)
      assert.deepStrictEqual(yield* store.findByHashes([over.hash], now), [null])
      assert.deepStrictEqual(yield* store.sessions(account, all), [lately.session])
      const refusal = (hash: string) => Effect.flip(store.useLink(hash, opening(), now + 1_100))
      assert.deepStrictEqual(yield* refusal(old), new LinkRefused({ reason: "unknown" }))
      yield* store.useLink(waiting, opening(), now + 1_100)
    }))
}

const tellingChanges = (it: Tests): void => {
  it.effect("tells of an account whose session ends or opens by another text, by the changes of keys", () =>
    Effect.gen(function*() {
      const [keys, store] = yield* Effect.all([KeyStore, SessionStore])
      const { account, hash, session } = yield* newSession({ idleMs: 1e12, lifeMs: 1e12 })
      /** Waits for the next change of an account, after it has received `Everything`. */
      const next = (of: number, act: Effect.Effect<unknown, unknown, SessionStore | KeyStore>) =>
        Effect.gen(function*() {
          const ready = yield* Deferred.make<void>()
          const listener = yield* keys.changes.pipe(
            Stream.tap((change) => change._tag === "Everything" ? Deferred.succeed(ready, undefined) : Effect.void),
            Stream.filter((change) => change._tag === "Account" && change.account === of),
            Stream.take(1),
            Stream.runDrain,
            Effect.forkChild
          )
          yield* Deferred.await(ready)
          yield* act
          yield* Fiber.join(listener)
        })
      const text = freshHash()
      yield* store.offer({ current: hash, next: text, everyMs: 0 }, now)
      yield* next(account, store.confirm(text, now))
      yield* next(account, store.end({ account, id: session.id }, "revoked", now))
      const held = yield* newSession({}, now, account)
      yield* next(account, newSession({ replaces: held.hash }))
      yield* newSession({ idleMs: 1e12, lifeMs: 1e12 }, now, account)
      yield* next(account, store.endAll(account, null, now))
    }))
}

/** The contract tests of `SessionStore`. The layer is built once, and every test has its own accounts. */
export const sessionStoreContract = <E>(
  name: string,
  layer: Layer.Layer<KeyStore | SessionStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(
    `SessionStore: ${name}`,
    (it) => {
      usingLinks(it)
      finding(it)
      renewing(it)
      ending(it)
      tellingChanges(it)
      changingKeys(it)
    }
  )

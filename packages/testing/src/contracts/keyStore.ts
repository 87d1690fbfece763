import { assert, layer as withLayer } from "@effect/vitest"
import { KeyLimit, KeyStore, UnknownAccount, UnknownKey } from "@tapeline/core/access"
import { LedgerStore } from "@tapeline/core/credits"
import { Deferred, Effect, Fiber, type Layer, Stream } from "effect"

const run = Date.now().toString(16)
let made = 0
/** A hash that no other test uses, in this run or an earlier one. */
const freshHash = (): string => `${(++made).toString(16).padStart(8, "0")}${run}`.padEnd(64, "0")

const now = Date.UTC(2026, 10, 20)

const newAccount = Effect.flatMap(KeyStore, (keys) => keys.createAccount({ name: "contract", plan: "pro", now }))

const newKey = (
  account: number,
  change: { readonly limit?: number; readonly expiresAt?: number | null; readonly now?: number } = {}
) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const hash = freshHash()
    const key = yield* keys.createKey({
      account,
      name: "a key",
      prefix: "tl_live_abcd",
      hash,
      scopes: ["read:market", "agent:chat"],
      expiresAt: null,
      limit: 10,
      now,
      ...change
    })
    return { hash, key }
  })

/** What every `KeyStore` promises, as tests. The layer is built once; every test has accounts of its own. */
export const keyStoreContract = <E>(
  name: string,
  layer: Layer.Layer<KeyStore | LedgerStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(`KeyStore: ${name}`, (it) => {
    it.effect("makes accounts with ascending ids, and lists them oldest first", () =>
      Effect.gen(function*() {
        const keys = yield* KeyStore
        const first = yield* keys.createAccount({ name: "twin", plan: "free", now })
        const second = yield* keys.createAccount({ name: "twin", plan: "lite", now: now + 1 })
        assert.isAbove(second.id, first.id)
        assert.deepStrictEqual(yield* keys.account(second.id), {
          id: second.id,
          name: "twin",
          plan: "lite",
          createdAt: now + 1
        })
        assert.deepStrictEqual((yield* keys.accounts).slice(-2), [first, second])
        assert.deepStrictEqual(
          yield* Effect.flip(keys.account(999_999_999)),
          new UnknownAccount({ account: 999_999_999 })
        )
      }))

    it.effect("finds a key by its hash, with its account", () =>
      Effect.gen(function*() {
        const keys = yield* KeyStore
        const account = yield* newAccount
        const { hash, key } = yield* newKey(account.id, { expiresAt: now + 5 })
        assert.deepStrictEqual(key, {
          id: key.id,
          account: account.id,
          name: "a key",
          prefix: "tl_live_abcd",
          scopes: ["read:market", "agent:chat"],
          createdAt: now,
          expiresAt: now + 5,
          revokedAt: null,
          lastUsedAt: null
        })
        assert.deepStrictEqual(yield* keys.findByHash(hash), { key, account })
        assert.strictEqual(yield* keys.findByHash(freshHash()), null)
        assert.deepStrictEqual(yield* keys.keys(account.id), [key])
        assert.deepStrictEqual(yield* Effect.flip(keys.keys(999_999_999)), new UnknownAccount({ account: 999_999_999 }))
        assert.deepStrictEqual(yield* Effect.flip(newKey(999_999_999)), new UnknownAccount({ account: 999_999_999 }))
      }))

    it.effect("holds the limit of live keys under a race; revoked and expired ones do not count", () =>
      Effect.gen(function*() {
        const keys = yield* KeyStore
        const { id } = yield* newAccount
        const { key: expiring } = yield* newKey(id, { expiresAt: now + 10 })
        const { key: revoked } = yield* newKey(id)
        yield* keys.revokeKey(revoked.id, now)
        const later = { limit: 3, now: now + 10 }
        const results = yield* Effect.forEach(
          Array.from({ length: 12 }),
          () => Effect.match(newKey(id, later), { onFailure: (error) => error._tag, onSuccess: () => "made" }),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(results.filter((result) => result === "made").length, 3)
        assert.strictEqual(results.filter((result) => result === "KeyLimit").length, 9)
        assert.deepStrictEqual(yield* Effect.flip(newKey(id, later)), new KeyLimit({ limit: 3 }))
        const listed = yield* keys.keys(id)
        assert.strictEqual(listed.length, 5)
        assert.deepStrictEqual(listed.map((key) => key.id), listed.map((key) => key.id).toSorted((a, b) => a - b))
        assert.strictEqual(listed[0]?.id, expiring.id)
      }))

    it.effect("changes what is given and leaves the rest", () =>
      Effect.gen(function*() {
        const keys = yield* KeyStore
        const { id } = yield* newAccount
        const { key } = yield* newKey(id, { expiresAt: now + 5 })
        assert.deepStrictEqual(yield* keys.updateKey(key.id, {}), key)
        assert.deepStrictEqual(yield* keys.updateKey(key.id, { scopes: ["read:us"] }), { ...key, scopes: ["read:us"] })
        assert.deepStrictEqual(yield* keys.updateKey(key.id, { expiresAt: null }), {
          ...key,
          scopes: ["read:us"],
          expiresAt: null
        })
        const other = yield* keys.updateKey(key.id, { expiresAt: now + 9, scopes: [] })
        assert.deepStrictEqual(other, { ...key, scopes: [], expiresAt: now + 9 })
        assert.deepStrictEqual(
          yield* Effect.flip(keys.updateKey(999_999_999, {})),
          new UnknownKey({ key: 999_999_999 })
        )
        const unknown = yield* Effect.flip(keys.updateKey(999_999_999, { expiresAt: null }))
        assert.deepStrictEqual(unknown, new UnknownKey({ key: 999_999_999 }))
      }))

    it.effect("revokes for good, and keeps the first time", () =>
      Effect.gen(function*() {
        const keys = yield* KeyStore
        const { id } = yield* newAccount
        const { hash, key } = yield* newKey(id)
        assert.strictEqual((yield* keys.revokeKey(key.id, now + 1)).revokedAt, now + 1)
        assert.strictEqual((yield* keys.revokeKey(key.id, now + 2)).revokedAt, now + 1)
        assert.strictEqual((yield* keys.updateKey(key.id, { scopes: ["read:us"] })).revokedAt, now + 1)
        assert.strictEqual((yield* keys.findByHash(hash))?.key.revokedAt, now + 1)
        assert.deepStrictEqual(
          yield* Effect.flip(keys.revokeKey(999_999_999, now)),
          new UnknownKey({ key: 999_999_999 })
        )
      }))

    it.effect("notes uses, never backwards, and passes over ids that are not there", () =>
      Effect.gen(function*() {
        const keys = yield* KeyStore
        const { id } = yield* newAccount
        const [{ key: a }, { key: b }] = [yield* newKey(id), yield* newKey(id)]
        yield* keys.touchKeys(new Map([[a.id, now + 5], [999_999_999, now], [b.id, now + 6]]))
        yield* keys.touchKeys(new Map([[a.id, now + 4]]))
        yield* keys.touchKeys(new Map())
        assert.deepStrictEqual((yield* keys.keys(id)).map((key) => key.lastUsedAt), [now + 5, now + 6])
      }))

    it.effect("tells of changes to keys and plans, after Everything", () =>
      Effect.gen(function*() {
        const keys = yield* KeyStore
        const ledger = yield* LedgerStore
        const { id } = yield* newAccount
        const { key } = yield* newKey(id)
        /** Waits for one more word of this account, having seen `Everything` first. */
        const next = (act: Effect.Effect<unknown, unknown>) =>
          Effect.gen(function*() {
            const ready = yield* Deferred.make<void>()
            const listener = yield* keys.changes.pipe(
              Stream.tap((change) => change._tag === "Everything" ? Deferred.succeed(ready, undefined) : Effect.void),
              Stream.filter((change) => change._tag === "Account" && change.account === id),
              Stream.take(1),
              Stream.runDrain,
              Effect.forkChild
            )
            yield* Deferred.await(ready)
            yield* act
            yield* Fiber.join(listener)
          })
        yield* next(keys.updateKey(key.id, { scopes: ["read:us"] }))
        yield* next(keys.updateKey(key.id, { expiresAt: now + 1 }))
        yield* next(keys.revokeKey(key.id, now))
        yield* next(ledger.changePlan(id, "free", "2026-11"))
        assert.strictEqual((yield* keys.account(id)).plan, "free")
      }))
  })

import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import {
  ExpiryPassed,
  KeyLimit,
  KeyStore,
  LedgerStore,
  newAccountFields,
  noKeyLimits,
  UnknownAccount,
  UnknownKey
} from "@tapeline/core/engine"
import { Deferred, Effect, Fiber, type Layer, Stream } from "effect"

import { testKeyLimitFields, testKeyRotation } from "./keyRotation.ts"

const runId = Date.now().toString(16)
let hashCount = 0
/** Returns a hash that no other test uses in the current run or an earlier run. */
const makeUniqueHash = (): string => `${(++hashCount).toString(16).padStart(8, "0")}${runId}`.padEnd(64, "0")

const now = Date.UTC(2026, 10, 20)
const firstPage = { after: 0, limit: 1_000 }

const newAccount = Effect.flatMap(KeyStore, (keys) => keys.createAccount({ name: "contract", plan: "pro", now }))

const newKey = (
  account: number,
  overrides: { readonly limit?: number; readonly expiresAt?: number | null; readonly now?: number | null } = {}
) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const hash = makeUniqueHash()
    const key = yield* keys.createKey({
      account,
      name: "a key",
      prefix: "tl_live_abcd",
      hash,
      scopes: ["read:market", "agent:chat"],
      expiresAt: null,
      limit: 10,
      now,
      ...overrides
    })
    return { hash, key }
  })

type Tests = Vitest.MethodsNonLive<KeyStore | LedgerStore>

const testAccountsAndKeys = (it: Tests): void => {
  it.effect("creates accounts with ascending ids, and lists them oldest first", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const first = yield* keys.createAccount({ name: "twin", plan: "free", now })
      const second = yield* keys.createAccount({ name: "twin", plan: "lite", now: now + 1 })
      assert.isAbove(second.id, first.id)
      assert.deepStrictEqual(yield* keys.account(second.id), {
        id: second.id,
        name: "twin",
        plan: "lite",
        createdAt: now + 1,
        ...newAccountFields
      })
      assert.deepStrictEqual(yield* keys.accounts({ after: first.id - 1, limit: 1 }), [first])
      assert.deepStrictEqual(yield* keys.accounts({ after: first.id, limit: 100 }), [second])
      assert.deepStrictEqual(yield* keys.accounts({ after: second.id, limit: 100 }), [])
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
        lastUsedAt: null,
        ...noKeyLimits,
        firstKey: key.id
      })
      const { hash: secondHash, key: second } = yield* newKey(account.id)
      const hashes = [makeUniqueHash(), secondHash, hash, makeUniqueHash(), secondHash]
      const records = yield* keys.findByHashes(hashes)
      assert.deepStrictEqual(
        records.map((one) => one === null ? null : { key: one.key, account: one.account }),
        [null, { key: second, account }, { key, account }, null, { key: second, account }]
      )
      assert.isNull(records[1]!.remainingMs)
      assert.deepStrictEqual(yield* keys.findByHashes([]), [])
      assert.deepStrictEqual(yield* keys.key(key.id), key)
      assert.deepStrictEqual(yield* Effect.flip(keys.key(999_999_999)), new UnknownKey({ key: 999_999_999 }))
      assert.deepStrictEqual(yield* keys.lockKey(key.id), key)
      assert.deepStrictEqual(yield* Effect.flip(keys.lockKey(999_999_999)), new UnknownKey({ key: 999_999_999 }))
      assert.deepStrictEqual(yield* keys.keys(account.id, firstPage), [key, second])
      assert.deepStrictEqual(yield* keys.keys(account.id, { after: 0, limit: 1 }), [key])
      assert.deepStrictEqual(yield* keys.keys(account.id, { after: key.id, limit: 5 }), [second])
      assert.deepStrictEqual(
        yield* Effect.flip(keys.keys(999_999_999, firstPage)),
        new UnknownAccount({ account: 999_999_999 })
      )
      assert.deepStrictEqual(yield* Effect.flip(newKey(999_999_999)), new UnknownAccount({ account: 999_999_999 }))
    }))
}

const testKeyLimit = (it: Tests): void => {
  it.effect("enforces the limit of live keys under concurrency, without revoked and expired keys", () =>
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
      const listed = yield* keys.keys(id, firstPage)
      assert.strictEqual(listed.length, 5)
      assert.deepStrictEqual(listed.map((key) => key.id), listed.map((key) => key.id).toSorted((a, b) => a - b))
      assert.strictEqual(listed[0]?.id, expiring.id)
    }))

  it.effect("changes the given fields and keeps the others", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id } = yield* newAccount
      const { key } = yield* newKey(id, { expiresAt: now + 5 })
      assert.deepStrictEqual(yield* keys.updateKey(key.id, {}), key)
      assert.deepStrictEqual(yield* keys.updateKey(key.id, { scopes: ["read:us"] }), { ...key, scopes: ["read:us"] })
      const expiry = (at: number | null) => ({ expiry: { at, limit: 10, now } })
      assert.deepStrictEqual(yield* keys.updateKey(key.id, expiry(null)), {
        ...key,
        scopes: ["read:us"],
        expiresAt: null
      })
      const other = yield* keys.updateKey(key.id, { ...expiry(now + 9), scopes: [] })
      assert.deepStrictEqual(other, { ...key, scopes: [], expiresAt: now + 9 })
      assert.deepStrictEqual(
        yield* Effect.flip(keys.updateKey(999_999_999, {})),
        new UnknownKey({ key: 999_999_999 })
      )
      const unknown = yield* Effect.flip(keys.updateKey(999_999_999, expiry(null)))
      assert.deepStrictEqual(unknown, new UnknownKey({ key: 999_999_999 }))
    }))
}

const testExpiryChanges = (it: Tests): void => {
  it.effect("counts an expired key that a new expiry revives towards the limit, but no live or revoked key", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id } = yield* newAccount
      const later = now + 10
      const expired = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () => Effect.map(newKey(id, { expiresAt: now + 5 }), ({ key }) => key)
      )
      const extendKey = (key: number, at: number | null = null) =>
        keys.updateKey(key, { expiry: { at, limit: 3, now: later } })
      const { key: liveKey } = yield* newKey(id, { now: later, expiresAt: later + 5 })
      // In addition to the live key, two of the following changes and new keys fit within the limit, in any order.
      const attempt = <E extends { readonly _tag: string }, R>(change: Effect.Effect<unknown, E, R>) =>
        Effect.match(change, { onFailure: (error): string => error._tag, onSuccess: () => "alive" })
      const results = yield* Effect.all(
        expired.flatMap(({ id: key }) => [
          attempt(extendKey(key, later + 1)),
          attempt(newKey(id, { limit: 3, now: later }))
        ]),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter((result) => result === "alive").length, 2)
      assert.strictEqual(results.filter((result) => result === "KeyLimit").length, 10)
      const expiredKey = (yield* keys.keys(id, firstPage)).find(({ expiresAt }) => expiresAt === now + 5)!
      assert.deepStrictEqual(yield* Effect.flip(extendKey(expiredKey.id)), new KeyLimit({ limit: 3 }))
      assert.deepStrictEqual(yield* keys.key(expiredKey.id), expiredKey)
      assert.strictEqual((yield* extendKey(liveKey.id)).expiresAt, null)
      yield* keys.revokeKey(expiredKey.id, later)
      assert.strictEqual((yield* extendKey(expiredKey.id)).revokedAt, later)
    }))
}

const testSharedAccounts = (it: Tests): void => {
  it.effect("returns plans of accounts that are not among the known plans", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const plan = `plan-${makeUniqueHash().slice(0, 20)}`
      const ids = yield* Effect.forEach(
        Array.from({ length: 4 }),
        () => Effect.map(keys.createAccount({ name: "contract", plan, now }), ({ id }) => id)
      )
      const uses = (yield* keys.plansOutside(["free", "pro"], 3)).filter((use) => use.plan === plan)
      assert.deepStrictEqual(uses, [{ plan, accounts: 4, firstAccounts: ids.slice(0, 3) }])
      assert.isFalse((yield* keys.plansOutside([plan], 3)).some((use) => use.plan === plan))
    }))

  it.effect("shares its accounts with LedgerStore", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const ledger = yield* LedgerStore
      const account = yield* newAccount
      const { hash } = yield* newKey(account.id)
      assert.isNull(yield* ledger.balance(999_999_999, "2026-11"))
      assert.isNotNull(yield* ledger.balance(account.id, "2026-11"))
      assert.isTrue(yield* ledger.changePlan(account.id, "free"))
      const changedAccount = { ...account, plan: "free" }
      assert.deepStrictEqual((yield* keys.findByHashes([hash]))[0]?.account, changedAccount)
      assert.deepStrictEqual(yield* keys.account(account.id), changedAccount)
      assert.deepStrictEqual(yield* keys.accounts({ after: account.id - 1, limit: 1 }), [changedAccount])
    }))
}

/** Returns the time of the store's clock. The time is the expiry of a new key minus the remaining time of the key. */
const readStoreTime = (account: number) =>
  Effect.gen(function*() {
    const keys = yield* KeyStore
    const { hash, key } = yield* newKey(account, { limit: 1_000, expiresAt: 8e12 })
    const [keyRecord] = yield* keys.findByHashes([hash])
    yield* keys.revokeKey(key.id, now)
    return 8e12 - keyRecord!.remainingMs!
  })

const testStoreClock = (it: Tests): void => {
  it.effect("uses its own clock if no time is given", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id: clockAccount } = yield* newAccount
      const before = Math.floor(yield* readStoreTime(clockAccount))
      const account = yield* keys.createAccount({ name: "contract", plan: "pro", now: null })
      const { key } = yield* newKey(account.id, { now: null })
      const revoked = yield* keys.revokeKey(key.id, null)
      const { key: usedKey } = yield* newKey(account.id, { now: null })
      yield* keys.recordLastUses(new Map([[usedKey.id, 0]]), null)
      const { lastUsedAt } = yield* keys.key(usedKey.id)
      const after = yield* readStoreTime(clockAccount)
      const times = [
        before,
        account.createdAt,
        key.createdAt,
        revoked.revokedAt!,
        usedKey.createdAt,
        lastUsedAt!,
        after
      ]
      assert.deepStrictEqual(times, times.toSorted((a, b) => a - b))
    }))

  it.effect("counts keys and rejects a past expiry by its own clock if no time is given", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id } = yield* newAccount
      const { id: clockAccount } = yield* newAccount
      const time = Math.floor(yield* readStoreTime(clockAccount))
      const pastExpiry = { expiresAt: time, now: time - 1 }
      const [{ key: expiredKey }, { key: other }] = [yield* newKey(id, pastExpiry), yield* newKey(id, pastExpiry)]
      const options = { limit: 1, now: null }
      const expected = new ExpiryPassed({ expiresAt: time })
      assert.deepStrictEqual(yield* Effect.flip(newKey(id, { ...options, expiresAt: time })), expected)
      const extendKey = (key: number, at: number) => keys.updateKey(key, { expiry: { at, ...options } })
      assert.deepStrictEqual(yield* Effect.flip(extendKey(expiredKey.id, time)), expected)
      assert.strictEqual((yield* keys.keys(id, firstPage)).length, 2)
      assert.deepStrictEqual(yield* keys.key(expiredKey.id), expiredKey)
      const later = time + 3_600_000
      assert.strictEqual((yield* extendKey(expiredKey.id, later)).expiresAt, later)
      assert.deepStrictEqual(yield* Effect.flip(extendKey(other.id, later)), new KeyLimit({ limit: 1 }))
      assert.deepStrictEqual(yield* Effect.flip(newKey(id, options)), new KeyLimit({ limit: 1 }))
    }))
}

const testKeyEnds = (it: Tests): void => {
  it.effect("returns the remaining life of a key by its own clock", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id } = yield* newAccount
      const { hash: expiringHash } = yield* newKey(id, { expiresAt: now + 60_000 })
      const { hash: later } = yield* newKey(id, { expiresAt: now + 3_600_000 })
      const [first, second] = yield* keys.findByHashes([expiringHash, later])
      // One reading of the clock determines the remaining times of both keys.
      assert.closeTo(second!.remainingMs! - first!.remainingMs!, 3_540_000, 50)
    }))

  it.effect("revokes a key permanently, and keeps the time of the first revocation", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id } = yield* newAccount
      const { hash, key } = yield* newKey(id)
      assert.strictEqual((yield* keys.revokeKey(key.id, now + 1)).revokedAt, now + 1)
      assert.strictEqual((yield* keys.revokeKey(key.id, now + 2)).revokedAt, now + 1)
      assert.strictEqual((yield* keys.updateKey(key.id, { scopes: ["read:us"] })).revokedAt, now + 1)
      assert.strictEqual((yield* keys.findByHashes([hash]))[0]?.key.revokedAt, now + 1)
      assert.deepStrictEqual(
        yield* Effect.flip(keys.revokeKey(999_999_999, now)),
        new UnknownKey({ key: 999_999_999 })
      )
    }))

  it.effect("records last uses, never backwards, and ignores unknown ids", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id } = yield* newAccount
      const [{ key: a }, { key: b }] = [yield* newKey(id), yield* newKey(id)]
      yield* keys.recordLastUses(new Map([[a.id, 5], [999_999_999, 0], [b.id, 4]]), now + 10)
      yield* keys.recordLastUses(new Map([[a.id, 6]]), now + 10)
      yield* keys.recordLastUses(new Map(), now + 10)
      assert.deepStrictEqual((yield* keys.keys(id, firstPage)).map((key) => key.lastUsedAt), [now + 5, now + 6])
    }))
}

const testChanges = (it: Tests): void => {
  it.effect("publishes changes of keys and plans, after Everything", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const ledger = yield* LedgerStore
      const { id } = yield* newAccount
      const { key } = yield* newKey(id)
      /**
       * Runs an action and waits until the change stream publishes a change of the account. The action begins only
       * after the change stream has published its first element, `Everything`.
       */
      const awaitNextChange = (action: Effect.Effect<unknown, unknown>) =>
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
          yield* action
          yield* Fiber.join(listener)
        })
      yield* awaitNextChange(keys.updateKey(key.id, { scopes: ["read:us"] }))
      yield* awaitNextChange(keys.updateKey(key.id, { expiry: { at: now + 1, limit: 10, now } }))
      yield* awaitNextChange(keys.updateKey(key.id, { requestsPerMinute: 5 }))
      yield* awaitNextChange(keys.updateKey(key.id, { allowedIps: ["203.0.113.0/24"] }))
      yield* awaitNextChange(ledger.limitKey(key.id, 5))
      const { key: rotated } = yield* newKey(id, { now: null })
      const hash = makeUniqueHash()
      const rotation = { prefix: "tl", hash, overlapMs: 1_000, expiresAt: undefined, now: null }
      yield* awaitNextChange(keys.rotateKey(rotated.id, rotation))
      yield* awaitNextChange(keys.revokeKey(key.id, now))
      yield* awaitNextChange(ledger.changePlan(id, "free"))
      assert.strictEqual((yield* keys.account(id)).plan, "free")
    }))
}

/** Defines the contract tests of `KeyStore`. */
export const keyStoreContract = <E>(
  name: string,
  layer: Layer.Layer<KeyStore | LedgerStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(`KeyStore: ${name}`, (it) => {
    testAccountsAndKeys(it)
    testKeyLimit(it)
    testExpiryChanges(it)
    testSharedAccounts(it)
    testStoreClock(it)
    testKeyEnds(it)
    testChanges(it)
    testKeyLimitFields(it)
    testKeyRotation(it)
  })

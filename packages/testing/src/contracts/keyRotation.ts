import { assert, type Vitest } from "@effect/vitest"
import {
  ExpiryPassed,
  KeyEnded,
  KeyLimit,
  KeyStore,
  type LedgerStore,
  RotationRunning,
  UnknownKey
} from "@tapeline/core/engine"
import { Effect } from "effect"

const now = Date.UTC(2026, 10, 20)
const dayMs = 86_400_000
const makeHash = (): string => crypto.randomUUID().replaceAll("-", "").repeat(2)

const newAccount = Effect.flatMap(KeyStore, (keys) => keys.createAccount({ name: "rotation", plan: "pro", now }))

const newKey = (account: number, overrides: { readonly expiresAt?: number; readonly limit?: number } = {}) =>
  Effect.flatMap(KeyStore, (keys) =>
    keys.createKey({
      account,
      name: "a key",
      prefix: "tl_live_abcd",
      hash: makeHash(),
      scopes: ["read:market"],
      expiresAt: null,
      limit: 10,
      now,
      ...overrides
    }))

const rotate = (
  key: number,
  overrides: { readonly overlapMs?: number; readonly expiresAt?: number | null; readonly now?: number } = {}
) =>
  Effect.flatMap(KeyStore, (keys) =>
    keys.rotateKey(key, {
      prefix: "tl_live_wxyz",
      hash: makeHash(),
      overlapMs: dayMs,
      expiresAt: undefined,
      now,
      ...overrides
    }))

type Tests = Vitest.MethodsNonLive<KeyStore | LedgerStore>

export const testKeyLimitFields = (it: Tests): void => {
  it.effect("stores and changes the limits of a key", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id: account } = yield* newAccount
      const fields = { name: "limited", prefix: "tl", scopes: [], expiresAt: null, limit: 10, now }
      const hash = makeHash()
      const limits = { requestsPerMinute: 5, allowedIps: ["203.0.113.0/24", "2001:db8::/32"] }
      const key = yield* keys.createKey({ ...fields, account, hash, ...limits })
      assert.deepInclude(key, { ...limits, monthlyCredits: null, firstKey: key.id })
      assert.deepStrictEqual(yield* keys.key(key.id), key)
      assert.deepStrictEqual((yield* keys.findByHashes([hash]))[0]?.key, key)
      const changed = yield* keys.updateKey(key.id, { requestsPerMinute: null, allowedIps: ["::/0"] })
      assert.deepStrictEqual(changed, { ...key, requestsPerMinute: null, allowedIps: ["::/0"] })
      const cleared = yield* keys.updateKey(key.id, { allowedIps: [] })
      assert.deepStrictEqual(cleared, { ...key, requestsPerMinute: null, allowedIps: [] })
    }))
}

export const testKeyRotation = (it: Tests): void => {
  it.effect("issues a successor with the same name, scopes and limits, and lets the key expire", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id: account } = yield* newAccount
      const limits = { requestsPerMinute: 5, allowedIps: ["203.0.113.0/24"] }
      const { id } = yield* newKey(account)
      const before = yield* keys.updateKey(id, limits)
      const { key, successor } = yield* rotate(id)
      assert.deepStrictEqual(key, { ...before, expiresAt: now + dayMs })
      assert.deepStrictEqual(successor, { ...before, id: successor.id, prefix: "tl_live_wxyz" })
      assert.isAbove(successor.id, id)
      assert.deepStrictEqual(yield* keys.keys(account, { after: 0, limit: 10 }), [key, successor])
      const third = yield* rotate(successor.id, { now: now + dayMs })
      assert.strictEqual(third.successor.firstKey, id)
    }))

  it.effect("keeps an earlier expiry of the key, and gives the successor the same lifetime or the given expiry", () =>
    Effect.gen(function*() {
      const { id: account } = yield* newAccount
      const short = yield* newKey(account, { expiresAt: now + 5_000 })
      const rotated = yield* rotate(short.id, { now: now + 1_000 })
      assert.deepStrictEqual([rotated.key.expiresAt, rotated.successor.expiresAt], [now + 5_000, now + 6_000])
      const other = yield* newKey(account)
      const given = yield* rotate(other.id, { expiresAt: now + 9_000, overlapMs: 0 })
      assert.deepStrictEqual([given.key.expiresAt, given.successor.expiresAt], [now, now + 9_000])
      const past = yield* Effect.flip(rotate(given.successor.id, { expiresAt: now }))
      assert.deepStrictEqual(past, new ExpiryPassed({ expiresAt: now }))
    }))

  it.effect("rotates a key of an account with its maximum number of keys, and counts both keys as one", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id: account } = yield* newAccount
      const limit = 2
      const first = yield* newKey(account, { limit })
      yield* newKey(account, { limit })
      const { successor } = yield* rotate(first.id)
      assert.deepStrictEqual(yield* Effect.flip(newKey(account, { limit })), new KeyLimit({ limit }))
      // While one key of the chain is valid, the chain counts as one key.
      yield* keys.revokeKey(successor.id, now)
      assert.deepStrictEqual(yield* Effect.flip(newKey(account, { limit })), new KeyLimit({ limit }))
      yield* keys.revokeKey(first.id, now)
      yield* newKey(account, { limit })
    }))

  it.effect("keeps at most two keys of a chain valid", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id: account } = yield* newAccount
      const first = yield* newKey(account)
      const { successor } = yield* rotate(first.id)
      const running = (key: number) => new RotationRunning({ key })
      assert.deepStrictEqual(yield* Effect.flip(rotate(first.id)), running(successor.id))
      assert.deepStrictEqual(yield* Effect.flip(rotate(successor.id)), running(first.id))
      const expire = (id: number, at: number | null, time = now) =>
        keys.updateKey(id, { expiry: { at, limit: 10, now: time } })
      assert.deepStrictEqual(yield* Effect.flip(expire(first.id, null)), running(successor.id))
      assert.deepStrictEqual(yield* Effect.flip(expire(first.id, now + 2 * dayMs)), running(successor.id))
      const after = now + 2 * dayMs
      assert.deepStrictEqual(yield* Effect.flip(expire(first.id, null, after)), running(successor.id))
      assert.strictEqual((yield* expire(first.id, now + 1_000)).expiresAt, now + 1_000)
      assert.strictEqual((yield* expire(successor.id, now + dayMs)).expiresAt, now + dayMs)
      assert.strictEqual((yield* expire(successor.id, null)).expiresAt, null)
      yield* keys.revokeKey(successor.id, now)
      assert.strictEqual((yield* expire(first.id, null, after)).expiresAt, null)
      yield* rotate(first.id, { now: after })
    }))

  it.effect("rotates a key once under concurrency", () =>
    Effect.gen(function*() {
      const { id: account } = yield* newAccount
      const { id } = yield* newKey(account)
      const results = yield* Effect.forEach(
        Array.from({ length: 6 }),
        () => Effect.match(rotate(id), { onFailure: ({ _tag }): string => _tag, onSuccess: () => "rotated" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(results.toSorted(), [...Array.from({ length: 5 }, () => "RotationRunning"), "rotated"])
    }))

  it.effect("rejects the rotation of a revoked, an expired and an unknown key", () =>
    Effect.gen(function*() {
      const keys = yield* KeyStore
      const { id: account } = yield* newAccount
      const expiring = yield* newKey(account, { expiresAt: now + 5 })
      const expired = yield* Effect.flip(rotate(expiring.id, { now: now + 5 }))
      assert.deepStrictEqual(expired, new KeyEnded({ key: expiring.id }))
      const { id } = yield* newKey(account)
      yield* keys.revokeKey(id, now)
      assert.deepStrictEqual(yield* Effect.flip(rotate(id)), new KeyEnded({ key: id }))
      assert.deepStrictEqual(yield* Effect.flip(rotate(999_999_999)), new UnknownKey({ key: 999_999_999 }))
    }))
}

import { assert, layer as withLayer, type Vitest } from "@effect/vitest"
import {
  AdminStore,
  AdminTokenNameTaken,
  ExpiryPassed,
  type NewAdminToken,
  UnknownAdminToken
} from "@tapeline/core/engine"
import { Effect, type Layer } from "effect"

const runId = Date.now().toString(36)
let count = 0
/** Returns a text that no other test uses in the current run or an earlier run. */
const makeUniqueText = (): string => `${runId}-${++count}`

const now = 1_800_000_000_000

const newToken = (fields: Partial<NewAdminToken> = {}): NewAdminToken => ({
  name: makeUniqueText(),
  hash: makeUniqueText().padEnd(64, "0"),
  scopes: ["metrics", "read"],
  createdBy: "admin",
  expiresAt: null,
  now,
  ...fields
})

const find = (hash: string, at: number | null) =>
  Effect.flatMap(AdminStore, (store) => Effect.map(store.findTokens([hash], at), ([found]) => found ?? null))

type Tests = Vitest.MethodsNonLive<AdminStore>

const testNames = (it: Tests): void => {
  it.effect("rejects the name of a valid token, and accepts the name of a revoked or expired token", () =>
    Effect.gen(function*() {
      const store = yield* AdminStore
      const taken = makeUniqueText()
      const create = (expiresAt: number | null, at: number) =>
        store.createToken(newToken({ name: taken, expiresAt, now: at }))
      yield* create(now + 1_000, now)
      const rejected = new AdminTokenNameTaken({ tokenName: taken })
      assert.deepStrictEqual(yield* Effect.flip(create(null, now + 999)), rejected)
      const { id } = yield* create(null, now + 1_000)
      assert.deepStrictEqual(yield* Effect.flip(create(null, now + 2_000)), rejected)
      yield* store.revokeToken(id, now + 2_000)
      yield* create(null, now + 2_000)
    }))

  it.effect("creates one of several concurrent tokens with one name", () =>
    Effect.gen(function*() {
      const store = yield* AdminStore
      const taken = makeUniqueText()
      const results = yield* Effect.all(
        Array.from({ length: 4 }, () => Effect.result(store.createToken(newToken({ name: taken })))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter(({ _tag }) => _tag === "Success").length, 1)
    }))
}

/** Defines the contract tests of the named admin tokens of an `AdminStore`. */
export const adminTokenContract = <E>(
  name: string,
  layer: Layer.Layer<AdminStore, E>,
  options: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { excludeTestServices: true, timeout: options.timeoutMs ?? 60_000 })(
    `Admin tokens: ${name}`,
    (it) => {
      it.effect("creates a token, finds it by its hash, and lists it", () =>
        Effect.gen(function*() {
          const store = yield* AdminStore
          const [first, second] = [newToken(), newToken({ expiresAt: now + 5 })]
          const { hash: _, now: createdAt, ...fields } = first
          const created = yield* store.createToken(first)
          assert.deepStrictEqual(created, {
            ...fields,
            id: created.id,
            createdAt: createdAt!,
            revokedAt: null,
            lastUsedAt: null
          })
          const other = yield* store.createToken(second)
          assert.isAbove(other.id, created.id)
          assert.deepStrictEqual(yield* store.findTokens([second.hash, "unknown", first.hash], now), [
            { token: other, isUseDue: true },
            null,
            { token: created, isUseDue: true }
          ])
          assert.deepStrictEqual(yield* store.tokens({ after: created.id - 1, limit: 1 }), [created])
          assert.deepStrictEqual(yield* store.tokens({ after: created.id, limit: 9 }), [other])
        }))

      it.effect("finds no token at or after its expiry, by the store's clock", () =>
        Effect.gen(function*() {
          const store = yield* AdminStore
          const token = newToken({ expiresAt: now + 1_000 })
          yield* store.createToken(token)
          assert.isNotNull(yield* find(token.hash, now + 999))
          assert.isNull(yield* find(token.hash, now + 1_000))
          const past = newToken({ expiresAt: Date.now() - 3_600_000, now: Date.now() - 7_200_000 })
          yield* store.createToken(past)
          assert.isNull(yield* find(past.hash, null))
          const rejected = store.createToken(newToken({ expiresAt: now }))
          assert.deepStrictEqual(yield* Effect.flip(rejected), new ExpiryPassed({ expiresAt: now }))
        }))

      it.effect("revokes a token once, and keeps the time of the first revocation", () =>
        Effect.gen(function*() {
          const store = yield* AdminStore
          const token = newToken()
          const created = yield* store.createToken(token)
          const revoked = { ...created, revokedAt: now + 1 }
          assert.deepStrictEqual(yield* store.revokeToken(created.id, now + 1), { token: revoked, isChanged: true })
          assert.deepStrictEqual(yield* store.revokeToken(created.id, now + 2), { token: revoked, isChanged: false })
          assert.isNull(yield* find(token.hash, now + 2))
          const unknown = store.revokeToken(2 ** 31 - 1, null)
          assert.deepStrictEqual(yield* Effect.flip(unknown), new UnknownAdminToken({ token: 2 ** 31 - 1 }))
        }))

      testNames(it)

      it.effect("records a use at most once a minute", () =>
        Effect.gen(function*() {
          const store = yield* AdminStore
          const token = newToken()
          const { id } = yield* store.createToken(token)
          const useAt = (at: number) =>
            Effect.andThen(
              store.recordTokenUse(id, at),
              Effect.map(find(token.hash, at), (found) => found!.token.lastUsedAt)
            )
          assert.strictEqual(yield* useAt(now), now)
          assert.strictEqual((yield* find(token.hash, now + 59_999))!.isUseDue, false)
          assert.strictEqual(yield* useAt(now + 59_999), now)
          assert.strictEqual((yield* find(token.hash, now + 60_000))!.isUseDue, true)
          assert.strictEqual(yield* useAt(now + 60_000), now + 60_000)
        }))
    }
  )

import { assert, layer as withLayer } from "@effect/vitest"
import { RateLimitStore } from "@tapeline/core/engine"
import { Effect, type Layer } from "effect"

const windowMs = 60_000
let lastAccount = 1_000
const takeRequest = (account: number, limit: number) =>
  Effect.flatMap(RateLimitStore, (store) => store.take({ account, limit, windowMs }))

/** Defines the contract tests of `RateLimitStore`. The function `advance` simulates that time passes in the store. */
export const rateLimitStoreContract = <R, E>(
  name: string,
  layer: Layer.Layer<RateLimitStore | R, E>,
  advance: (ms: number) => Effect.Effect<void, unknown, R>,
  options: { readonly timeoutMs?: number; readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, {
    excludeTestServices: options.excludeTestServices ?? false,
    timeout: options.timeoutMs ?? 60_000
  })(`RateLimitStore: ${name}`, (it) => {
    it.effect("admits requests up to the limit, then none until the window ends", () =>
      Effect.gen(function*() {
        const account = ++lastAccount
        const first = yield* takeRequest(account, 2)
        assert.deepStrictEqual([first.isAllowed, first.remaining], [true, 1])
        assert.isTrue(first.resetMs > windowMs - 5_000 && first.resetMs <= windowMs)
        yield* advance(30_000)
        const second = yield* takeRequest(account, 2)
        assert.deepStrictEqual([second.isAllowed, second.remaining], [true, 0])
        assert.isTrue(second.resetMs > 25_000 && second.resetMs <= 30_000)
        const third = yield* takeRequest(account, 2)
        assert.deepStrictEqual([third.isAllowed, third.remaining], [false, 0])
        yield* advance(30_000)
        const fourth = yield* takeRequest(account, 2)
        assert.deepStrictEqual([fourth.isAllowed, fourth.remaining], [true, 1])
        assert.isAbove(fourth.resetMs, windowMs - 5_000)
      }))

    it.effect("keeps accounts apart", () =>
      Effect.gen(function*() {
        const [a, b] = [++lastAccount, ++lastAccount]
        assert.isTrue((yield* takeRequest(a, 1)).isAllowed)
        assert.isTrue((yield* takeRequest(b, 1)).isAllowed)
        assert.isFalse((yield* takeRequest(a, 1)).isAllowed)
      }))

    it.effect("keeps the windows of keys apart from each other and from the window of the account", () =>
      Effect.gen(function*() {
        const store = yield* RateLimitStore
        const account = ++lastAccount
        const take = (key: number | undefined) => store.take({ account, key, limit: 1, windowMs })
        for (const key of [undefined, account, account + 1]) {
          assert.isTrue((yield* take(key)).isAllowed)
          assert.isFalse((yield* take(key)).isAllowed)
        }
      }))

    it.effect("applies the limit of each request, and does not count rejected requests", () =>
      Effect.gen(function*() {
        const account = ++lastAccount
        for (const allowed of [true, true, false, false]) {
          assert.strictEqual((yield* takeRequest(account, 2)).isAllowed, allowed)
        }
        const withHigherLimit = yield* takeRequest(account, 4)
        assert.deepStrictEqual([withHigherLimit.isAllowed, withHigherLimit.remaining], [true, 1])
        assert.deepStrictEqual((yield* takeRequest(account, 1)).remaining, 0)
        assert.isFalse((yield* takeRequest(account, 1)).isAllowed)
        assert.isTrue((yield* takeRequest(account, 4)).isAllowed)
        assert.isFalse((yield* takeRequest(account, 4)).isAllowed)
      }))

    it.effect("admits no more than the limit under concurrency", () =>
      Effect.gen(function*() {
        const account = ++lastAccount
        const results = yield* Effect.forEach(Array.from({ length: 100 }), () => takeRequest(account, 30), {
          concurrency: "unbounded"
        })
        const allowed = results.filter((verdict) => verdict.isAllowed)
        assert.strictEqual(allowed.length, 30)
        assert.deepStrictEqual(
          allowed.map(({ remaining }) => remaining).sort((a, b) => a - b),
          Array.from({ length: 30 }, (_, i) => i)
        )
      }))
  })

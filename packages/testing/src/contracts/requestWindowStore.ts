import { assert, layer as withLayer } from "@effect/vitest"
import { RequestWindowStore } from "@tapeline/core/engine"
import { Effect, type Layer } from "effect"

const windowMs = 60_000
let accounts = 1_000
const take = (account: number, limit: number) =>
  Effect.flatMap(RequestWindowStore, (store) => store.take({ account, limit, windowMs }))

/**
 * The contract tests of `RequestWindowStore`. `advance` moves the store's own time forward, or the windows back, which
 * has the same effect. The tests wait for no clock.
 */
export const requestWindowStoreContract = <R, E>(
  name: string,
  layer: Layer.Layer<RequestWindowStore | R, E>,
  advance: (ms: number) => Effect.Effect<void, unknown, R>,
  options: { readonly timeoutMs?: number; readonly excludeTestServices?: boolean } = {}
): void =>
  withLayer(layer, {
    excludeTestServices: options.excludeTestServices ?? false,
    timeout: options.timeoutMs ?? 60_000
  })(`RequestWindowStore: ${name}`, (it) => {
    it.effect("admits as many as the limit, then none until the window has ended", () =>
      Effect.gen(function*() {
        const account = ++accounts
        const first = yield* take(account, 2)
        assert.deepStrictEqual([first.allowed, first.remaining], [true, 1])
        assert.isTrue(first.resetMs > windowMs - 5_000 && first.resetMs <= windowMs)
        yield* advance(30_000)
        const second = yield* take(account, 2)
        assert.deepStrictEqual([second.allowed, second.remaining], [true, 0])
        assert.isTrue(second.resetMs > 25_000 && second.resetMs <= 30_000)
        const third = yield* take(account, 2)
        assert.deepStrictEqual([third.allowed, third.remaining], [false, 0])
        yield* advance(30_000)
        const fourth = yield* take(account, 2)
        assert.deepStrictEqual([fourth.allowed, fourth.remaining], [true, 1])
        assert.isAbove(fourth.resetMs, windowMs - 5_000)
      }))

    it.effect("keeps accounts apart", () =>
      Effect.gen(function*() {
        const [a, b] = [++accounts, ++accounts]
        assert.isTrue((yield* take(a, 1)).allowed)
        assert.isTrue((yield* take(b, 1)).allowed)
        assert.isFalse((yield* take(a, 1)).allowed)
      }))

    it.effect("goes by the limit of each request; what was refused counts for nothing", () =>
      Effect.gen(function*() {
        const account = ++accounts
        for (const allowed of [true, true, false, false]) assert.strictEqual((yield* take(account, 2)).allowed, allowed)
        const raised = yield* take(account, 4)
        assert.deepStrictEqual([raised.allowed, raised.remaining], [true, 1])
        assert.deepStrictEqual((yield* take(account, 1)).remaining, 0)
        assert.isFalse((yield* take(account, 1)).allowed)
        assert.isTrue((yield* take(account, 4)).allowed)
        assert.isFalse((yield* take(account, 4)).allowed)
      }))

    it.effect("admits no more than the limit under a race", () =>
      Effect.gen(function*() {
        const account = ++accounts
        const verdicts = yield* Effect.forEach(Array.from({ length: 100 }), () => take(account, 30), {
          concurrency: "unbounded"
        })
        const allowed = verdicts.filter((verdict) => verdict.allowed)
        assert.strictEqual(allowed.length, 30)
        assert.deepStrictEqual(
          allowed.map(({ remaining }) => remaining).sort((a, b) => a - b),
          Array.from({ length: 30 }, (_, i) => i)
        )
      }))
  })

import { assert, it } from "@effect/vitest"
import {
  defaultPlans,
  PlanNotConfigured,
  Plans,
  type Principal,
  RateLimited,
  RateLimitStore,
  RequestRateLimiter
} from "@tapeline/core"
import { MemoryRateLimitStore, MemoryState } from "@tapeline/testing"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"

const plans = { ...defaultPlans, narrow: { ...defaultPlans["free"]!, requests_per_minute: 2 } }
const principal = (plan: string): Principal => ({ account: 1, actor: { _tag: "Key", key: 1 }, plan, scopes: [] })

const setup = Effect.gen(function*() {
  const takes = yield* Ref.make(0)
  const counted = Layer.effect(
    RateLimitStore,
    Effect.map(RateLimitStore, (store) => ({
      take: (request: Parameters<typeof store.take>[0]) =>
        Effect.andThen(Ref.update(takes, (n) => n + 1), store.take(request))
    }))
  ).pipe(Layer.provide(MemoryRateLimitStore), Layer.provide(MemoryState.layer))
  const context = yield* Layer.build(
    RequestRateLimiter.layer.pipe(Layer.provide(counted), Layer.provide(Plans.layer(plans)))
  )
  return { takes, ...(yield* Effect.provideContext(RequestRateLimiter, context)) }
})

it.effect("queries the store once for an exhausted window, and not again until the window ends", () =>
  Effect.gen(function*() {
    const { admit, takes } = yield* setup
    yield* admit(principal("narrow"))
    yield* TestClock.adjust("20 seconds")
    yield* admit(principal("narrow"))
    yield* Ref.set(takes, 0)
    for (let i = 0; i < 1_000; i++) {
      const narrowLimit = yield* Effect.flip(admit(principal("narrow")))
      assert.deepStrictEqual(narrowLimit, new RateLimited({ limit: 2, resetMs: 40_000 }))
    }
    assert.strictEqual(yield* Ref.get(takes), 1)
    yield* TestClock.adjust("39999 millis")
    assert.deepInclude(yield* Effect.flip(admit(principal("narrow"))), { resetMs: 1 })
    yield* TestClock.adjust("1 millis")
    assert.strictEqual((yield* admit(principal("narrow"))).remaining, 1)
  }).pipe(Effect.scoped))

it.effect("admits requests under a raised limit immediately, and still rejects the lower limit", () =>
  Effect.gen(function*() {
    const { admit } = yield* setup
    for (let i = 0; i < 2; i++) yield* admit(principal("narrow"))
    yield* Effect.flip(admit(principal("narrow")))
    assert.strictEqual((yield* admit(principal("free"))).remaining, 7)
    yield* Effect.flip(admit(principal("narrow")))
    assert.strictEqual((yield* admit(principal("free"))).remaining, 6)
  }).pipe(Effect.scoped))

it.effect("rejects an account whose plan is not configured, and names the plan", () =>
  Effect.gen(function*() {
    const { admit, takes } = yield* setup
    const goldLimit = yield* Effect.flip(admit(principal("gold")))
    assert.deepStrictEqual(goldLimit, new PlanNotConfigured({ plan: "gold" }))
    assert.strictEqual(yield* Ref.get(takes), 0)
  }).pipe(Effect.scoped))

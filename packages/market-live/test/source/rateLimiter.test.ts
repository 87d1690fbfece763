import { assert, it } from "@effect/vitest"
import { AutoAdvancingClock } from "@tapeline/wire"
import { Clock, Effect, Random, Schema } from "effect"
import { type CostOf, RateLimiter } from "../../src/source/RateLimiter.ts"

const start = Date.parse("2026-11-20T12:00:00Z")

interface SentRequest {
  readonly at: number
  readonly cost: number
}

const mostWithin = (sent: ReadonlyArray<SentRequest>, windowMs: number): number =>
  Math.max(
    ...sent.map(({ at: from }) =>
      sent.reduce((sum, { at, cost }) => at >= from && at < from + windowMs ? sum + cost : sum, 0)
    )
  )

it.effect.prop(
  "stays within the weight of every window, and lets every request through in the end",
  { costs: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 }))), seed: Schema.Int },
  ({ costs, seed }) => {
    const clock = new AutoAdvancingClock(start, [])
    const limits = [{ weight: 10, windowMs: 1_000 }, { weight: 30, windowMs: 60_000 }]
    const limiter = new RateLimiter(limits, 3, 1_000)
    const sent: Array<SentRequest> = []
    return Effect.gen(function*() {
      yield* Effect.forEach(costs, (cost) =>
        limiter.run(
          () => cost,
          Effect.gen(function*() {
            sent.push({ at: yield* Clock.currentTimeMillis, cost: Math.min(cost, 10) })
            clock.advance(yield* Random.nextIntBetween(0, 300))
          })
        ), { concurrency: "unbounded", discard: true })
      assert.lengthOf(sent, costs.length)
      assert.strictEqual(limiter.waiting, 0)
      if (sent.length === 0) return
      for (const { weight, windowMs } of limits) assert.isAtMost(mostWithin(sent, windowMs), weight)
    }).pipe(Random.withSeed(seed), Effect.provideService(Clock.Clock, clock))
  }
)

it.effect("counts the usage that a source reports for other clients of our address", () => {
  const clock = new AutoAdvancingClock(start, [])
  const limiter = new RateLimiter([{ weight: 100, windowMs: 60_000 }], 1, 10)
  return Effect.gen(function*() {
    yield* limiter.run(() => 10, Effect.void)
    limiter.applyReportedUsage({ weight: 95, windowMs: 60_000 }, start)
    limiter.applyReportedUsage({ weight: 95, windowMs: 60_000 }, start)
    yield* limiter.run(() => 5, Effect.void)
    assert.strictEqual(yield* Clock.currentTimeMillis, start)
    yield* limiter.run(() => 1, Effect.void)
    assert.strictEqual(yield* Clock.currentTimeMillis, start + 60_000)
  }).pipe(Effect.provideService(Clock.Clock, clock))
})

it.effect("delays a request by at most one window after the clock is set back", () => {
  const clock = new AutoAdvancingClock(start, [])
  const limiter = new RateLimiter([{ weight: 1, windowMs: 1_000 }], 1, 10)
  return Effect.gen(function*() {
    yield* limiter.run(() => 1, Effect.void)
    clock.advance(-86_400_000)
    yield* limiter.run(() => 1, Effect.void)
    yield* limiter.run(() => 1, Effect.void)
    assert.strictEqual(yield* Clock.currentTimeMillis, start - 86_400_000 + 1_000)
  }).pipe(Effect.provideService(Clock.Clock, clock))
})

it.effect("applies a named limit only to requests that have a cost in it", () => {
  const clock = new AutoAdvancingClock(start, [])
  const limiter = new RateLimiter(
    [{ weight: 10, windowMs: 60_000 }, { name: "history", weight: 1, windowMs: 300_000 }],
    1,
    10
  )
  const history: CostOf = ({ name }) => name === "history" ? 1 : 0
  const price: CostOf = ({ name }) => name === undefined ? 1 : 0
  return Effect.gen(function*() {
    yield* limiter.run(history, Effect.void)
    for (let i = 0; i < 10; i++) yield* limiter.run(price, Effect.void)
    assert.strictEqual(yield* Clock.currentTimeMillis, start)
    yield* limiter.run(price, Effect.void)
    assert.strictEqual(yield* Clock.currentTimeMillis, start + 60_000)
    yield* limiter.run(history, Effect.void)
    assert.strictEqual(yield* Clock.currentTimeMillis, start + 300_000)
    // A reported usage changes only the rate limit with the same name.
    limiter.applyReportedUsage({ name: "history", weight: 1, windowMs: 300_000 }, start + 300_000)
    limiter.applyReportedUsage({ name: "nobody's", weight: 10, windowMs: 60_000 }, start + 300_000)
    yield* limiter.run(price, Effect.void)
    assert.strictEqual(yield* Clock.currentTimeMillis, start + 300_000)
    limiter.applyReportedUsage({ name: "history", weight: 2, windowMs: 300_000 }, start + 300_000)
    yield* limiter.run(history, Effect.void)
    assert.strictEqual(yield* Clock.currentTimeMillis, start + 600_000)
  }).pipe(Effect.provideService(Clock.Clock, clock))
})

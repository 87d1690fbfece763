import { assert, it } from "@effect/vitest"
import { StopLimit } from "@tapeline/core/agent"
import { Draining } from "@tapeline/http"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerStopLimit } from "../src/layers.ts"

for (const { drainMs, limitMs } of [{ drainMs: 0, limitMs: 7_500 }, { drainMs: 10_000, limitMs: 7_000 }]) {
  it.effect(`the limit for storing answers ends 7.5 s after a drain of ${drainMs} ms`, () =>
    Effect.gen(function*() {
      const limit = yield* Effect.forkChild(yield* StopLimit)
      // After a drain, `begin` runs 500 ms later than the stop.
      yield* Effect.flatMap(Draining, ({ begin }) => begin)
      yield* TestClock.adjust(limitMs - 1)
      assert.isUndefined(limit.pollUnsafe())
      yield* TestClock.adjust(1)
      yield* Fiber.join(limit)
    }).pipe(Effect.provide(Layer.provideMerge(layerStopLimit({ drainMs }), Draining.layer))))
}

import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { makeCountRunning } from "../../src/agent/run/metrics.ts"

/** Returns the number of running answers and the start time of the oldest one. */
const readRunning = Effect.map(
  Metric.snapshot,
  (all) =>
    ["tapeline_agent_running", "tapeline_agent_oldest_start_time_seconds"].map((name) => {
      const state = all.find(({ id }) => id === name)?.state
      return state !== undefined && "value" in state ? Number(state.value) : undefined
    })
)

it.effect("publishes the number of running answers and the start of the oldest one, however answers end", () =>
  Effect.gen(function*() {
    const countRunning = makeCountRunning()
    const finish = yield* Deferred.make<void>()
    const start = Effect.fnUntraced(function*(answer: Effect.Effect<unknown, string>) {
      yield* TestClock.adjust("1 second")
      return yield* Effect.forkChild(countRunning(answer), { startImmediately: true })
    })
    const interrupted = yield* start(Effect.never)
    const failing = yield* start(Effect.andThen(Deferred.await(finish), Effect.fail("failed")))
    const dying = yield* start(Effect.andThen(Deferred.await(finish), Effect.die("a defect")))
    assert.deepStrictEqual(yield* readRunning, [3, 1])
    yield* Fiber.interrupt(interrupted)
    assert.deepStrictEqual(yield* readRunning, [2, 2])
    yield* Deferred.succeed(finish, undefined)
    yield* Fiber.await(failing)
    yield* Fiber.await(dying)
    assert.deepStrictEqual(yield* readRunning, [0, 0])
  }).pipe(Effect.provide(Layer.succeed(Metric.MetricRegistry, new Map()))))

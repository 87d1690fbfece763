import { assert, it } from "@effect/vitest"
import { Effect, Layer, Metric } from "effect"
import { initialiseTaskMetrics } from "../../src/personal/tasks/run/metrics.ts"

it.effect("the count of sweeps is 0 before the first sweep, and the lag of sweeps has no value", () =>
  Effect.gen(function*() {
    yield* initialiseTaskMetrics
    const sweeps = (yield* Metric.snapshot).filter(({ id }) => id.startsWith("tapeline_task_sweep"))
    assert.deepStrictEqual(
      sweeps.map(({ id, state }) => [id, "count" in state ? state.count : undefined]),
      [["tapeline_task_sweep_duration_ms", 0]]
    )
  }).pipe(Effect.provide(Layer.succeed(Metric.MetricRegistry, new Map()))))

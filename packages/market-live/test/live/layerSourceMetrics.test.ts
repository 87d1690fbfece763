import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { SourceHealth, type SourceState } from "../../src/index.ts"
import { layerSourceMetrics } from "../../src/live/layerSourceMetrics.ts"

const makeState = (
  source: string,
  state: SourceState["state"],
  lastSuccessAt: number | null = null
): SourceState => ({
  source,
  state,
  breaker: "closed",
  lastSuccessAt,
  lastFault: null,
  blockedUntil: null,
  limitedUntil: null,
  next: null,
  unavailableSince: null,
  skewMs: null,
  successes: 0,
  faults: { unreachable: 2, rate_limited: 1, malformed: 0, not_configured: 0, blocked: 0, filling: 0 },
  waiting: 0
})

const gauges = Effect.map(Metric.snapshot, (all) =>
  Object.fromEntries(all.flatMap(({ attributes, id, state }) => {
    const source = attributes?.["source"]
    return typeof source === "string" && source.startsWith("measured/") && "value" in state
      ? [[`${id} ${source}`, state.value]]
      : []
  })))

it.effect("reports the state, the last success and the number of faults of each requested source", () =>
  Effect.gen(function*() {
    const context = yield* Layer.build(Layer.provideMerge(layerSourceMetrics, SourceHealth.layer))
    const { register } = Context.get(context, SourceHealth)
    let state: SourceState["state"] = "failing"
    yield* register(() => makeState("measured/a", state))
    yield* register(() => makeState("measured/b", "up", 1_700_000_000_500))
    yield* register(() => makeState("measured/c", "unknown"))
    yield* TestClock.adjust("15 seconds")
    const first = yield* gauges
    assert.deepStrictEqual(first, {
      "tapeline_source_up measured/a": 0,
      "tapeline_source_last_success_time_seconds measured/a": 0,
      "tapeline_source_blocked measured/a": 0,
      "tapeline_source_limited measured/a": 0,
      "tapeline_source_faults measured/a": 3,
      "tapeline_source_up measured/b": 1,
      "tapeline_source_last_success_time_seconds measured/b": 1_700_000_000.5,
      "tapeline_source_blocked measured/b": 0,
      "tapeline_source_limited measured/b": 0,
      "tapeline_source_faults measured/b": 3
    })
    state = "blocked"
    yield* TestClock.adjust("15 seconds")
    assert.deepInclude(yield* gauges, { "tapeline_source_up measured/a": 0, "tapeline_source_blocked measured/a": 1 })
    state = "limited"
    yield* TestClock.adjust("15 seconds")
    assert.deepInclude(yield* gauges, {
      "tapeline_source_blocked measured/a": 0,
      "tapeline_source_limited measured/a": 1
    })
  }).pipe(Effect.scoped))

import { assert, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core"
import { Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { layerProcessMetrics } from "../src/layerProcessMetrics.ts"

const registry = () => Layer.succeed(Metric.MetricRegistry, new Map())

/** Returns the values of the metrics by name and dependency. */
const readValues = Effect.map(
  Metric.snapshot,
  (all): Readonly<Record<string, number>> =>
    Object.fromEntries(all.flatMap(({ attributes, id, state }) => {
      const dependency = attributes?.["dependency"]
      const value = "value" in state ? state.value : "count" in state ? state.count : undefined
      return value === undefined ? [] : [[dependency === undefined ? id : `${id} ${dependency}`, Number(value)]]
    }))
)

it.effect("publishes which dependency is unavailable, and its recovery", () => {
  const failures: Array<Effect.Effect<never, StoreUnavailable>> = [
    Effect.fail(new StoreUnavailable({ store: "Redis", cause: new Error("ECONNREFUSED") })),
    Effect.fail(new StoreUnavailable({ store: "database", cause: new Error("the disk is full") })),
    Effect.die("a defect")
  ]
  const check = Effect.suspend((): Effect.Effect<void, StoreUnavailable> => failures.shift() ?? Effect.void)
  return Effect.gen(function*() {
    yield* Layer.build(layerProcessMetrics([{ check, dependencies: ["database", "cluster", "Redis"] }]))
    const readReadiness = Effect.map(readValues, (values) => [
      values["tapeline_ready database"],
      values["tapeline_ready cluster"],
      values["tapeline_ready Redis"],
      values["tapeline_ready unknown"]
    ])
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* readReadiness, [1, 1, 0, undefined])
    yield* TestClock.adjust("15 seconds")
    assert.deepStrictEqual(yield* readReadiness, [0, 1, 1, undefined])
    yield* TestClock.adjust("15 seconds")
    assert.deepStrictEqual(yield* readReadiness, [1, 1, 1, 0])
    yield* TestClock.adjust("15 seconds")
    assert.deepStrictEqual(yield* readReadiness, [1, 1, 1, 1])
  }).pipe(Effect.provide(registry()))
})

it.effect("publishes an unavailable Redis while the check of the database has no answer", () =>
  Effect.gen(function*() {
    const redisUnavailable = new StoreUnavailable({ store: "Redis", cause: new Error("ECONNREFUSED") })
    yield* Layer.build(layerProcessMetrics([
      { check: Effect.never, dependencies: ["database", "cluster"] },
      { check: Effect.fail(redisUnavailable), dependencies: ["Redis"] }
    ]))
    yield* TestClock.adjust("15 seconds")
    assert.strictEqual((yield* readValues)["tapeline_ready Redis"], 0)
  }).pipe(Effect.provide(registry())))

it.effect("publishes each unavailable dependency of several checks", () =>
  Effect.gen(function*() {
    const makeCheck = (store: string) => ({
      check: Effect.fail(new StoreUnavailable({ store, cause: new Error("ECONNREFUSED") })),
      dependencies: [store]
    })
    yield* Layer.build(layerProcessMetrics([makeCheck("database"), makeCheck("Redis")]))
    yield* TestClock.adjust("1 second")
    const values = yield* readValues
    assert.deepStrictEqual([values["tapeline_ready database"], values["tapeline_ready Redis"]], [0, 0])
  }).pipe(Effect.provide(registry())))

it.effect("publishes the start time, processor time and memory of the process", () =>
  Effect.gen(function*() {
    yield* Layer.build(layerProcessMetrics([]))
    yield* TestClock.adjust("1 second")
    const first = yield* readValues
    assert.approximately(first["process_start_time_seconds"]!, Date.now() / 1e3 - process.uptime(), 2)
    assert.isAbove(first["process_resident_memory_bytes"]!, 1e7)
    const cpuSeconds = () => process.cpuUsage().user / 1e6
    const begin = cpuSeconds()
    while (cpuSeconds() < begin + 0.2);
    yield* TestClock.adjust("15 seconds")
    const second = yield* readValues
    assert.isAtLeast(second["process_cpu_seconds_total"]!, first["process_cpu_seconds_total"]! + 0.2)
    assert.isAtMost(second["process_cpu_seconds_total"]!, cpuSeconds() + process.cpuUsage().system / 1e6)
  }).pipe(Effect.provide(registry())))

it.effect("publishes the longest delay of the event loop in the last interval only", () =>
  Effect.gen(function*() {
    yield* Layer.build(layerProcessMetrics([]))
    const longest = Effect.map(readValues, (values) => values["nodejs_eventloop_lag_max_seconds"]!)
    /** Lets the timer that measures delays run. */
    const runTimers = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
    yield* runTimers
    const end = performance.now() + 400
    while (performance.now() < end);
    yield* runTimers
    yield* TestClock.adjust("15 seconds")
    assert.isAtLeast(yield* longest, 0.3)
    let later = Infinity
    for (let samples = 0; samples < 100 && later > 0.2; samples++) {
      yield* runTimers
      yield* TestClock.adjust("15 seconds")
      later = yield* longest
    }
    assert.isAtMost(later, 0.2)
  }).pipe(Effect.provide(registry())))

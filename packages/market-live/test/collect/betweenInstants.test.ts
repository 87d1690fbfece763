import { assert, it } from "@effect/vitest"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { layerCollectors, MarketHealth, type SeriesCollector, SourceHealth } from "../../src/index.ts"
import { ModelSource, start, stepMs } from "../support/ModelSource.ts"

const collectorOf = (source: ModelSource, requestedTimes: Array<number>): SeriesCollector => ({
  _tag: "series",
  source: "model",
  name: "present",
  kind: pointsKinds.fxRates,
  everyMs: stepMs,
  offsetMs: 2_000,
  rowTimes: "instants",
  subjects: Effect.succeed([{ subject: "AAA", from: 0 }, { subject: "BBB", from: 0 }]),
  snapshot: {
    maxDelayMs: 60_000,
    betweenInstants: true,
    fetch: (names, at) =>
      source.answer("", () => {
        requestedTimes.push(at)
        return names.map((subject) => ({ subject, source: "model", rows: [{ time: at, rate: 1 }] }))
      })
  }
})

it.effect("records one snapshot off the grid if the leader starts too late for an instant", () =>
  Effect.gen(function*() {
    const began = start + 117_000
    yield* TestClock.setTime(began)
    const store = yield* MarketStore
    const source = new ModelSource()
    const requestedTimes: Array<number> = []
    const collecting = layerCollectors([collectorOf(source, requestedTimes)]).pipe(
      Layer.provide(Layer.provide(MarketHealth.layer, SourceHealth.layer))
    )
    const times = Effect.map(
      store.points({ kind: pointsKinds.fxRates, subjects: ["AAA"], from: start, to: start + 3 * stepMs }),
      (read) => read.get("AAA")?.points.map(({ time }) => time) ?? []
    )
    const latest = Effect.map(
      Effect.flatMap(
        Effect.clockWith((clock) => clock.currentTimeMillis),
        (at) => store.latest({ kind: pointsKinds.fxRates, subjects: ["AAA", "BBB"], at, withinMs: stepMs })
      ),
      (read) => [...read.values()].map(({ point }) => point?.time)
    )
    source.failure = "unreachable"
    const scope = yield* Scope.make()
    yield* Layer.buildWithScope(collecting, scope)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* latest, [])
    source.failure = null
    yield* TestClock.adjust("15 seconds")
    const [first = 0] = requestedTimes
    assert.isTrue(first > began && first <= began + 16_000)
    assert.deepStrictEqual(yield* latest, [first, first])
    // A row between two scheduled times does not fill the gap at the scheduled time.
    const gaps = yield* store.gaps({ kind: pointsKinds.fxRates, subjects: ["AAA"], from: start, to: start + stepMs })
    assert.deepStrictEqual(gaps.get("AAA")?.missing, [{ from: start, to: start + stepMs }])
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual(yield* times, [first, start + stepMs, start + 2 * stepMs])
    yield* Scope.close(scope, Exit.void)
    // The next leader begins just before a scheduled time, and takes only one snapshot for this time.
    yield* Effect.scoped(Effect.andThen(Layer.build(collecting), TestClock.adjust("10 seconds")))
    assert.deepStrictEqual(requestedTimes, [first, start + stepMs, start + 2 * stepMs])
  }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)))

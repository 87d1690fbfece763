import { assert, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core/engine"
import { documentsKinds, MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Context, Effect, Exit, Layer, Logger, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Collector, layerCollectors, MarketHealth, SourceHealth } from "../../src/index.ts"
import { modelCollectors, ModelSource, start } from "../support/ModelSource.ts"

const lags = (source: string) =>
  Effect.map(
    Metric.snapshot,
    (all) =>
      Object.fromEntries(all.flatMap(({ attributes, id, state }) =>
        id === "tapeline_collect_lag_ms" && attributes?.["source"] === source && "value" in state
          ? [[String(attributes["series"]), Number(state.value)]]
          : []
      ))
  )

it.effect("reports a growing lag while a source is unavailable, and 0 after collection stops", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(start + 17_000)
    const source = new ModelSource()
    const documents: Collector = {
      _tag: "documents",
      source: "measured",
      name: "documents",
      kind: documentsKinds.tickers,
      everyMs: 60_000,
      offsetMs: 0,
      fetch: source.answer("", () => ({ documents: [], faults: [] }))
    }
    const collectors = [{ ...modelCollectors(source).pastCollector, source: "measured" }, documents]
    const scope = yield* Scope.make()
    const layer = layerCollectors(collectors).pipe(
      Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer)),
      Layer.provide(MemoryMarketStore)
    )
    const { report } = Context.get(yield* Layer.buildWithScope(layer, scope), MarketHealth)
    yield* TestClock.adjust("10 minutes")
    assert.isAtMost((yield* lags("measured"))["documents"]!, 60_000)
    source.failure = "unreachable"
    yield* TestClock.adjust("1 hour")
    const measuredLags = yield* lags("measured")
    assert.isAtLeast(measuredLags["documents"]!, 3_540_000, "documents")
    assert.isAtLeast(measuredLags["past"]!, 3_540_000, "past: the source does not return its subjects either")
    const collected = (yield* report).collectorsBySource.flatMap((one) => one.collectors)
    for (const { lagMs, name } of collected) assert.approximately(measuredLags[name]!, lagMs!, 15_000, name)
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* lags("measured"), { documents: 0, past: 0 })
  }))

it.effect("measures the lag of an unreached source from the start, and none without subjects", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(start + 17_000)
    const source = new ModelSource()
    const { pastCollector } = modelCollectors(source)
    const unknownCollector: Collector = {
      ...pastCollector,
      source: "unmeasured",
      name: "nowhere",
      subjects: Effect.succeed([])
    }
    source.failure = "unreachable"
    const layer = layerCollectors([{ ...pastCollector, source: "unmeasured" }, unknownCollector]).pipe(
      Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer)),
      Layer.provide(MemoryMarketStore)
    )
    const { report } = Context.get(yield* Layer.build(layer), MarketHealth)
    yield* TestClock.adjust("1 minute")
    assert.approximately((yield* lags("unmeasured"))["past"]!, 60_000, 15_000)
    yield* TestClock.adjust("3 hours")
    const unmeasuredLags = yield* lags("unmeasured")
    assert.approximately(unmeasuredLags["past"]!, 3 * 3_600_000 + 60_000, 15_000)
    assert.isAtMost(unmeasuredLags["nowhere"]!, 2 * 300_000)
    const collected = (yield* report).collectorsBySource.flatMap((one) => one.collectors)
    assert.isNull(collected.find(({ name }) => name === "past")!.lagMs, "the report has no lag without data")
    source.failure = null
    yield* TestClock.adjust("20 minutes")
    assert.isAtMost((yield* lags("unmeasured"))["past"]!, 2 * 300_000)
  }).pipe(Effect.scoped))

it.effect("measures the lag of a series without data from the start, not from its lookback", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(start + 17_000)
    const source = new ModelSource()
    const { pastCollector, currentCollector } = modelCollectors(source)
    const known = { source: "untold", subjects: Effect.succeed([{ subject: "AAA", from: 0 }]) }
    source.failure = "unreachable"
    const layer = layerCollectors([{ ...pastCollector, ...known }, { ...currentCollector, ...known }]).pipe(
      Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer)),
      Layer.provide(MemoryMarketStore)
    )
    const { report } = Context.get(yield* Layer.build(layer), MarketHealth)
    yield* TestClock.adjust("1 minute")
    assert.approximately((yield* lags("untold"))["past"]!, 60_000, 15_000)
    yield* TestClock.adjust("2 hours")
    const unreportedLags = yield* lags("untold")
    for (const name of ["past", "present"]) {
      assert.approximately(unreportedLags[name]!, 2 * 3_600_000 + 60_000, 15_000, name)
    }
    const collected = (yield* report).collectorsBySource.flatMap((one) => one.collectors)
    for (const { lagMs, name } of collected) assert.isNull(lagMs, name)
    source.failure = null
    yield* TestClock.adjust("20 minutes")
    for (const lag of Object.values(yield* lags("untold"))) assert.isAtMost(lag, 2 * 300_000)
  }).pipe(Effect.scoped))

it.effect("lets the lag grow while the store is unavailable, until another process leads", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(start + 17_000)
    const source = new ModelSource()
    const store = Context.get(yield* Layer.build(MemoryMarketStore), MarketStore)
    const unavailableError = new StoreUnavailable({ store: "memory", cause: "as told" })
    let isUnavailable = false
    const lines: Array<unknown> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push([logLevel, message]))
    const unlessUnavailable = <A, E>(ask: Effect.Effect<A, E>) =>
      Effect.suspend((): Effect.Effect<A, E | StoreUnavailable> => isUnavailable ? Effect.fail(unavailableError) : ask)
    const fallibleStore = MarketStore.of({
      ...store,
      acquireLeadership: (query) => unlessUnavailable(store.acquireLeadership(query)),
      records: (query) => unlessUnavailable(store.records(query)),
      gaps: (query) => unlessUnavailable(store.gaps(query)),
      writePoints: (write) => unlessUnavailable(store.writePoints(write))
    })
    const { pastCollector } = modelCollectors(source)
    const layer = layerCollectors([{ ...pastCollector, source: "unstored" }]).pipe(
      Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer)),
      Layer.provide(Layer.succeed(MarketStore, fallibleStore))
    )
    yield* Layer.build(Layer.provide(layer, Logger.layer([logger])))
    yield* TestClock.adjust("10 minutes")
    isUnavailable = true
    yield* TestClock.adjust("3 hours")
    assert.isAtLeast((yield* lags("unstored"))["past"]!, 3 * 3_600_000)
    assert.deepStrictEqual(lines, [
      [
        "Warn",
        [`the database failed while determining the leader of unstored; collecting continues automatically: ${unavailableError.message}`]
      ]
    ])
    // The lag is not reset if the database recovers only for a short time.
    source.failure = "unreachable"
    isUnavailable = false
    yield* TestClock.adjust("15 seconds")
    isUnavailable = true
    yield* TestClock.adjust("10 minutes")
    assert.isAtLeast((yield* lags("unstored"))["past"]!, 3 * 3_600_000)
    yield* Effect.orDie(store.acquireLeadership({ source: "unstored", holder: "another", ttlMs: 3_600_000 }))
    isUnavailable = false
    yield* TestClock.adjust("1 minute")
    assert.strictEqual((yield* lags("unstored"))["past"], 0)
  }).pipe(Effect.scoped))

import { assert, it } from "@effect/vitest"
import { documentsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Context, Effect, Exit, Layer, Metric, Scope } from "effect"
import { TestClock } from "effect/testing"
import { type Collector, layerCollectors, MarketHealth, SourceHealth } from "../../src/index.ts"
import { modelCollectors, ModelSource, start } from "../support/ModelSource.ts"

/** How far behind the series of a source are, as metrics tell it. */
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

it.effect("metrics tell a lag that grows while a source is away, and none of what is not collected here any more", () =>
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
      ask: source.answer("", () => ({ documents: [], faults: [] }))
    }
    const collectors = [{ ...modelCollectors(source).past, source: "measured" }, documents]
    const scope = yield* Scope.make()
    const layer = layerCollectors(collectors).pipe(
      Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer)),
      Layer.provide(MemoryMarketStore)
    )
    const { report } = Context.get(yield* Layer.buildWithScope(layer, scope), MarketHealth)
    yield* TestClock.adjust("10 minutes")
    assert.isAtMost((yield* lags("measured"))["documents"]!, 60_000)
    source.down = "unreachable"
    yield* TestClock.adjust("1 hour")
    const told = yield* lags("measured")
    assert.isAtLeast(told["documents"]!, 3_540_000, "documents")
    assert.isAtLeast(told["past"]!, 3_540_000, "a series whose subjects are not told either")
    const collected = (yield* report).collected.flatMap((one) => one.collected)
    for (const { lagMs, name } of collected) assert.approximately(told[name]!, lagMs!, 15_000, name)
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(yield* lags("measured"), { documents: 0, past: 0 })
  }))

import { assert, it } from "@effect/vitest"
import { documentsKinds, eventsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Collector, layerCollectors, makeStreamCollector, MarketHealth, SourceHealth } from "../../src/index.ts"
import { SourceStateRecorder } from "../../src/source/SourceStateRecorder.ts"

const source = "venue"
const collector: Collector = {
  _tag: "documents",
  source,
  name: "futures",
  kind: documentsKinds.orderBooks,
  everyMs: 60_000,
  offsetMs: 0,
  fetch: Effect.succeed({ documents: [], faults: [] })
}
const streamCollector = makeStreamCollector({
  source,
  name: "liquidations",
  kind: eventsKinds.liquidations,
  subjects: Effect.succeed(["BTC"]),
  subscribe: Effect.succeed({ take: Effect.never })
})

it.effect("assigns a socket fault to the stream of its name, and a host fault to no collector", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(Date.UTC(2026, 10, 18, 6))
    const layer = layerCollectors([collector, streamCollector]).pipe(
      Layer.provideMerge(MarketHealth.layer),
      Layer.provideMerge(SourceHealth.layer),
      Layer.provide(MemoryMarketStore)
    )
    const context = yield* Layer.build(layer)
    yield* TestClock.adjust("1 minute")
    for (const part of ["futures", "liquidations"]) {
      const recorder = new SourceStateRecorder()
      const at = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      recorder.recordFailure({ failure: "malformed", reason: `as ${part} told`, canRetry: true }, at)
      const partState = { source: `${source}/${part}`, breaker: "closed" as const, next: null, waiting: 0 }
      yield* Context.get(context, SourceHealth).register((now) => recorder.state(now, partState))
    }
    const { collectorsBySource: [one] } = yield* Context.get(context, MarketHealth).report
    assert.deepStrictEqual(
      one!.collectors.map(({ lastFault, name }) => [name, lastFault?.reason ?? null]),
      [["futures", null], ["liquidations", "as liquidations told"]]
    )
  }).pipe(Effect.scoped))

import { assert, it } from "@effect/vitest"
import { StoreUnavailable } from "@tapeline/core/engine"
import { dayMs, hourMs } from "@tapeline/core/market"
import { documentsKinds, type Fence, MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  defaultRetention,
  layerRetention,
  MarketHealth,
  type Retention,
  type SeriesCollector,
  SourceHealth
} from "../../src/index.ts"
import { limitToRetention } from "../../src/live/retention.ts"

const now = Date.parse("2026-11-20T12:31:17.000Z")
const month = (n: number): number => Date.UTC(2026, n)

const makeWatchedStore = Effect.gen(function*() {
  const store = Context.get(yield* Layer.build(MemoryMarketStore), MarketStore)
  const prunedKinds: Array<string> = []
  const state = { isUnavailable: false }
  const service: MarketStore["Service"] = {
    ...store,
    prune: (query) =>
      Effect.suspend(() => {
        prunedKinds.push(query.kind.name)
        return state.isUnavailable
          ? Effect.fail(new StoreUnavailable({ store: "MarketStore", cause: new Error("away") }))
          : store.prune(query)
      })
  }
  return { store, prunedKinds, state, layer: Layer.succeed(MarketStore, service) }
})

const fill = Effect.fnUntraced(function*(store: MarketStore["Service"]) {
  const leadership = yield* store.acquireLeadership({ source: "test", holder: "test", ttlMs: hourMs })
  const fence: Fence = leadership._tag === "Leads" ? leadership.fence : assert.fail("another process leads")
  const row = (time: number) => ({ time, price: 1 })
  yield* store.writePoints({
    kind: pointsKinds.prices,
    fence,
    series: [{
      subject: "BTC",
      source: "test",
      rows: [row(month(4)), row(month(7)), row(month(8)), row(month(10))],
      covers: [{ from: month(4), to: month(10) + 60_000 }]
    }]
  })
  const document = { source: "test", document: "{}" }
  for (const kind of [documentsKinds.coins, documentsKinds.orderBooks]) {
    const documents = [{ key: "OLD", time: now - 31 * dayMs, ...document }, { key: "NEW", time: now, ...document }]
    yield* store.writeDocuments({ kind, fence, documents })
  }
})

const retention: Retention = { ...defaultRetention, prices: 100 }
const limitedPeriods = Object.values(retention).filter((days) => days !== null).length

it.effect("prunes old data in one process, kind by kind, and keeps unlimited kinds", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const { prunedKinds, layer, state, store } = yield* makeWatchedStore
    yield* fill(store)
    state.isUnavailable = true
    const health = MarketHealth.layer.pipe(Layer.provideMerge(SourceHealth.layer))
    const process = () =>
      Layer.build(Layer.fresh(layerRetention(retention).pipe(Layer.provide(layer), Layer.provideMerge(health))))
    const [one, other] = [yield* process(), yield* process()]
    const states = Effect.map(
      Effect.all([Context.get(one, MarketHealth).report, Context.get(other, MarketHealth).report]),
      (reports) => reports.flatMap(({ collectorsBySource }) => collectorsBySource)
    )
    yield* TestClock.adjust(1)
    assert.strictEqual(prunedKinds.length, limitedPeriods)
    const [leadingState] = (yield* states).filter(({ lead }) => lead === "leads")
    assert.deepStrictEqual(
      leadingState!.collectors.map(({ lastFault }) => lastFault?.failure),
      Array(limitedPeriods).fill("store")
    )
    assert.strictEqual((yield* states).filter(({ lead }) => lead === "follows").length, 1)

    // After the failure, each deletion is retried once and then waits for hours.
    state.isUnavailable = false
    yield* TestClock.adjust("5 minutes")
    assert.strictEqual(prunedKinds.length, 2 * limitedPeriods)
    yield* TestClock.adjust("5 hours")
    assert.strictEqual(prunedKinds.length, 2 * limitedPeriods)
    const [restoredState] = (yield* states).filter(({ lead }) => lead === "leads")
    assert.isTrue(restoredState!.collectors.every(({ completeAt }) => completeAt !== null))

    const read = yield* store.points({ kind: pointsKinds.prices, from: month(0), to: month(12) })
    assert.deepStrictEqual(
      read.get("BTC")!.points.map(({ time }) => time),
      [month(7), month(8), month(10)]
    )
    assert.deepStrictEqual([...(yield* store.documents({ kind: documentsKinds.orderBooks })).keys()], ["NEW"])
    assert.deepStrictEqual([...(yield* store.documents({ kind: documentsKinds.coins })).keys()].sort(), ["NEW", "OLD"])
  }).pipe(Effect.scoped))

it("limits the lookback of a collector to the retention", () => {
  const collector = (kind: SeriesCollector["kind"], lookbackMs: number): SeriesCollector => ({
    _tag: "series",
    source: "test",
    name: "test",
    kind,
    everyMs: 60_000,
    offsetMs: 0,
    rowTimes: "instants",
    subjects: Effect.succeed([]),
    backfill: { fetch: () => Effect.never, sourceRetentionMs: 5_000 * dayMs, lookbackMs, maxIntervalMs: hourMs }
  })
  const requestedDays = (kind: SeriesCollector["kind"], days: number) => {
    const limitedCollector = limitToRetention(retention)(collector(kind, days * dayMs))
    return limitedCollector._tag === "series"
      ? limitedCollector.backfill!.lookbackMs / dayMs
      : assert.fail("the collector must be a series")
  }
  assert.deepStrictEqual(
    [
      requestedDays(pointsKinds.prices, 400),
      requestedDays(pointsKinds.prices, 7),
      requestedDays(pointsKinds.equityDays, 4_000)
    ],
    [100, 7, 4_000]
  )
})

import { assert, it } from "@effect/vitest"
import { minuteMs, SourceUnavailable } from "@tapeline/core/market"
import {
  documentsKinds,
  type EventRow,
  eventsKinds,
  MarketStore,
  type PointsKind,
  pointsKinds
} from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Context, Effect, Exit, Layer, Queue, Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  type Collector,
  type DocumentsCollector,
  layerCollectors,
  makeStreamCollector,
  MarketHealth,
  type SocketEvent,
  SourceHealth
} from "../../src/index.ts"
import { modelCollectors, ModelSource, retentionMs, start, stepMs } from "../support/ModelSource.ts"

const collecting = Effect.fnUntraced(function*(collectors: ReadonlyArray<Collector>, holder = "one") {
  const scope = yield* Scope.fork(yield* Effect.scope)
  const layer = layerCollectors(collectors, { holder }).pipe(
    Layer.provideMerge(Layer.provide(MarketHealth.layer, SourceHealth.layer))
  )
  const health = Context.get(yield* Layer.buildWithScope(layer, scope), MarketHealth)
  return { report: health.report, stop: Scope.close(scope, Exit.void) }
})

const begin = TestClock.setTime(start + 17_000)
const pastCollector = (source: ModelSource) => [modelCollectors(source).pastCollector]
const gapsOf = (kind: PointsKind, subject: string, from: number, to: number) =>
  Effect.flatMap(
    MarketStore,
    (store) => Effect.map(store.gaps({ kind, subjects: [subject], from, to }), (gaps) => gaps.get(subject)!)
  )

it.effect("records the newest rows first, back to the lookback, and requests nothing twice", () =>
  Effect.gen(function*() {
    yield* begin
    const source = new ModelSource()
    const fetches: Array<string> = []
    const collector = modelCollectors(source).pastCollector
    const { backfill } = collector
    const watchedCollector = {
      ...collector,
      backfill: {
        ...backfill,
        fetch: (subject: string, interval: { readonly from: number; readonly to: number }) => {
          if (subject === "AAA") fetches.push(`${(interval.from - start) / stepMs}..${(interval.to - start) / stepMs}`)
          return backfill.fetch(subject, interval)
        }
      }
    }
    const one = yield* collecting([watchedCollector])
    yield* TestClock.adjust(minuteMs)
    assert.deepStrictEqual(fetches, ["-5..0", "-10..-5", "-15..-10", "-18..-15"])
    yield* TestClock.adjust(2 * stepMs)
    assert.deepStrictEqual(fetches.slice(4), ["0..1", "1..2"])

    yield* one.stop
    yield* TestClock.adjust(12 * stepMs)
    fetches.length = 0
    yield* collecting([watchedCollector], "another")
    yield* TestClock.adjust(minuteMs)
    assert.deepStrictEqual(fetches, ["9..14", "4..9", "2..4"])
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("marks as lost only what the source no longer keeps", () =>
  Effect.gen(function*() {
    yield* begin
    const source = new ModelSource()
    const one = yield* collecting(pastCollector(source))
    yield* TestClock.adjust(stepMs)
    source.failure = "unreachable"
    yield* TestClock.adjust(retentionMs + 3 * stepMs)
    source.failure = null
    yield* TestClock.adjust(2 * stepMs)
    const end = start + retentionMs + 6 * stepMs
    const gaps = yield* gapsOf(pointsKinds.impliedVolatilities, "AAA", start - 18 * stepMs, end)
    assert.deepStrictEqual(gaps, { missing: [], lost: [{ from: start + stepMs, to: gaps.lost[0]!.to }] })
    assert.isAtMost(gaps.lost[0]!.to, start + 6 * stepMs)
    const { collectorsBySource: [state] } = yield* one.report
    assert.deepInclude(state, { source: "model", lead: "leads", holder: "one" })
    assert.deepInclude(state!.collectors[0], { name: "past", gaps: 0, missingMs: 0 })
    assert.isAbove(state!.collectors[0]!.lostMs, 0)
    assert.strictEqual(state!.collectors[0]!.lastFault?.failure, "unreachable")
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("reports its lag while the source is unavailable", () =>
  Effect.gen(function*() {
    yield* begin
    const source = new ModelSource()
    const one = yield* collecting(Object.values(modelCollectors(source)))
    yield* TestClock.adjust(stepMs)
    const lags = Effect.map(one.report, ({ collectorsBySource }) =>
      collectorsBySource[0]!.collectors.map(({ lagMs }) => lagMs))
    assert.deepStrictEqual(yield* lags, [17_000, 0])
    source.failure = "blocked"
    yield* TestClock.adjust(12 * stepMs)
    assert.deepStrictEqual(yield* lags, [12 * stepMs + 17_000, 11 * stepMs + 17_000])
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("discards a response that is too late for its instant", () =>
  Effect.gen(function*() {
    yield* begin
    const source = new ModelSource()
    yield* collecting([modelCollectors(source).currentCollector])
    yield* TestClock.adjust(stepMs)
    source.responseDelayMs = 40_000
    yield* TestClock.adjust(stepMs + 100_000)
    source.responseDelayMs = 0
    yield* TestClock.adjust(stepMs - 100_000)
    const instant = (nth: number) => start + nth * stepMs
    assert.deepStrictEqual(yield* gapsOf(pointsKinds.fxRates, "AAA", instant(0), instant(4)), {
      lost: [{ from: instant(2), to: instant(3) }],
      missing: []
    })
    // A fault that is shorter than the maximum delay causes no loss.
    source.failure = "unreachable"
    yield* TestClock.adjust(stepMs - 10_000)
    assert.lengthOf((yield* gapsOf(pointsKinds.fxRates, "AAA", instant(3), instant(5))).lost, 0)
    source.failure = null
    yield* TestClock.adjust(10_000)
    assert.deepStrictEqual(yield* gapsOf(pointsKinds.fxRates, "AAA", instant(3), instant(5)), { lost: [], missing: [] })
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("collects from a source in one process, and in another once the first one stops", () =>
  Effect.gen(function*() {
    yield* begin
    const [sourceA, sourceB] = [new ModelSource(), new ModelSource()]
    const one = yield* collecting(pastCollector(sourceA), "one")
    yield* TestClock.adjust(1_000)
    const other = yield* collecting(pastCollector(sourceB), "other")
    yield* TestClock.adjust(2 * stepMs)
    assert.strictEqual(sourceB.requestCount, 0)
    const { collectorsBySource } = yield* other.report
    assert.deepStrictEqual(collectorsBySource, [{ source: "model", lead: "follows", holder: "one", collectors: [] }])
    yield* one.stop
    const requestCount = sourceA.requestCount
    yield* TestClock.adjust(stepMs)
    assert.strictEqual(sourceA.requestCount, requestCount)
    assert.isAbove(sourceB.requestCount, 0)
    assert.deepStrictEqual(yield* gapsOf(pointsKinds.impliedVolatilities, "AAA", start, start + 2 * stepMs), {
      missing: [],
      lost: []
    })
  }).pipe(Effect.provide(MemoryMarketStore)))

const fault = (failure: SourceUnavailable["failure"]) =>
  new SourceUnavailable({ source: "model", failure, reason: "as told", retryable: true })

it.effect("stores the newest documents, even if a fetch reports a fault", () =>
  Effect.gen(function*() {
    yield* begin
    let nth = 0
    const collector: DocumentsCollector = {
      _tag: "documents",
      source: "model",
      name: "books",
      kind: documentsKinds.orderBooks,
      everyMs: minuteMs,
      offsetMs: 0,
      fetch: Effect.suspend(() => {
        const time = start + ++nth
        if (nth === 1) return Effect.fail(fault("unreachable"))
        return Effect.succeed({
          documents: [{ key: "AAA", time, source: "model", document: `${nth}` }],
          faults: nth === 2 ? [fault("malformed")] : []
        })
      })
    }
    const one = yield* collecting([collector])
    const store = yield* MarketStore
    const newest = Effect.map(store.documents({ kind: documentsKinds.orderBooks }), (all) => all.get("AAA")?.document)
    yield* TestClock.adjust(1)
    assert.isUndefined(yield* newest)
    yield* TestClock.adjust(15_000)
    assert.strictEqual(yield* newest, "2")
    assert.isNull((yield* one.report).collectorsBySource[0]!.collectors[0]!.completeAt)
    yield* TestClock.adjust(15_000)
    assert.strictEqual(yield* newest, "3")
    yield* TestClock.adjust(10_000)
    assert.strictEqual(yield* newest, "3")
    yield* TestClock.adjust(minuteMs)
    assert.strictEqual(yield* newest, "4")
  }).pipe(Effect.provide(MemoryMarketStore)))

type Liquidation = EventRow<"price" | "sizeUsd">

const liquidation = (id: string, time: number): Liquidation => ({
  id,
  time,
  subjects: ["AAA"],
  source: "model",
  label: "long",
  document: null,
  price: 100,
  sizeUsd: 5
})

it.effect("stores the events and coverage of a stream, and marks its gaps as lost", () =>
  Effect.gen(function*() {
    yield* begin
    const eventQueue = yield* Queue.unbounded<SocketEvent<Liquidation | null>>()
    const collector = makeStreamCollector({
      source: "model",
      name: "liquidations",
      kind: eventsKinds.liquidations,
      subjects: Effect.succeed(["AAA", "BBB"]),
      subscribe: Effect.succeed({ take: Queue.takeAll(eventQueue) })
    })
    const at = (seconds: number) => start + 1_000 * seconds
    const offerEvents = (events: ReadonlyArray<SocketEvent<Liquidation | null>>) =>
      Effect.andThen(Queue.offerAll(eventQueue, events), TestClock.adjust(6_000))
    const one = yield* collecting([collector])
    yield* offerEvents([
      { _tag: "up", at: at(20) },
      { _tag: "heard", value: liquidation("a", at(21)), at: at(21) },
      { _tag: "heard", value: null, at: at(21) },
      { _tag: "alive", at: at(22) }
    ])
    yield* offerEvents([
      { _tag: "heard", value: liquidation("b", at(23)), at: at(23) },
      { _tag: "heard", value: liquidation("b", at(23)), at: at(23) },
      { _tag: "gap", from: at(24), to: at(28), why: "it dropped" },
      { _tag: "up", at: at(28) },
      { _tag: "alive", at: at(30) }
    ])
    const store = yield* MarketStore
    const kind = eventsKinds.liquidations
    const read = Effect.map(
      store.events({ kind, subject: "AAA", from: at(0), to: at(90), limit: 9 }),
      ({ events, gaps }) => ({ ids: events.map(({ id }) => id), gaps })
    )
    assert.deepStrictEqual(yield* read, {
      ids: ["a", "b"],
      gaps: {
        lost: [{ from: at(24), to: at(28) }],
        missing: [{ from: at(0), to: at(20) }, { from: at(30), to: at(90) }]
      }
    })
    // A second process starts after an interval in which no process received events.
    yield* one.stop
    yield* collecting([collector], "other")
    yield* offerEvents([{ _tag: "up", at: at(50) }, { _tag: "alive", at: at(60) }])
    assert.deepStrictEqual((yield* read).gaps, {
      lost: [{ from: at(24), to: at(28) }, { from: at(30), to: at(50) }],
      missing: [{ from: at(0), to: at(20) }, { from: at(60), to: at(90) }]
    })
  }).pipe(Effect.provide(MemoryMarketStore)))

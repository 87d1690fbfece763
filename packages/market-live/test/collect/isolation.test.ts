import { assert, it } from "@effect/vitest"
import { hourMs, minuteMs } from "@tapeline/core/market"
import { documentsKinds, type EventRow, eventsKinds, MarketStore, marketStoreLimits } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Clock, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import {
  type Collector,
  type DocumentsCollector,
  type EventsCollector,
  layerCollectors,
  MarketHealth,
  SourceHealth
} from "../../src/index.ts"

const now = Date.UTC(2026, 10, 18, 6)
const source = "model"
const kind = documentsKinds.orderBooks

const process = (collectors: ReadonlyArray<Collector>) =>
  layerCollectors(collectors).pipe(
    Layer.provideMerge(MarketHealth.layer),
    Layer.provide(SourceHealth.layer),
    Layer.provideMerge(MemoryMarketStore)
  )

const clockTelling = (name: string, ask: (time: number) => Effect.Effect<number>): DocumentsCollector => ({
  _tag: "documents",
  source,
  name,
  kind,
  everyMs: minuteMs,
  offsetMs: 0,
  fetch: Effect.map(Effect.flatMap(Clock.currentTimeMillis, ask), (time) => ({
    documents: [{ key: name, time, source, document: String(time) }],
    faults: []
  }))
})

const readDocument = (name: string) =>
  Effect.flatMap(
    MarketStore,
    (store) => Effect.map(store.documents({ kind, keys: [name] }), (all) => all.get(name)?.time)
  )

const faultOf = (name: string) =>
  Effect.flatMap(MarketHealth, ({ report }) =>
    Effect.map(
      report,
      ({ collectorsBySource: [one] }) => one?.collectors.find((each) => each.name === name)?.lastFault?.failure
    ))

it.effect("reports a collector that breaks, keeps the others running, and resumes it", () => {
  let isBroken = true
  let fetchCount = 0
  const workingClock = clockTelling("good", (time) => Effect.sync(() => (fetchCount++, time)))
  const faultyClock = clockTelling(
    "bad",
    (time) => isBroken ? Effect.die(new Error("a mistake")) : Effect.succeed(time)
  )
  return Effect.gen(function*() {
    yield* TestClock.setTime(now)
    yield* Effect.gen(function*() {
      yield* TestClock.adjust(10 * minuteMs)
      assert.strictEqual(yield* readDocument("good"), now + 10 * minuteMs)
      assert.strictEqual(fetchCount, 11)
      assert.strictEqual(yield* faultOf("bad"), "broken")
      assert.isUndefined(yield* faultOf("good"))
      isBroken = false
      yield* TestClock.adjust(minuteMs)
      assert.strictEqual(yield* readDocument("bad"), now + 11 * minuteMs)
    }).pipe(Effect.provide(process([faultyClock, workingClock])))
  })
})

it.effect("logs a lease request that breaks, and resumes once it works", () => {
  let isBroken = false
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
  const breaking = Layer.effect(
    MarketStore,
    Effect.map(MarketStore, (store) =>
      MarketStore.of({
        ...store,
        acquireLeadership: (query) =>
          Effect.suspend(() => isBroken ? Effect.die(new Error("a mistake")) : store.acquireLeadership(query))
      }))
  )
  const one = clockTelling("one", (time) => Effect.succeed(time))
  const collecting = layerCollectors([one], { holder: "this process" }).pipe(
    Layer.provideMerge(MarketHealth.layer),
    Layer.provide(SourceHealth.layer),
    Layer.provideMerge(Layer.provide(breaking, MemoryMarketStore))
  )
  return Effect.gen(function*() {
    yield* TestClock.setTime(now)
    yield* Effect.gen(function*() {
      yield* TestClock.adjust(minuteMs)
      isBroken = true
      yield* TestClock.adjust(5 * minuteMs)
      assert.isTrue(lines.some((line) => line.startsWith("Error Collecting from model failed unexpectedly")))
      const { report } = yield* MarketHealth
      const [source] = (yield* report).collectorsBySource
      assert.deepInclude(source, { lead: "asks", holder: "this process" })
      const [series] = source!.collectors
      assert.strictEqual(series!.name, "one")
      assert.isAtLeast(series!.lagMs!, 4 * minuteMs)
      isBroken = false
      yield* TestClock.adjust(2 * minuteMs)
      assert.strictEqual(yield* readDocument("one"), now + 8 * minuteMs)
    }).pipe(Effect.provide(collecting))
  }).pipe(Effect.provide(Logger.layer([logger])))
})

it.effect("replaces a document that is dated in the future once the clock is right", () => {
  let aheadMs = 3 * hourMs
  const one = clockTelling("one", (time) => Effect.sync(() => time + aheadMs))
  return Effect.gen(function*() {
    yield* TestClock.setTime(now)
    yield* Effect.gen(function*() {
      yield* TestClock.adjust(minuteMs)
      assert.strictEqual(yield* readDocument("one"), now + minuteMs + 3 * hourMs)
      aheadMs = 0
      yield* TestClock.adjust(minuteMs)
      assert.strictEqual(yield* readDocument("one"), now + 2 * minuteMs)
    }).pipe(Effect.provide(process([one])))
  })
})

const event = (id: string): EventRow<"sentiment"> => ({
  id,
  time: now,
  subjects: [],
  source,
  label: null,
  document: "{}",
  sentiment: null
})

const articlesTelling = (
  events: ReadonlyArray<EventRow<"sentiment">>,
  onWrite: Effect.Effect<void> = Effect.void
): EventsCollector => ({
  _tag: "events",
  source,
  name: "articles",
  kind: eventsKinds.articles,
  everyMs: minuteMs,
  offsetMs: 0,
  start: () => Effect.succeed({ fetch: Effect.succeed({ events, faults: [], onWritten: onWrite }) })
})

const afterTick = (events: ReadonlyArray<EventRow<"sentiment">>, sources = 0, ticks = 1) => {
  const counts = { writes: 0, logged: 0, writtenCount: 0 }
  const countWrite = Effect.sync(() => void counts.writtenCount++)
  const logger = Logger.make(({ logLevel }) => void (counts.logged += logLevel === "Error" ? 1 : 0))
  const counting = Layer.effect(
    MarketStore,
    Effect.gen(function*() {
      const store = yield* MarketStore
      const leadership = yield* Effect.orDie(
        store.acquireLeadership({ source: "before", holder: "before", ttlMs: hourMs })
      )
      if (leadership._tag !== "Leads") return yield* Effect.die(new Error("another process leads"))
      const documents = Array.from({ length: sources }, (_, i) => (
        { key: `k${i}`, time: now, source: `s${i}`, document: "1" }
      ))
      yield* Effect.orDie(store.writeDocuments({ kind, fence: leadership.fence, documents }))
      return MarketStore.of({
        ...store,
        writeEvents: (write) => Effect.suspend(() => (counts.writes++, store.writeEvents(write)))
      })
    })
  )
  const collecting = layerCollectors([articlesTelling(events, countWrite)]).pipe(
    Layer.provideMerge(MarketHealth.layer),
    Layer.provide(SourceHealth.layer),
    Layer.provideMerge(Layer.provide(counting, MemoryMarketStore))
  )
  return Effect.gen(function*() {
    yield* TestClock.setTime(now)
    return yield* Effect.gen(function*() {
      yield* TestClock.adjust(1_000 + (ticks - 1) * minuteMs)
      const store = yield* MarketStore
      const query = { kind: eventsKinds.articles, from: now - hourMs, to: now + hourMs, limit: 10_000 }
      const storedIds = (yield* store.events(query)).events.map(({ id }) => id)
      return { ...counts, storedIds, fault: yield* faultOf("articles") }
    }).pipe(Effect.provide(collecting))
  }).pipe(Effect.provide(Logger.layer([logger])))
}

it.effect("stores all other events if the store rejects one", () =>
  Effect.gen(function*() {
    const events = [...Array.from({ length: 700 }, (_, i) => event(`e${i}`)), event("x".repeat(300)), event("last")]
    const { fault, logged, storedIds, writes, writtenCount } = yield* afterTick(events)
    assert.lengthOf(storedIds, 701)
    assert.include(storedIds, "last")
    assert.strictEqual(fault, "refused")
    // A single search finds the rejected event among all events, and later rounds skip the event.
    assert.deepStrictEqual([logged, writtenCount], [1, 1])
    assert.isBelow(writes, 25)
  }))

it.effect("searches for no invalid row if the store is full, and returns all events again", () =>
  Effect.gen(function*() {
    const events = Array.from({ length: 500 }, (_, i) => event(`e${i}`))
    const { fault, logged, storedIds, writes, writtenCount } = yield* afterTick(events, marketStoreLimits.maxSources)
    assert.deepStrictEqual({ logged, storedIds, writes, writtenCount }, {
      logged: 1,
      storedIds: [],
      writes: 1,
      writtenCount: 0
    })
    assert.strictEqual(fault, "refused")
  }))

it.effect("limits the search for valid rows if every row is rejected, and returns all events again", () =>
  Effect.gen(function*() {
    const events = Array.from({ length: 500 }, (_, i) => event(`${"x".repeat(300)}${i}`))
    const { fault, logged, storedIds, writes, writtenCount } = yield* afterTick(events)
    assert.deepStrictEqual({ logged, storedIds, writtenCount }, { logged: 1, storedIds: [], writtenCount: 0 })
    assert.isBelow(writes, 60)
    assert.strictEqual(fault, "refused")
  }))

it.effect("stores the valid events after and among many rejected ones", () =>
  Effect.gen(function*() {
    const goodEvents = Array.from({ length: 700 }, (_, i) => event(`e${i}`))
    const rejectedEvents = Array.from({ length: 40 }, (_, i) => event(`${"x".repeat(300)}${i}`))
    const afterRejected = yield* afterTick([...rejectedEvents.slice(0, 20), ...goodEvents])
    assert.lengthOf(afterRejected.storedIds, 700)
    assert.deepStrictEqual([afterRejected.logged, afterRejected.writtenCount, afterRejected.fault], [1, 0, "refused"])
    // If the rejected rows are scattered among valid rows, later rounds do not search for known rejected rows again.
    const mixedEvents = goodEvents.flatMap((one, i) =>
      i % 16 === 0 && i < 16 * 40 ? [rejectedEvents[i / 16]!, one] : [one]
    )
    const later = yield* afterTick(mixedEvents, 0, 4)
    assert.lengthOf(later.storedIds, 700)
    assert.deepStrictEqual([later.writtenCount, later.fault], [0, "refused"])
    const longAfter = yield* afterTick(mixedEvents, 0, 24)
    assert.strictEqual(longAfter.logged, later.logged)
    assert.isAtMost(longAfter.writes - later.writes, 40)
  }))

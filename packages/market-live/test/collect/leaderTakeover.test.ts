/** Tests a process that freezes, is replaced by another process, and wakes. */
import { assert, it } from "@effect/vitest"
import { minuteMs } from "@tapeline/core/market"
import { clipRanges, documentsKinds, type EventRow, eventsKinds, MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Clock, Effect, Latch, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import {
  type Collector,
  layerCollectors,
  makeStreamCollector,
  MarketHealth,
  type SocketEvent,
  SourceHealth
} from "../../src/index.ts"

type Liquidation = EventRow<typeof eventsKinds.liquidations.columns[number]>

const begin = Date.UTC(2026, 10, 18, 6)
const stepMs = 30_000

const liquidation = (time: number, source: string): Liquidation => ({
  id: `AAA:${time}`,
  time,
  subjects: ["AAA"],
  source,
  label: "long",
  document: null,
  price: 1,
  sizeUsd: 1
})

const articles = (now: number, source: string) =>
  Array.from({ length: 20 }, (_, i) => Math.floor(now / stepMs) * stepMs - i * stepMs)
    .filter((time) => time >= begin)
    .map((time) => ({ id: `article:${time}`, time, subjects: [], source, label: "feed", document: "{}", sentiment: 0 }))

const frozenBy = (store: MarketStore["Service"], latch: Latch.Latch): MarketStore["Service"] =>
  new Proxy(store, {
    get: (target, name, self) => {
      const member: unknown = Reflect.get(target, name, self)
      if (typeof member !== "function") return member
      return (...args: ReadonlyArray<unknown>) => Effect.andThen(latch.await, Reflect.apply(member, target, args))
    }
  })

const startProcess = Effect.fnUntraced(function*(holder: string) {
  const queue = yield* Queue.unbounded<SocketEvent<Liquidation>>()
  const latch = yield* Latch.make(true)
  const collectors: ReadonlyArray<Collector> = [
    makeStreamCollector({
      source: "model",
      name: "liquidations",
      kind: eventsKinds.liquidations,
      subjects: Effect.succeed(["AAA"]),
      subscribe: Effect.succeed({ take: Queue.takeAll(queue) })
    }),
    {
      _tag: "events",
      source: "model",
      name: "articles",
      kind: eventsKinds.articles,
      everyMs: minuteMs,
      offsetMs: 0,
      start: () =>
        Effect.succeed({
          fetch: Effect.map(Clock.currentTimeMillis, (now) => ({ events: articles(now, holder), faults: [] }))
        })
    },
    {
      _tag: "documents",
      source: "model",
      name: "books",
      kind: documentsKinds.orderBooks,
      everyMs: minuteMs,
      offsetMs: 0,
      fetch: Effect.map(Clock.currentTimeMillis, (now) => ({
        documents: [{ key: "AAA", time: now, source: holder, document: JSON.stringify({ by: holder, at: now }) }],
        faults: []
      }))
    }
  ]
  const store = yield* MarketStore
  yield* Layer.build(
    layerCollectors(collectors, { holder }).pipe(
      Layer.provide(Layer.succeed(MarketStore, frozenBy(store, latch))),
      Layer.provide(MarketHealth.layer),
      Layer.provide(SourceHealth.layer)
    )
  )
  const at = yield* Clock.currentTimeMillis
  yield* Queue.offer(queue, { _tag: "up", at })
  return {
    latch,
    receiveLiquidation: (time: number) =>
      Queue.offerAll(queue, [
        { _tag: "heard", value: liquidation(time, holder), at: time },
        { _tag: "alive", at: time }
      ])
  }
})

it.effect("stores each event outside the gap once and reverts no document when a leader wakes late", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(begin)
    const store = yield* MarketStore
    const processes = [yield* startProcess("first"), yield* startProcess("second")]
    const pass = (minutes: number) =>
      Effect.replicateEffect(
        Effect.gen(function*() {
          const now = yield* Clock.currentTimeMillis
          for (const { receiveLiquidation } of processes) yield* receiveLiquidation(now)
          yield* TestClock.adjust(stepMs)
        }),
        2 * minutes,
        { discard: true }
      )
    const book = Effect.map(
      store.documents({ kind: documentsKinds.orderBooks, keys: ["AAA"] }),
      (rows) => rows.get("AAA")!
    )
    yield* pass(10)
    assert.strictEqual((yield* book).source, "first")
    yield* processes[0]!.latch.close
    yield* pass(10)
    const lockedFirewall = yield* book
    assert.strictEqual(lockedFirewall.source, "second")
    yield* processes[0]!.latch.open
    yield* pass(10)
    const last = yield* book
    assert.deepStrictEqual([last.source, last.time > lockedFirewall.time], ["second", true])

    const to = yield* Clock.currentTimeMillis
    const storedEvents = yield* store.events({
      kind: eventsKinds.liquidations,
      subject: "AAA",
      from: begin,
      to,
      limit: 1_000
    })
    const times = storedEvents.events.map(({ time }) => time)
    assert.lengthOf(new Set(times), times.length)
    const gaps = [...storedEvents.gaps.lost, ...storedEvents.gaps.missing]
    const due = Array.from({ length: (to - begin) / stepMs }, (_, i) => begin + i * stepMs)
      .filter((time) => clipRanges(gaps, { from: time, to: time + 1 }).length === 0)
    assert.deepStrictEqual(due.filter((time) => !times.includes(time)), [])
    // At most the events of one lease and the unwritten events of the first leader are missing.
    assert.isAbove(due.length, 50)
    const sources = storedEvents.events.map(({ source }) => source)
    assert.strictEqual(sources.lastIndexOf("first") + 1, sources.indexOf("second"))

    const storedArticles = yield* store.events({ kind: eventsKinds.articles, from: begin, to, limit: 1_000 })
    const ids = storedArticles.events.map(({ time }) => time)
    assert.deepStrictEqual([ids.length, new Set(ids).size], [ids.length, ids.length])
    assert.deepStrictEqual(
      Array.from({ length: (to - begin) / stepMs - 2 }, (_, i) => begin + i * stepMs).filter((time) =>
        !ids.includes(time)
      ),
      []
    )
  }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)))

import { assert, it } from "@effect/vitest"
import { minuteMs } from "@tapeline/core/market"
import { type EventRow, eventsKinds, MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Clock, Effect, Layer, Queue } from "effect"
import { TestClock } from "effect/testing"
import { layerCollectors, makeStreamCollector, MarketHealth, type SocketEvent, SourceHealth } from "../../src/index.ts"

type Liquidation = EventRow<typeof eventsKinds.liquidations.columns[number]>

const kind = eventsKinds.liquidations
const now = Date.UTC(2026, 10, 18, 6)

const makeStream = Effect.gen(function*() {
  const queue = yield* Queue.unbounded<SocketEvent<string>>()
  let listed: ReadonlyArray<string> = ["AAA"]
  let tracked = new Set<string>()
  const rowOf = (subject: string, time: number): Liquidation => ({
    id: `${subject}:${time}`,
    time,
    subjects: [subject],
    source: "model",
    label: "long",
    document: null,
    price: 1,
    sizeUsd: 1
  })
  const eventOf = (event: SocketEvent<string>): SocketEvent<Liquidation | null> =>
    event._tag === "heard"
      ? { ...event, value: tracked.has(event.value) ? rowOf(event.value, event.at) : null }
      : event
  const collector = makeStreamCollector({
    source: "model",
    name: "liquidations",
    kind,
    subjects: Effect.sync(() => {
      tracked = new Set(listed)
      return listed
    }),
    subscribe: Effect.succeed({ take: Effect.map(Queue.takeAll(queue), (events) => events.map(eventOf)) })
  })
  const passMinute = Effect.gen(function*() {
    for (const _ of [1, 2]) {
      const at = yield* Clock.currentTimeMillis
      yield* Queue.offerAll(queue, [
        { _tag: "heard", value: "AAA", at },
        { _tag: "heard", value: "BBB", at },
        { _tag: "alive", at: at - 10_000 }
      ])
      yield* TestClock.adjust(minuteMs / 2)
    }
  })
  return {
    collector,
    up: Effect.flatMap(Clock.currentTimeMillis, (at) => Queue.offer(queue, { _tag: "up", at })),
    lists: (...coins: ReadonlyArray<string>) => void (listed = coins),
    pass: (minutes: number) => Effect.replicateEffect(passMinute, minutes, { discard: true })
  }
})

/** Returns the times of liquidations that are missing in the store although their time counts as covered. */
const missingOf = Effect.fnUntraced(function*(subject: string) {
  const [store, to] = yield* Effect.all([MarketStore, Clock.currentTimeMillis])
  const { events, gaps } = yield* store.events({ kind, subject, from: now, to, limit: 1_000 })
  const storedTimes = new Set(events.map(({ time }) => time))
  const isGap = (time: number) => [...gaps.lost, ...gaps.missing].some((gap) => gap.from <= time && time < gap.to)
  const due = Array.from({ length: (to - now) / 30_000 }, (_, i) => now + 30_000 * i)
  const covered = due.filter((time) => !isGap(time))
  return { covered: covered.length, missing: covered.filter((time) => !storedTimes.has(time)), gaps }
})

it.effect("covers a coin only while it is tracked", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const stream = yield* makeStream
    yield* Effect.gen(function*() {
      yield* stream.up
      yield* stream.pass(3)
      stream.lists("AAA", "BBB")
      yield* stream.pass(20)
      stream.lists("BBB")
      yield* stream.pass(20)
      stream.lists("AAA", "BBB")
      yield* stream.pass(20)
      const [known, lateMissing] = [yield* missingOf("AAA"), yield* missingOf("BBB")]
      assert.deepStrictEqual([known.missing, lateMissing.missing], [[], []])
      assert.isAbove(known.covered, 40)
      assert.isAbove(lateMissing.covered, 80)
      assert.lengthOf(known.gaps.lost, 1)
      assert.isAbove(known.gaps.lost[0]!.to - known.gaps.lost[0]!.from, 9 * minuteMs)
    }).pipe(Effect.provide(
      layerCollectors([stream.collector]).pipe(
        Layer.provideMerge(MarketHealth.layer),
        Layer.provide(SourceHealth.layer)
      )
    ))
  }).pipe(Effect.provide(MemoryMarketStore)))

import { assert, it } from "@effect/vitest"
import { DerivedDays, type DerivedDaysService, DerivedStore, Recomputation, recompute } from "@tapeline/core/analysis"
import { dayMs, durationMs, hourMs, minuteMs } from "@tapeline/core/market"
import { documentsKinds, MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { makeMemoryDerivedDays, MemoryMarketStore } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Clock, Context, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  coinDocument,
  derivativesVenues,
  layerHourlyDerivation,
  MarketHealth,
  SourceHealth,
  storedCoinDerivatives,
  storedCoinPrices,
  storedSocialFeed
} from "../../src/index.ts"
import { advanceTo, advanceUntil } from "../support/until.ts"

const start = Date.parse("2026-11-20T18:30:00.000Z")
const stepMs = durationMs["5m"]
const recordedInterval = { from: Math.floor(start / dayMs) * dayMs - 12 * dayMs, to: start + 3 * dayMs }
const coins = ["BTC", "ETH"]

/** Writes candles of past and future days. A read returns no candle that is later than the current time. */
const record = Effect.gen(function*() {
  const store = yield* MarketStore
  const leadership = yield* store.acquireLeadership({ source: "test", holder: "test", ttlMs: 60_000 })
  const fence = leadership._tag === "Leads" ? leadership.fence : assert.fail("the test must lead")
  const priceAt = (coin: number, time: number) => 100 * (1 + coin) * Math.exp(0.05 * Math.sin(time / 4e7 + coin))
  const rowsOf = (coin: number) =>
    Array.from({ length: (recordedInterval.to - recordedInterval.from) / stepMs }, (_, i) => {
      const time = recordedInterval.from + i * stepMs
      const [open, close] = [priceAt(coin, time), priceAt(coin, time + stepMs)]
      const ends = { open, close, high: Math.max(open, close), low: Math.min(open, close) }
      return { time, ...ends, volume: 10, quoteVolume: 10 * close, takerBuyVolume: 5 }
    })
  const facts = { sector: "layer1", circulatingSupply: null, maxSupply: null, listedAt: recordedInterval.from }
  const documents = coins.map((key) =>
    coinDocument.encodeRow({ key, time: start, source: "test" }, {
      ...facts,
      name: key,
      delistedAt: null,
      isStablecoin: false
    })
  )
  yield* store.writeDocuments({ kind: coinDocument.kind, fence, documents })
  const series = coins.map((subject, i) => ({ subject, source: "test", rows: rowsOf(i), covers: [recordedInterval] }))
  yield* store.writePoints({ kind: pointsKinds.candles, fence, series })
})

const shared = Effect.gen(function*() {
  yield* TestClock.setTime(start)
  const store = Context.get(yield* Layer.build(Layer.fresh(MemoryMarketStore)), MarketStore)
  yield* Effect.provideService(record, MarketStore, store)
  const rows = new Map<string, string>()
  const inner = makeMemoryDerivedDays()
  const days: DerivedDaysService = {
    get: inner.get,
    put: (put) =>
      Effect.tap(inner.put(put), () =>
        Effect.sync(() => {
          for (const { bytes, day, until } of put.days) {
            rows.set(`${put.rule} ${put.series} ${day}`, `${until} ${Buffer.from(bytes).toString("hex")}`)
          }
        }))
  }
  const derivations: Array<{ readonly holder: string; readonly hour: number }> = []
  const newest = Effect.map(
    store.documents({ kind: documentsKinds.derivations, keys: ["newest"] }),
    (rows) => rows.get("newest")
  )
  return { store, days, derivations, newest, content: () => [...rows].sort(([a], [b]) => a < b ? -1 : 1) }
})
type Shared = Effect.Success<typeof shared>

/** Freezes a process: from the first write of a given hour, the store no longer responds to the process. */
interface FreezeState {
  isDue: boolean
  isFrozen: boolean
}

const startProcess = Effect.fnUntraced(
  function*(
    holder: string,
    { days, derivations, store }: Shared,
    freezing: FreezeState = { isDue: false, isFrozen: false }
  ) {
    const unlessFrozen = <A, E>(operation: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => freezing.isFrozen ? Effect.never : operation)
    const processStore: MarketStore["Service"] = {
      ...store,
      acquireLeadership: (query) => unlessFrozen(store.acquireLeadership(query)),
      resignLeadership: (fence) => unlessFrozen(store.resignLeadership(fence)),
      writeDocuments: (write) =>
        Effect.suspend(() => {
          if (freezing.isDue) freezing.isFrozen = true
          return unlessFrozen(store.writeDocuments(write))
        })
    }
    const ports = Layer.mergeAll(storedCoinPrices, storedCoinDerivatives(derivativesVenues), storedSocialFeed)
    const counted = Layer.effect(
      DerivedStore,
      Effect.map(DerivedStore, (derived) => ({
        ...derived,
        scores: Effect.flatMap(Clock.currentTimeMillis, (now) => {
          derivations.push({ holder, hour: Math.floor(now / hourMs) * hourMs })
          return derived.scores
        })
      }))
    )
    const scope = Scope.makeUnsafe()
    const services = yield* layerHourlyDerivation({ holder, pace: { leaseMs: 30_000 } }).pipe(
      Layer.provideMerge(MarketHealth.layer),
      Layer.provide(SourceHealth.layer),
      Layer.provide(counted),
      Layer.provide(DerivedStore.layer),
      Layer.provide(Layer.succeed(DerivedDays, days)),
      Layer.provide(ports),
      Layer.provide(Layer.succeed(MarketStore, processStore)),
      Layer.fresh,
      Layer.build,
      Effect.provideService(Scope.Scope, scope)
    )
    yield* Effect.addFinalizer(() => Scope.close(scope, Exit.void))
    return { health: Context.get(services, MarketHealth), stop: Scope.close(scope, Exit.void) }
  }
)

const derivedAt = ({ newest }: Shared, time: number) =>
  advanceUntil(
    `the hour of ${new Date(time).toISOString()} is derived`,
    Effect.map(newest, (row) => row?.time === Math.floor(time / hourMs) * hourMs)
  )

const hoursPass = Effect.fnUntraced(function*(one: Shared, hours: number) {
  const now = yield* Clock.currentTimeMillis
  const first = Math.floor(now / hourMs) * hourMs
  for (let i = 1; i <= hours; i++) {
    yield* TestClock.setTime(first + i * hourMs + 5 * minuteMs)
    yield* advanceTo(first + i * hourMs + 7 * minuteMs)
    yield* derivedAt(one, first + i * hourMs)
  }
})

const recomputeAll = (one: Shared, onProgress: Effect.Effect<void>) => {
  const ports = Layer.mergeAll(storedCoinPrices, storedCoinDerivatives(derivativesVenues), storedSocialFeed)
  const store = Layer.succeed(MarketStore, one.store)
  return recompute({ from: recordedInterval.from - 400 * dayMs, holder: "again", onProgress: () => onProgress }).pipe(
    Effect.provide(
      Recomputation.layer.pipe(
        Layer.provide(Layer.succeed(DerivedDays, one.days)),
        Layer.provide(ports),
        Layer.provideMerge(store),
        Layer.fresh
      )
    )
  )
}

/** The rows that a process without failures stores in half a day. */
const uninterruptedRun = Effect.runSync(Effect.cached(Effect.scoped(Effect.gen(function*() {
  const one = yield* shared
  yield* startProcess("alone", one)
  yield* derivedAt(one, start)
  yield* hoursPass(one, 12)
  return { content: one.content(), newest: yield* one.newest }
}))))

it.effect(
  "derives each hour once in two processes, and continues when the leader stops",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const one = yield* shared
      const first = yield* startProcess("first", one)
      yield* derivedAt(one, start)
      yield* startProcess("second", one)
      yield* hoursPass(one, 5)
      const hours = Array.from({ length: 6 }, (_, i) => Math.floor(start / hourMs + i) * hourMs)
      assert.deepStrictEqual(one.derivations, hours.map((hour) => ({ holder: "first", hour })))
      yield* first.stop
      yield* hoursPass(one, 3)
      const later = one.derivations.slice(6)
      assert.isTrue(later.every(({ holder }) => holder === "second"))
      // The new leader derives the last hour again, because the first derivation may not have been stored.
      for (let i = 1; i <= 3; i++) {
        assert.strictEqual(later.filter(({ hour }) => hour === hours[5]! + i * hourMs).length, 1)
      }
    })),
  120_000
)

it.effect.runIf(isFullRun)(
  "stores the same rows after an outage as without one",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const reference = yield* uninterruptedRun
      assert.isAbove(reference.content.length, 30)
      const one = yield* shared
      const before = yield* startProcess("before", one)
      yield* derivedAt(one, start)
      yield* hoursPass(one, 2)
      yield* before.stop
      yield* TestClock.adjust(8 * hourMs)
      assert.notDeepEqual(one.content(), reference.content)
      yield* startProcess("after", one)
      yield* derivedAt(one, start + 10 * hourMs)
      yield* hoursPass(one, 2)
      assert.deepStrictEqual(one.content(), reference.content)
      assert.deepStrictEqual(yield* one.newest, reference.newest)
    })),
  240_000
)

it.effect.runIf(isFullRun)(
  "recomputes all days while another process derives hours, and neither affects the other",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const reference = yield* uninterruptedRun
      const recomputed = yield* Effect.flatMap(shared, (one) => recomputeAll(one, Effect.void))
      assert.strictEqual(recomputed.from, recordedInterval.from)
      const one = yield* shared
      yield* startProcess("leads", one)
      yield* derivedAt(one, start)
      let hours = 0
      const hourPasses = Effect.suspend(() => {
        hours++
        return Effect.orDie(hoursPass(one, 1))
      })
      assert.deepStrictEqual(yield* recomputeAll(one, hourPasses), recomputed)
      assert.isAbove(hours, 5)
      assert.strictEqual(one.derivations.length, 1 + hours)
      yield* hoursPass(one, 12 - hours)
      assert.deepStrictEqual(one.content(), reference.content)
    })),
  240_000
)

it.effect(
  "duplicates and loses no row if a process ends before it marks an hour as derived",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const reference = yield* uninterruptedRun
      const one = yield* shared
      const freezing = { isDue: false, isFrozen: false }
      yield* startProcess("killed", one, freezing)
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          freezing.isDue = false
          freezing.isFrozen = false
        })
      )
      yield* derivedAt(one, start)
      yield* startProcess("other", one)
      yield* hoursPass(one, 2)
      assert.isTrue(one.derivations.every(({ holder }) => holder === "killed"))
      freezing.isDue = true
      yield* hoursPass(one, 10)
      assert.isTrue(freezing.isFrozen)
      const repeatedHours = one.derivations.filter(({ hour }, i) =>
        one.derivations.findIndex((its) => its.hour === hour) !== i
      )
      assert.deepStrictEqual(repeatedHours.map(({ holder }) => holder), ["other"])
      assert.deepStrictEqual(one.content(), reference.content)
      assert.deepStrictEqual(yield* one.newest, reference.newest)
    })),
  240_000
)

import { assert, describe, it } from "@effect/vitest"
import { dayMs, type DerivedStore, hourMs, readValue } from "@tapeline/core"
import { makeBackfilledVenue, makeDerivedEngine, makeFaultyDerivedDays, makeMemoryDerivedDays } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"

const now = Date.UTC(2026, 10, 20, 10, 20)
type Question = Effect.Effect<unknown, unknown>
type DayQuery = Parameters<ReturnType<typeof makeMemoryDerivedDays>["get"]>[0]

const hitRates = (derived: DerivedStore["Service"]) => derived.hitRates({})

/** The number of reads of each coin since `before`. The counts include reads of BTC and ETH for market regimes. */
const readsOf = (
  requestCounts: ReadonlyMap<string, number>,
  coins: ReadonlyArray<string>,
  before?: ReadonlyMap<string, number>
) => coins.map((coin) => (requestCounts.get(coin) ?? 0) - (before?.get(coin) ?? 0))

const expected = (coins: ReadonlyArray<string>, each: number): ReadonlyArray<number> =>
  coins.map((coin) => coin === "BTC" || coin === "ETH" ? 2 * each : each)

describe("derived data in several processes", () => {
  it.effect(
    "is computed once per process and coin without a store, for any number of requests",
    () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const { candleReads, coins, layer } = makeBackfilledVenue(isFullRun ? 100 : 8)
        const engines = [yield* makeDerivedEngine(layer), yield* makeDerivedEngine(layer)]
        const answers = yield* Effect.forEach(
          [...engines, ...engines, ...engines],
          hitRates,
          { concurrency: "unbounded" }
        )
        for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
        yield* Effect.forEach([...engines, ...engines], hitRates)
        assert.deepStrictEqual(readsOf(candleReads, coins), expected(coins, 2))
      }).pipe(Effect.scoped),
    300_000
  )

  it.effect.runIf(isFullRun)(
    "is computed once in total with a store, and again only for a backfilled coin",
    () =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const { candleReads, coins, correctCandles, layer } = makeBackfilledVenue(isFullRun ? 100 : 12)
        const { store, writtenSeries } = yield* makeFaultyDerivedDays(makeMemoryDerivedDays())
        const one = yield* makeDerivedEngine(layer, { store })
        const other = yield* makeDerivedEngine(layer, { store })
        const answer = yield* hitRates(one)
        for (let i = 0; i <= coins.length; i++) yield* Queue.take(writtenSeries)
        for (const engine of [other, one, other]) assert.deepStrictEqual(yield* hitRates(engine), answer)
        assert.deepStrictEqual(readsOf(candleReads, coins), expected(coins, 1))

        const before = new Map(candleReads)
        correctCandles("C7", { from: now - 40 * dayMs, to: now - 39 * dayMs })
        const corrected = yield* hitRates(other)
        assert.strictEqual(yield* Queue.take(writtenSeries), "C7")
        assert.deepStrictEqual(yield* hitRates(one), corrected)
        assert.deepStrictEqual(readsOf(candleReads, coins, before), coins.map((coin) => coin === "C7" ? 1 : 0))
        assert.deepStrictEqual(yield* hitRates(yield* makeDerivedEngine(layer, { bytes: 0 })), corrected)
      }).pipe(Effect.scoped),
    300_000
  )

  it.effect("is computed at most once per process if processes start at the same time", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { candleReads, coins, layer } = makeBackfilledVenue(12)
      const { store } = yield* makeFaultyDerivedDays(makeMemoryDerivedDays())
      const engines = [yield* makeDerivedEngine(layer, { store }), yield* makeDerivedEngine(layer, { store })]
      const [first, second] = yield* Effect.forEach(engines, hitRates, { concurrency: "unbounded" })
      assert.deepStrictEqual(first, second)
      const expectedReads = expected(coins, 2)
      assert.isTrue(readsOf(candleReads, coins).every((reads, i) => reads >= 1 && reads <= expectedReads[i]!))
    }).pipe(Effect.scoped))

  it.effect("does not wait long for a store that never responds, and limits requests to it", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { layer } = makeBackfilledVenue(12)
      let requestCount = 0
      const silent = {
        get: () => Effect.andThen(Effect.sync(() => requestCount++), Effect.never),
        put: () => Effect.never
      }
      const derived = yield* makeDerivedEngine(layer, { store: silent })
      const question = yield* Effect.forkChild(derived.scores)
      let quarters = 0
      for (; question.pollUnsafe() === undefined; quarters++) {
        for (let i = 0; i < 500; i++) yield* Effect.yieldNow
        yield* TestClock.adjust("250 millis")
      }
      assert.isAtMost(quarters, 2)
      assert.isAtMost(requestCount, 8)
      const oracle = yield* makeDerivedEngine(layer)
      assert.deepStrictEqual(yield* derived.scores, yield* oracle.scores)
    }).pipe(Effect.scoped))

  it.effect("does not mix values from before and after a correction", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const venue = makeBackfilledVenue(3)
      const derived = yield* makeDerivedEngine(venue.layer)
      const question = yield* Effect.forkChild(derived.scoreHistory({ coin: "BTC", hours: 700 }))
      // While the query runs, candles are corrected at every turn of the event loop.
      for (let i = 0; question.pollUnsafe() === undefined; i++) {
        if (i < 200) venue.correctCandles("BTC", { from: now - 60 * dayMs, to: now - (i % 30) * hourMs })
        yield* Effect.yieldNow
      }
      const oracle = yield* makeDerivedEngine(venue.layer, { bytes: 0 })
      assert.deepStrictEqual(
        yield* derived.scoreHistory({ coin: "BTC", hours: 700 }),
        yield* oracle.scoreHistory({ coin: "BTC", hours: 700 })
      )
    }).pipe(Effect.scoped))
})

describe("an outage of BTC's candles", () => {
  // Six full hours, five hours that do not begin at a full hour, and an overlap.
  it.effect.each([5, 6])(
    "removes exactly the regimes of its %i hours",
    (hours) =>
      Effect.gen(function*() {
        const first = now - 20 * 60_000 - 31 * dayMs
        const interval = { from: first, to: first + hours * hourMs }
        const venue = makeBackfilledVenue(2)
        venue.removeCandles("BTC", interval)
        const derived = yield* makeDerivedEngine(venue.layer)
        const missing: Array<number> = []
        const readAt = Effect.fnUntraced(function*(hour: number) {
          yield* TestClock.setTime(hour + 20 * 60_000)
          const time = yield* derived.regime.pipe(
            readValue,
            Effect.map((regime) => regime.time),
            Effect.catchTag("NoData", () => Effect.succeed(null))
          )
          if (time !== hour) missing.push(hour)
        })
        // The test reads the first days after the outage hour by hour. For each later day until now, the test reads
        // only the first hours.
        for (let hour = first - 5 * hourMs; hour < first + (isFullRun ? 8 : 2) * dayMs; hour += hourMs) {
          yield* readAt(hour)
        }
        for (let day = Math.ceil(interval.to / dayMs) * dayMs; day < now; day += dayMs) {
          for (let i = 1; i <= (isFullRun ? 6 : 2); i++) yield* readAt(day + i * hourMs)
        }
        assert.deepStrictEqual(missing, Array.from({ length: hours }, (_, i) => first + (i + 1) * hourMs))
      }).pipe(Effect.scoped),
    300_000
  )
})

describe("a slow store", () => {
  it.effect.runIf(isFullRun)("delays a request only briefly, for any number of coins", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { layer } = makeBackfilledVenue(24)
      const inner = makeMemoryDerivedDays()
      /** Returns how long a query waits for a store in which each read takes `readMs`, in ms. */
      const waited = Effect.fnUntraced(function*(readMs: number, ask: (derived: DerivedStore["Service"]) => Question) {
        const store = { ...inner, get: (query: DayQuery) => Effect.delay(inner.get(query), readMs) }
        const question = yield* Effect.forkChild(ask(yield* makeDerivedEngine(layer, { store })))
        let ms = 0
        for (; question.pollUnsafe() === undefined && ms < 20_000; ms += 50) {
          for (let i = 0; i < 200; i++) yield* Effect.yieldNow
          yield* TestClock.adjust(50)
        }
        return ms
      })
      // Each read is faster than the timeout, so the engine keeps using the store.
      assert.isAtMost(yield* waited(240, (derived) => derived.scores), 600)
      assert.isAtMost(yield* waited(1_100, hitRates), 2_600)
    }).pipe(Effect.scoped))
})

import { assert, describe, it } from "@effect/vitest"
import {
  type CoinDerivatives,
  CoinPrices,
  dayMs,
  type DerivedStore,
  hourMs,
  readValue,
  type SocialFeed,
  SourceUnavailable
} from "@tapeline/core"
import { makeBackfilledVenue, makeDerivedEngine, makeMemoryDerivedDays } from "@tapeline/testing"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const minuteMs = 60_000
const hour = Date.UTC(2026, 10, 20, 10)
type Ports = CoinPrices | CoinDerivatives | SocialFeed

const withChangedPrices = (
  market: Layer.Layer<Ports>,
  change: (prices: CoinPrices["Service"]) => Partial<CoinPrices["Service"]>
): Layer.Layer<Ports> =>
  Layer.effect(CoinPrices, Effect.map(CoinPrices, (prices) => ({ ...prices, ...change(prices) }))).pipe(
    Layer.provideMerge(market)
  )

const sum = (requestCounts: ReadonlyMap<string, number>): number =>
  [...requestCounts.values()].reduce((all, one) => all + one, 0)

const everything = Effect.fnUntraced(function*(derived: DerivedStore["Service"]) {
  return {
    scores: yield* derived.scores,
    history: yield* derived.scoreHistory({ coin: "ETH", hours: 30 }),
    coil: yield* derived.coil("BTC"),
    divergences: yield* derived.divergences("BTC"),
    regime: yield* derived.regime,
    signals: yield* derived.signals({ hours: 48 }),
    hitRates: yield* derived.hitRates({})
  }
})

describe("derived data beyond the watermark", () => {
  it.effect.runIf(isFullRun)("is cached for a few seconds while recorded data lags", () =>
    Effect.gen(function*() {
      const venue = makeBackfilledVenue(12)
      yield* TestClock.setTime(hour - 20 * minuteMs)
      const derived = yield* makeDerivedEngine(venue.layer)
      const fresh = Effect.flatMap(makeDerivedEngine(venue.layer, { bytes: 0 }), everything)
      yield* everything(derived)
      venue.setLag(5 * minuteMs)
      yield* TestClock.setTime(hour + 3 * minuteMs)
      const first = yield* everything(derived)
      const before = sum(venue.candleReads)
      for (let i = 0; i < 4; i++) {
        assert.deepStrictEqual(yield* everything(derived), first)
        yield* TestClock.adjust(700)
      }
      assert.strictEqual(sum(venue.candleReads) - before, 0)
      assert.deepStrictEqual(yield* fresh, first)
      // The newest result is kept for only a few seconds, and is discarded when the watermark reaches its hour.
      yield* TestClock.adjust("3 seconds")
      const requestedCandles = sum(venue.candleReads)
      yield* derived.scores
      assert.strictEqual(sum(venue.candleReads) - requestedCandles, 12)
      venue.setLag(0)
      const derivedValues = yield* everything(derived)
      assert.strictEqual(derivedValues.coil.value.time, hour)
      assert.deepStrictEqual(derivedValues, yield* fresh)
    }).pipe(Effect.scoped))

  it.effect("is not stored", () =>
    Effect.gen(function*() {
      const venue = makeBackfilledVenue(3)
      venue.setLag(5 * minuteMs)
      yield* TestClock.setTime(hour + 3 * minuteMs)
      const inner = makeMemoryDerivedDays()
      let newest = -Infinity
      const store = {
        ...inner,
        put: (query: Parameters<typeof inner.put>[0]) => {
          newest = Math.max(newest, ...query.days.map(({ until }) => until))
          return inner.put(query)
        }
      }
      yield* everything(yield* makeDerivedEngine(venue.layer, { store }))
      for (let i = 0; i < 100; i++) yield* Effect.yieldNow
      assert.strictEqual(newest, hour - hourMs)
    }).pipe(Effect.scoped))

  it.effect("keeps the market index cached while one coin lags far behind", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(hour)
      const venue = makeBackfilledVenue(9)
      let hasOutage = true
      let daily = 0
      const market = withChangedPrices(venue.layer, (prices) => ({
        candleRange: (query) => {
          if (query.timeframe === "1d") daily++
          return prices.candleRange(query)
        },
        watermarks: (coins) =>
          Effect.map(prices.watermarks(coins), (read) => ({
            ...read,
            value: new Map(
              [...read.value].map(([coin, one]) => [
                coin,
                hasOutage && coin === "C3" ? { ...one, contiguousUntil: hour - 20 * dayMs } : one
              ])
            )
          }))
      }))
      const derived = yield* makeDerivedEngine(market)
      const fresh = Effect.flatMap(makeDerivedEngine(market, { bytes: 0 }), (engine) => engine.fearGreed(30))
      const first = yield* derived.fearGreed(30)
      const read = daily
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual((yield* derived.fearGreed(30)).value, first.value)
      assert.strictEqual(daily, read)
      assert.deepStrictEqual(yield* fresh, yield* derived.fearGreed(30))
      hasOutage = false
      const fullHistory = yield* derived.fearGreed(30)
      assert.deepStrictEqual(fullHistory, yield* fresh)
      assert.notDeepEqual(fullHistory.value, first.value)
    }).pipe(Effect.scoped))
})

describe("a past that changes at every read", () => {
  it.effect("fails with a retryable error, and never returns mixed data", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(hour)
      const venue = makeBackfilledVenue(2)
      let reads = 0
      let changes = true
      const market = withChangedPrices(venue.layer, (prices) => ({
        candleRange: (query) =>
          Effect.tap(prices.candleRange(query), () =>
            Effect.sync(() => {
              reads++
              if (!changes) return
              for (const coin of venue.coins) {
                venue.correctCandles(coin, { from: hour - 60 * dayMs, to: hour - 2 * dayMs })
              }
            }))
      }))
      const derived = yield* makeDerivedEngine(market)
      const questions: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        derived.regime,
        derived.score("BTC"),
        derived.coil("BTC"),
        derived.divergences("BTC")
      ]
      for (const question of questions) {
        const failure = yield* Effect.flip(question)
        assert.isTrue(failure instanceof SourceUnavailable && failure.retryable)
        assert.isTrue(failure instanceof SourceUnavailable && failure.failure === "filling")
      }
      reads = 0
      yield* Effect.forEach([1, 2, 3, 4, 5], () => Effect.flip(derived.regime), { concurrency: "unbounded" })
      assert.isAtMost(reads, 12)
      changes = false
      const oracle = yield* makeDerivedEngine(market, { bytes: 0 })
      assert.deepStrictEqual(yield* readValue(derived.regime), yield* readValue(oracle.regime))
    }).pipe(Effect.scoped))

  it.effect("is read in fewer attempts if each attempt is slow", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(hour)
      const venue = makeBackfilledVenue(2)
      let slow = false
      let reads = 0
      const market = withChangedPrices(venue.layer, (prices) => ({
        candleRange: (query) =>
          Effect.tap(prices.candleRange(query), () =>
            Effect.gen(function*() {
              reads++
              for (const coin of venue.coins) {
                venue.correctCandles(coin, { from: hour - 60 * dayMs, to: hour - 2 * dayMs })
              }
              if (slow) {
                yield* TestClock.adjust("4 seconds")
              }
            }))
      }))
      const derived = yield* makeDerivedEngine(market)
      const readsOf = Effect.fnUntraced(function*(question: Effect.Effect<unknown, unknown>) {
        reads = 0
        const failure = yield* Effect.flip(question)
        assert.isTrue(failure instanceof SourceUnavailable && failure.failure === "filling")
        return reads
      })
      for (const question of [derived.score("BTC"), derived.regime]) {
        slow = false
        const repeatedReads = yield* readsOf(question)
        slow = true
        assert.strictEqual((yield* readsOf(question)) * 4, repeatedReads)
      }
    }).pipe(Effect.scoped))
})

describe("sources of derived data", () => {
  it.effect("do not depend on earlier requests", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(hour)
      const { layer } = makeBackfilledVenue(3)
      const engineWithoutStore = yield* makeDerivedEngine(layer)
      yield* engineWithoutStore.hitRates({})
      const fresh = yield* makeDerivedEngine(layer)
      assert.deepStrictEqual(yield* engineWithoutStore.score("BTC"), yield* fresh.score("BTC"))
      assert.deepStrictEqual(yield* engineWithoutStore.regime, yield* fresh.regime)
    }).pipe(Effect.scoped))
})

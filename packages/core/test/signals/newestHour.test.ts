import { assert, describe, it } from "@effect/vitest"
import { CoinPrices, type DerivedStore, hourMs, type Interval, type Reading } from "@tapeline/core"
import { makeBackfilledVenue, makeDerivedEngine } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const start = Date.UTC(2026, 10, 20, 22)
const minutes = 60_000

/**
 * Returns a result twenty minutes after a full hour, while the data lags, and the interval of the candles that were
 * read last.
 */
const readDerivedAt = Effect.fnUntraced(function*<A>(
  hour: number,
  lagMs: number,
  ask: (derived: DerivedStore["Service"]) => Effect.Effect<Reading<A>, unknown>
) {
  const venue = makeBackfilledVenue(3)
  venue.setLag(lagMs)
  yield* TestClock.setTime(hour + 20 * minutes)
  const ranges: Array<Interval> = []
  const layerWatchedPrices = Layer.effect(
    CoinPrices,
    Effect.map(CoinPrices, (prices) => ({
      ...prices,
      candleRange: (query: Parameters<typeof prices.candleRange>[0]) => {
        ranges.push({ from: query.from, to: query.to })
        return prices.candleRange(query)
      }
    }))
  ).pipe(Layer.provideMerge(venue.layer))
  const reading = yield* ask(yield* makeDerivedEngine(layerWatchedPrices, { bytes: 0 }))
  return { ...reading, readLast: ranges.at(-1) }
})

describe("an hour that is read in time, and again while later hours lag", () => {
  // The two pairs of lags make the newest recorded hour one or two hours old. The tested hours include midnight.
  const lags = [[1, 45], [2, 105]] as const

  it.effect("has the same coil", () =>
    Effect.gen(function*() {
      for (let hour = start; hour < start + 4 * hourMs; hour += hourMs) {
        const inTime = yield* readDerivedAt(hour, 0, (derived) => derived.coil("BTC"))
        assert.strictEqual(inTime.value.time, hour)
        for (const [hours, lag] of lags) {
          const lateCoil = yield* readDerivedAt(hour + hours * hourMs, lag * minutes, (derived) => derived.coil("BTC"))
          assert.deepStrictEqual(lateCoil, inTime)
        }
      }
    }).pipe(Effect.scoped))

  it.effect("has the same divergences", () =>
    Effect.gen(function*() {
      for (let hour = start; hour < start + 4 * hourMs; hour += hourMs) {
        const ask = (derived: DerivedStore["Service"]) => derived.divergences("BTC")
        const inTime = yield* readDerivedAt(hour, 0, ask)
        assert.strictEqual(inTime.asOf, hour)
        for (const [hours, lag] of lags) {
          assert.deepStrictEqual(yield* readDerivedAt(hour + hours * hourMs, lag * minutes, ask), inTime)
        }
      }
    }).pipe(Effect.scoped))

  it.effect("has signals and outcomes up to that hour", () =>
    Effect.gen(function*() {
      const ask = (derived: DerivedStore["Service"]) => derived.signals({ coin: "BTC", hours: 720 })
      const inTime = yield* readDerivedAt(start, 0, ask)
      assert.deepStrictEqual([inTime.asOf, inTime.value.until, inTime.value.coinsWithoutData], [start, start, []])
      for (const [hours, lag] of lags) {
        const lateSignals = yield* readDerivedAt(start + hours * hourMs, lag * minutes, ask)
        assert.deepStrictEqual([lateSignals.asOf, lateSignals.value.until, lateSignals.value.coinsWithoutData], [
          start,
          start,
          []
        ])
      }
    }).pipe(Effect.scoped))
})

describe("coins with more missing hours than the limit", () => {
  const lag = 290 * minutes

  it.effect("have neither a coil nor a score", () =>
    Effect.gen(function*() {
      for (const ask of ["coil", "score"] as const) {
        const readError = yield* Effect.flip(readDerivedAt<unknown>(start, lag, (derived) => derived[ask]("BTC")))
        assert.deepInclude(readError, { _tag: "NoData", subject: `BTC ${ask}` })
        assert.deepNestedInclude(readError, { "reason.key": "none_hours_recorded" })
      }
    }).pipe(Effect.scoped))

  it.effect("have hit rates and signals as of the newest recorded hour", () =>
    Effect.gen(function*() {
      const newest = start - 5 * hourMs
      for (const query of [{}, { coin: "ETH" }]) {
        const names = "coin" in query ? ["ETH"] : ["BTC", "ETH", "C0"]
        const rates = yield* readDerivedAt(start, lag, (derived) => derived.hitRates(query))
        const signals = yield* readDerivedAt(start, lag, (derived) => derived.signals({ ...query, hours: 100 }))
        for (const { asOf, value } of [rates, signals]) {
          assert.deepStrictEqual([asOf, value.until, [...value.coinsWithoutData].sort()], [
            newest,
            newest,
            names.sort()
          ])
        }
      }
    }).pipe(Effect.scoped))

  it.effect("are named in results, while other coins are current", () =>
    Effect.gen(function*() {
      const venue = makeBackfilledVenue(3)
      venue.removeCandles("ETH", { from: start - 4 * hourMs, to: start + hourMs })
      yield* TestClock.setTime(start + 20 * minutes)
      const derived = yield* makeDerivedEngine(venue.layer)
      const read = yield* derived.signals({ hours: 30 })
      assert.deepStrictEqual([read.asOf, read.value.until, read.value.coinsWithoutData], [start, start, ["ETH"]])
      const singleAnswer = yield* derived.hitRates({ coin: "ETH" })
      assert.strictEqual(singleAnswer.asOf, start - 4 * hourMs)
      venue.removeCandles("ETH", { from: start - 200 * 24 * hourMs, to: start })
      const readError = yield* Effect.flip(derived.hitRates({ coin: "ETH" }))
      assert.deepNestedInclude(readError, { "reason.key": "none_hours_recorded" })
    }).pipe(Effect.scoped))
})

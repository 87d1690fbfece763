import { assert, describe, it } from "@effect/vitest"
import { CoinPrices, type DerivedStore, hourMs, type Interval, type Reading } from "@tapeline/core"
import { derivedEngine, makeBackfilledVenue } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const start = Date.UTC(2026, 10, 20, 22)
const minutes = 60_000

/** What is told twenty minutes after an hour while what is recorded lags, and which candles it stands on. */
const toldAt = Effect.fnUntraced(function*<A>(
  hour: number,
  lagMs: number,
  ask: (derived: DerivedStore["Service"]) => Effect.Effect<Reading<A>, unknown>
) {
  const venue = makeBackfilledVenue(3)
  venue.lag(lagMs)
  yield* TestClock.setTime(hour + 20 * minutes)
  const ranges: Array<Interval> = []
  const watched = Layer.effect(
    CoinPrices,
    Effect.map(CoinPrices, (prices) => ({
      ...prices,
      candleRange: (query: Parameters<typeof prices.candleRange>[0]) => {
        ranges.push({ from: query.from, to: query.to })
        return prices.candleRange(query)
      }
    }))
  ).pipe(Layer.provideMerge(venue.layer))
  const told = yield* ask(yield* derivedEngine(watched, { bytes: 0 }))
  return { ...told, readLast: ranges.at(-1) }
})

describe("an hour that is told in time and again while the next ones lag", () => {
  // The lag takes one hour, two, and more than is waited for; the hours go over midnight.
  const lags = [[1, 45], [2, 105], [5, 290]] as const

  it.effect("has one coil", () =>
    Effect.gen(function*() {
      for (let hour = start; hour < start + 4 * hourMs; hour += hourMs) {
        const inTime = yield* toldAt(hour, 0, (derived) => derived.coil("BTC"))
        assert.strictEqual(inTime.value.time, hour)
        for (const [hours, lag] of lags) {
          const late = yield* toldAt(hour + hours * hourMs, lag * minutes, (derived) => derived.coil("BTC"))
          assert.deepStrictEqual(late, inTime)
        }
      }
    }).pipe(Effect.scoped))

  it.effect("has divergences of the same candles", () =>
    Effect.gen(function*() {
      for (let hour = start; hour < start + 4 * hourMs; hour += hourMs) {
        const ask = (derived: DerivedStore["Service"]) => derived.divergences("BTC")
        const inTime = yield* toldAt(hour, 0, ask)
        assert.strictEqual(inTime.asOf, hour)
        for (const [hours, lag] of lags) {
          assert.deepStrictEqual(yield* toldAt(hour + hours * hourMs, lag * minutes, ask), inTime)
        }
      }
    }).pipe(Effect.scoped))
})

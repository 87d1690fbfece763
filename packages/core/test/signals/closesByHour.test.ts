import { assert, it } from "@effect/vitest"
import {
  bucketStart,
  type Candle,
  dayMs,
  durationMs,
  foldCandles,
  hourMs,
  type Interval,
  makeReading,
  minuteMs,
  NoData,
  type Timeframe
} from "@tapeline/core"
import { isFullRun } from "@tapeline/testing/fullRun"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { type BarSource, readClosedBars } from "../../src/analysis/signals/closedBars.ts"
import { readClosesByHour } from "../../src/analysis/signals/closesByHour.ts"

const fineMs = durationMs["5m"]
const begin = Date.UTC(2026, 0, 5)
const days = 12

interface Recorded {
  readonly listedAt: number
  readonly delistedAt: number | null
  readonly holes: ReadonlyArray<Interval>
  readonly now: number
  /** The delay after which a five-minute candle is recorded. */
  readonly lagMs: number
}

const noData = new NoData({ subject: "BTC", reason: { key: "none_recorded", params: { symbol: "BTC" } } })

/**
 * Returns a `CoinPrices` port with a coin's 5-minute candles, and the list of timeframes that are read from the port.
 */
const marketOf = ({ delistedAt, holes, lagMs, listedAt, now }: Recorded) => {
  const requestedTimeframes: Array<Timeframe> = []
  const end = Math.min(delistedAt ?? Infinity, now - lagMs)
  const fineCandles: Array<Candle> = []
  for (let time = bucketStart("5m", listedAt); time < end; time += fineMs) {
    if (time + fineMs > now - lagMs || holes.some(({ from, to }) => from <= time && time < to)) continue
    const price = 100 + Math.sin(time / hourMs)
    const prices = { open: price, high: price, low: price, close: price }
    fineCandles.push({ time, ...prices, volume: 1, quoteVolume: price, takerBuyVolume: null, closed: true })
  }
  const known = delistedAt === null || delistedAt > now ? null : delistedAt
  const facts = { circulatingSupply: null, maxSupply: null, isStablecoin: false, name: "Bitcoin", sector: "layer1" }
  const prices: BarSource<Candle> = {
    coin: (coin) => Effect.succeed(makeReading({ ...facts, coin, listedAt, delistedAt: known }, "five minutes", now)),
    candleRange: ({ from, timeframe, to }) => {
      requestedTimeframes.push(timeframe)
      const foldedCandles = foldCandles(fineCandles, timeframe, { until: now, listedAt, delistedAt: known })
        .filter(({ time }) => time >= from && time < to)
      return foldedCandles.length === 0
        ? Effect.fail(noData)
        : Effect.succeed(makeReading(foldedCandles, "five minutes", now))
    }
  }
  return { requestedTimeframes, prices }
}

const bars = [["1h", 4 * 24 + 1], ["1d", 5]] as const

/** Returns the closes of the candles that were read, or the failure if no candle exists. */
const readAllBars = (prices: Parameters<typeof readClosesByHour>[0]) =>
  Effect.forEach(bars, ([tf, count]) =>
    readClosedBars(prices, "BTC", tf, count).pipe(
      Effect.map((read) => ({
        ...read,
        candles: read.candles.map(({ close, closed, time }) => ({ time, close, closed }))
      })),
      Effect.exit,
      Effect.map((exit) => Exit.isSuccess(exit) ? exit.value : "nothing")
    ))

const instant = (from: number, to: number) => fc.integer({ min: from, max: to - 1 })

const recordedArbitrary: fc.Arbitrary<Recorded> = fc.record({
  listedAt: instant(begin, begin + days * dayMs),
  delistedAt: fc.option(
    fc.oneof(
      instant(begin, begin + days * dayMs),
      fc.integer({ min: 1, max: days }).map((day) => begin + day * dayMs)
    )
  ),
  holes: fc.array(
    fc.tuple(instant(begin, begin + days * dayMs), fc.constantFrom(fineMs, hourMs, 7 * hourMs, 30 * hourMs))
      .map(([from, length]) => ({ from, to: from + length })),
    { maxLength: 4 }
  ),
  now: fc.oneof(
    instant(begin + 6 * dayMs, begin + days * dayMs),
    fc.integer({ min: 6 * 24, max: days * 24 }).map((hour) => begin + hour * hourMs)
  ),
  lagMs: fc.constantFrom(0, 2_000, 20 * minuteMs, 3 * dayMs)
})

it("derives the same hours and days from one read of hours as from separate reads", () =>
  fc.assert(
    fc.asyncProperty(recordedArbitrary, (one) =>
      Effect.runPromise(
        Effect.gen(function*() {
          yield* TestClock.setTime(one.now)
          const { prices } = marketOf(one)
          const closes = yield* readClosesByHour(prices, "BTC", 5)
          assert.deepStrictEqual(yield* readAllBars(closes), yield* readAllBars(prices))
        }).pipe(Effect.provide(TestClock.layer()))
      )),
    { numRuns: isFullRun ? 1_000 : 100 }
  ))

it.effect("reads a market without an outage once", () =>
  Effect.gen(function*() {
    const now = begin + 10 * dayMs + 90 * minuteMs
    yield* TestClock.setTime(now)
    const { requestedTimeframes, prices } = marketOf({ listedAt: begin, delistedAt: null, holes: [], now, lagMs: 0 })
    const [hours, dates] = yield* readAllBars(yield* readClosesByHour(prices, "BTC", 5))
    assert.deepStrictEqual(requestedTimeframes, ["1h"])
    assert.isTrue(hours !== "nothing" && hours?.candles.length === 97)
    assert.isTrue(dates !== "nothing" && dates?.candles.length === 5)
  }))

it.effect("terminates if a source returns invalid candle times", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(begin + 5 * dayMs)
    const { prices } = marketOf({ listedAt: begin, delistedAt: null, holes: [], now: begin + 5 * dayMs, lagMs: 0 })
    const faultyCandles: ReadonlyArray<(hour: Candle, i: number) => number> = [
      () => NaN,
      () => Infinity,
      ({ time }, i) => i === 30 ? NaN : time,
      ({ time }, i) => i === 30 ? time - 20 * dayMs : time,
      ({ time }) => -time,
      () => begin
    ]
    for (const timeOf of faultyCandles) {
      const closes = yield* readClosesByHour(
        {
          ...prices,
          candleRange: (query) =>
            Effect.map(prices.candleRange(query), (read) => ({
              ...read,
              value: read.value.map((hour, i) => ({ ...hour, time: timeOf(hour, i) }))
            }))
        },
        "BTC",
        5
      )
      const days = yield* closes.candleRange({ coin: "BTC", timeframe: "1d", from: begin, to: begin + 5 * dayMs })
      assert.isAtMost(days.value.length, 5)
    }
  }))

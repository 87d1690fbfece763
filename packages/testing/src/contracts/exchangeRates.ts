import { assert } from "@effect/vitest"
import { dayMs, ExchangeRates, type Gap, hourMs } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertFiniteNumbers,
  assertSeparateGaps,
  assertWithin,
  type CaseOrWaiver,
  makeWaivableCheck,
  marketSuite,
  readDatedValue,
  readValue,
  requestInterval,
  type VenueTime
} from "../market/marketSuite.ts"
import { assertOutage, getInstants, isInGap } from "../market/timeGrid.ts"
import { nullIfNoData } from "./recordedChecks.ts"

/**
 * The facts about a venue that the contract tests of `ExchangeRates` need, with recorded rates for a week before `now`.
 */
export interface RatesVenue extends VenueTime {
  /** An outage of at least half an hour. At `now`, the venue has no data for the outage. */
  readonly outage: CaseOrWaiver<Gap>
}

const pairs = ["usd_krw", "usdt_krw"] as const

/** Defines the contract tests of `ExchangeRates`. */
export const exchangeRatesContract = marketSuite<ExchangeRates, ExchangeRates["Service"], RatesVenue>(ExchangeRates, [
  [
    "the rate of an instant was quoted by that instant, and has the time of its quote",
    (rates, { now }) =>
      Effect.gen(function*() {
        for (const pair of pairs) {
          for (const time of [undefined, now + dayMs, now - 3 * dayMs]) {
            const query = time === undefined ? { pair } : { pair, time }
            const rate = yield* readDatedValue(rates.rate(query), ({ quotedAt }) => quotedAt)
            assertFiniteNumbers(rate)
            assert.strictEqual(rate.pair, pair)
            assert.isAbove(rate.rate, 0)
            assert.isAtMost(rate.quotedAt, rate.time)
            assert.strictEqual(rate.time, Math.min(now, time ?? now))
          }
        }
      })
  ],
  [
    "history has every instant of the grid except in gaps, each equal to a single read",
    (rates, { now }) =>
      Effect.gen(function*() {
        for (const pair of pairs) {
          const query = { pair, stepMs: 4 * hourMs, from: now - 7 * dayMs, to: now + dayMs }
          const { gaps, points } = yield* readDatedValue(
            rates.history(query),
            ({ points }, now) => points.at(-1)?.quotedAt ?? requestInterval(now)
          )
          assertWithin(points, query, now)
          assertSeparateGaps(gaps, query)
          assert.deepStrictEqual(
            points.map(({ time }) => time),
            getInstants(query, now).filter((time) => !isInGap(gaps, time))
          )
          for (const point of [points[0]!, points.at(-1)!]) {
            assert.deepStrictEqual(yield* readValue(rates.rate({ pair, time: point.time })), point)
          }
        }
      })
  ],
  ["the USDT/KRW rate equals the USD/KRW rate, apart from a premium", (rates, { now }) =>
    Effect.gen(function*() {
      for (const time of [now, now - 3 * dayMs]) {
        const usd = yield* readValue(rates.rate({ pair: "usd_krw", time }))
        const usdt = yield* readValue(rates.rate({ pair: "usdt_krw", time }))
        assert.isAtMost(Math.abs(Math.log(usdt.rate / usd.rate)), Math.log(1.3))
      }
    })],
  makeWaivableCheck(
    "an outage is a gap, in which the last rate before it is still returned",
    ({ outage }) => outage,
    (rates, outage) =>
      Effect.gen(function*() {
        for (const pair of pairs) {
          const query = { pair, stepMs: 5 * 60_000, from: outage.from - hourMs, to: outage.to + hourMs }
          const { gaps, points } = yield* readValue(rates.history(query))
          assert.isAbove(points.length, 0)
          assertOutage(outage, gaps, points.map(({ time }) => time))
          const rate = yield* nullIfNoData(readValue(rates.rate({ pair, time: outage.to - 1 })))
          if (rate !== null) assert.isBelow(rate.quotedAt, outage.from)
        }
      })
  )
])

import { assert } from "@effect/vitest"
import { dayMs, ExchangeRates, hourMs } from "@tapeline/core/market"
import { Effect } from "effect"
import { gapsAreApart, isWritable, lieWithin, marketSuite, type Present, told, toldOf } from "../market/suite.ts"

/** What every `ExchangeRates` promises, as tests; `now` is an instant at which it has had rates for a week. */
export const exchangeRatesContract = marketSuite<ExchangeRates, ExchangeRates["Service"], Present>(ExchangeRates, [
  ["the rate of an instant was quoted by then, and is dated so", (rates, { now }) =>
    Effect.gen(function*() {
      for (const pair of ["usd_krw", "usdt_krw"] as const) {
        for (const time of [undefined, now + dayMs, now - 3 * dayMs]) {
          const asked = time === undefined ? { pair } : { pair, time }
          const rate = yield* toldOf(rates.rate(asked), ({ quotedAt }) => quotedAt)
          isWritable(rate)
          assert.strictEqual(rate.pair, pair)
          assert.isAbove(rate.rate, 0)
          assert.isAtMost(rate.quotedAt, rate.time)
          assert.isAtMost(rate.time, Math.min(now, time ?? now))
        }
      }
    })],
  [
    "history has the grid's instants within the half-open interval, each as asked for alone",
    (rates, { now }) =>
      Effect.gen(function*() {
        for (const pair of ["usd_krw", "usdt_krw"] as const) {
          const query = { pair, stepMs: 4 * hourMs, from: now - 7 * dayMs, to: now + dayMs }
          const { gaps, points } = yield* told(rates.history(query))
          lieWithin(points, query, now)
          gapsAreApart(gaps, query)
          assert.isAbove(points.length, 0)
          for (const point of [points[0]!, points.at(-1)!]) {
            assert.deepStrictEqual(yield* told(rates.rate({ pair, time: point.time })), point)
          }
          if (gaps.length === 0) assert.strictEqual(points.length, 42)
        }
      })
  ]
])

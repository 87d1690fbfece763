import { assert } from "@effect/vitest"
import { type CoinPrices, dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Check, readValue, unlistedName, type VenueTime } from "../market/marketSuite.ts"
import { nullIfNoData } from "./recordedChecks.ts"

interface ManyCoinsVenue extends VenueTime {
  readonly coins: readonly [string, ...ReadonlyArray<string>]
}

/** Tests that a `CoinPrices` read of many coins returns the same data as reads of single coins. */
export const manyCoinsChecks: ReadonlyArray<Check<CoinPrices["Service"], ManyCoinsVenue>> = [
  [
    "closed minutes of many coins have the prices at their ends",
    (prices, { coins: [coin, ...others], now }) =>
      Effect.gen(function*() {
        const until = now + hourMs
        for (const after of [now - 9 * minuteMs - 1, Math.floor(now / minuteMs - 4) * minuteMs]) {
          const query = { coins: [coin, unlistedName, ...others], after, until }
          const all = yield* readValue(prices.minutes(query))
          const records = yield* readValue(prices.watermarks(query.coins))
          assert.sameMembers([...all.keys()], [...records.keys()])
          for (const [one, { knownUntil, points }] of all) {
            assert.isAtMost(knownUntil, now)
            const expected: Array<{ readonly time: number; readonly price: number }> = []
            for (let end = (Math.floor(after / minuteMs) + 1) * minuteMs; end <= knownUntil; end += minuteMs) {
              const point = yield* nullIfNoData(readValue(prices.priceAt({ coin: one, time: end })))
              if (point !== null && point.time > end - minuteMs) expected.push({ time: end, price: point.price })
            }
            assert.deepStrictEqual(points, expected)
          }
        }
      })
  ],
  [
    "minutes that are completely known do not change",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        const query = { coins: [coin], after: now - 3 * hourMs, until: now }
        const revision = Effect.map(readValue(prices.watermarks([coin])), (all) => all.get(coin)?.revision)
        const newest = yield* revision
        const currentMinutes = (yield* readValue(prices.minutes(query))).get(coin)!
        for (const ago of [17 * minuteMs, 61 * minuteMs + 1]) {
          yield* TestClock.setTime(now - ago)
          const originalMinutes = (yield* readValue(prices.minutes(query))).get(coin)!
          assert.isAtMost(originalMinutes.knownUntil, now - ago)
          if ((yield* revision) !== newest) continue
          assert.deepStrictEqual(
            originalMinutes.points,
            currentMinutes.points.filter(({ time }) => time <= originalMinutes.knownUntil)
          )
        }
        yield* TestClock.setTime(now)
      })
  ],
  [
    "candles of many coins equal the candles of each coin",
    (prices, { coins: [coin, ...others], now }) =>
      Effect.gen(function*() {
        for (const until of [now, now - 3 * dayMs - 7 * minuteMs]) {
          const query = { timeframe: "5m", bars: 30, until } as const
          const coins = [coin, unlistedName, ...others]
          const all = yield* readValue(prices.candlesByCoin({ ...query, coins }))
          for (const one of coins) {
            const single = one === unlistedName
              ? null
              : yield* nullIfNoData(readValue(prices.candles({ ...query, coin: one })))
            assert.deepStrictEqual(all.get(one) ?? null, single)
          }
        }
      })
  ]
]

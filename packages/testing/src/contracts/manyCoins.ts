import { assert } from "@effect/vitest"
import { type CoinPrices, dayMs, hourMs, minuteMs } from "@tapeline/core/market"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Check, nobody, type Present, told } from "../market/suite.ts"
import { orNothing } from "./recorded.ts"

interface Venue extends Present {
  readonly coins: readonly [string, ...ReadonlyArray<string>]
}

/** The contract tests of `CoinPrices` for reads of many coins. Each result equals the result of a single coin. */
export const manyCoinsChecks: ReadonlyArray<Check<CoinPrices["Service"], Venue>> = [
  [
    "closed minutes of many coins are the prices at their ends",
    (prices, { coins: [coin, ...others], now }) =>
      Effect.gen(function*() {
        const until = now + hourMs
        for (const after of [now - 9 * minuteMs - 1, Math.floor(now / minuteMs - 4) * minuteMs]) {
          const query = { coins: [coin, nobody, ...others], after, until }
          const all = yield* told(prices.minutes(query))
          const records = yield* told(prices.recorded(query.coins))
          assert.sameMembers([...all.keys()], [...records.keys()])
          for (const [one, { knownUntil, points }] of all) {
            assert.isAtMost(knownUntil, now)
            const expected: Array<{ readonly time: number; readonly price: number }> = []
            for (let end = (Math.floor(after / minuteMs) + 1) * minuteMs; end <= knownUntil; end += minuteMs) {
              const point = yield* orNothing(told(prices.priceAt({ coin: one, time: end })))
              if (point !== null && point.time > end - minuteMs) expected.push({ time: end, price: point.price })
            }
            assert.deepStrictEqual(points, expected)
          }
        }
      })
  ],
  [
    "minutes of which nothing is awaited stay as they are",
    (prices, { coins: [coin], now }) =>
      Effect.gen(function*() {
        const query = { coins: [coin], after: now - 3 * hourMs, until: now }
        const revision = Effect.map(told(prices.recorded([coin])), (all) => all.get(coin)?.revision)
        const newest = yield* revision
        const later = (yield* told(prices.minutes(query))).get(coin)!
        for (const ago of [17 * minuteMs, 61 * minuteMs + 1]) {
          yield* TestClock.setTime(now - ago)
          const then = (yield* told(prices.minutes(query))).get(coin)!
          assert.isAtMost(then.knownUntil, now - ago)
          if ((yield* revision) !== newest) continue
          assert.deepStrictEqual(then.points, later.points.filter(({ time }) => time <= then.knownUntil))
        }
        yield* TestClock.setTime(now)
      })
  ],
  [
    "the candles of many coins are those of each",
    (prices, { coins: [coin, ...others], now }) =>
      Effect.gen(function*() {
        for (const until of [now, now - 3 * dayMs - 7 * minuteMs]) {
          const query = { timeframe: "5m", bars: 30, until } as const
          const coins = [coin, nobody, ...others]
          const all = yield* told(prices.candlesByCoin({ ...query, coins }))
          for (const one of coins) {
            const alone = one === nobody ? null : yield* orNothing(told(prices.candles({ ...query, coin: one })))
            assert.deepStrictEqual(all.get(one) ?? null, alone)
          }
        }
      })
  ]
]

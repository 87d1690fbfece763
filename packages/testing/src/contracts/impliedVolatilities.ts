import { assert } from "@effect/vitest"
import { dayMs, hourMs, ImpliedVolatilities } from "@tapeline/core/market"
import { Effect } from "effect"
import { isWritable, lieWithin, marketSuite, nobody, type Present, refused, told } from "../market/suite.ts"

/** What the suite is told of a venue. */
export interface VolatilityVenue extends Present {
  /** A coin with options and a maturity that has been recorded for 30 days, and a coin without. */
  readonly coin: string
  readonly maturityDays: number
  readonly without: string
}

/** What every `ImpliedVolatilities` promises, as tests. */
export const impliedVolatilitiesContract = marketSuite<
  ImpliedVolatilities,
  ImpliedVolatilities["Service"],
  VolatilityVenue
>(ImpliedVolatilities, [
  [
    "a value a day, the newest of the last hour, by a method that is named",
    (volatilities, venue) =>
      Effect.gen(function*() {
        const { coin, maturityDays, now } = venue
        const history = yield* told(volatilities.history({ coin, maturityDays, days: 30 }))
        isWritable(history)
        assert.strictEqual(history.maturityDays, maturityDays)
        assert.isAtMost(history.points.length, 30)
        lieWithin(history.points, { from: now - 30 * dayMs, to: now + 1 }, now)
        assert.isAtLeast(history.points.at(-1)!.time, now - hourMs)
        assert.isTrue(history.points.every(({ ivPct }) => ivPct > 0 && ivPct < 1_000))
        if (history.since !== null) assert.isAtMost(history.since, history.points[0]!.time)
        const named = { coin, maturityDays, days: 30, method: history.method }
        assert.deepStrictEqual(yield* told(volatilities.history(named)), history)
      })
  ],
  ["tells the unknown from what has no options", (volatilities, { maturityDays, without }) =>
    Effect.gen(function*() {
      const query = { maturityDays, days: 5 }
      assert.strictEqual(yield* refused(volatilities.history({ coin: nobody, ...query })), "UnknownSymbol")
      assert.strictEqual(yield* refused(volatilities.history({ coin: without, ...query })), "NoData")
    })]
])

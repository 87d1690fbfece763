import { assert } from "@effect/vitest"
import { dayMs, hourMs, ImpliedVolatilities } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  checkOf,
  isWritable,
  type Known,
  lastOf,
  lieWithin,
  marketSuite,
  newestOf,
  nobody,
  type Present,
  refused,
  toldOf
} from "../market/suite.ts"

/** The venue facts that the suite needs. */
export interface VolatilityVenue extends Present {
  /** A coin with options, a maturity that was recorded for 30 days, and a coin without options. */
  readonly coin: string
  readonly maturityDays: number
  readonly without: string
  /** A longer maturity that was also recorded. */
  readonly longer: Known<{ readonly maturityDays: number }>
  /**
   * The at-the-money volatility at `maturityDays` in the chain of `now`, in percent per year, and the tolerance of a
   * record.
   */
  readonly chain: Known<{ readonly ivPct: number; readonly within: number }>
}

type Service = ImpliedVolatilities["Service"]

const historyOf = (volatilities: Service, query: Parameters<Service["history"]>[0]) =>
  toldOf(volatilities.history(query), ({ points }, now) => newestOf(points.map(({ time }) => time), now))

/** The contract tests of `ImpliedVolatilities`. */
export const impliedVolatilitiesContract = marketSuite<ImpliedVolatilities, Service, VolatilityVenue>(
  ImpliedVolatilities,
  [
    [
      "a value a day, the newest of the last hour, by a method that is named",
      (volatilities, venue) =>
        Effect.gen(function*() {
          const { coin, maturityDays, now } = venue
          const history = yield* historyOf(volatilities, { coin, maturityDays, days: 30 })
          isWritable(history)
          assert.strictEqual(history.maturityDays, maturityDays)
          assert.isAtMost(history.points.length, 30)
          lieWithin(history.points, { from: now - 30 * dayMs, to: now + 1 }, now)
          assert.isAtLeast(lastOf(history.points).time, now - hourMs)
          assert.isTrue(history.points.every(({ ivPct }) => ivPct > 0 && ivPct < 1_000))
          if (history.since !== null) assert.isAtMost(history.since, history.points[0]!.time)
          const named = { coin, maturityDays, days: 30, method: history.method }
          assert.deepStrictEqual(yield* historyOf(volatilities, named), history)
        })
    ],
    checkOf(
      "values are of the maturity that is asked for",
      ({ longer }) => longer,
      (volatilities, longer, venue) =>
        Effect.gen(function*() {
          const { coin, maturityDays } = venue
          assert.isAbove(longer.maturityDays, maturityDays)
          const near = yield* historyOf(volatilities, { coin, maturityDays, days: 30 })
          const query = { coin, maturityDays: longer.maturityDays, days: 30 }
          const far = new Map((yield* historyOf(volatilities, query)).points.map(({ ivPct, time }) => [time, ivPct]))
          let different = 0
          for (const { ivPct, time } of near.points) {
            const other = far.get(time)
            if (other === undefined) continue
            if (other !== ivPct) different++
            // Total variance does not decrease with maturity.
            assert.isAtLeast(other ** 2 * longer.maturityDays, 0.95 * ivPct ** 2 * maturityDays)
          }
          assert.isAbove(different, 0, "two maturities have one and the same history")
        })
    ),
    checkOf(
      "the newest value is that of the chain",
      ({ chain }) => chain,
      (volatilities, chain, venue) =>
        Effect.gen(function*() {
          const { coin, maturityDays } = venue
          const { points } = yield* historyOf(volatilities, { coin, maturityDays, days: 2 })
          assert.closeTo(lastOf(points).ivPct, chain.ivPct, chain.within)
        })
    ),
    ["tells the unknown from what has no options", (volatilities, { maturityDays, without }) =>
      Effect.gen(function*() {
        const query = { maturityDays, days: 5 }
        assert.strictEqual(yield* refused(volatilities.history({ coin: nobody, ...query })), "UnknownSymbol")
        assert.strictEqual(yield* refused(volatilities.history({ coin: without, ...query })), "NoData")
      })]
  ]
)

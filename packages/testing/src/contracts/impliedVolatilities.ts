import { assert } from "@effect/vitest"
import { dayMs, hourMs, ImpliedVolatilities } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertFiniteNumbers,
  assertWithin,
  type CaseOrWaiver,
  lastItem,
  makeWaivableCheck,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"

/** The facts about a venue that the contract tests of `ImpliedVolatilities` need. */
export interface VolatilityVenue extends VenueTime {
  /** A coin with options. The venue has records of the coin's volatility at `maturityDays` for the last 30 days. */
  readonly coin: string
  readonly maturityDays: number
  readonly coinWithoutOptions: string
  /** A second maturity with recorded volatilities, which is longer than `maturityDays`. */
  readonly longerMaturity: CaseOrWaiver<{ readonly maturityDays: number }>
  /**
   * The at-the-money volatility of the coin at `maturityDays`, in percent per year, from the option chain at `now`. A
   * record may differ from the option chain by `tolerancePct` percentage points.
   */
  readonly chain: CaseOrWaiver<{ readonly ivPct: number; readonly tolerancePct: number }>
}

type Service = ImpliedVolatilities["Service"]

const readHistory = (volatilities: Service, query: Parameters<Service["history"]>[0]) =>
  readDatedValue(volatilities.history(query), ({ points }, now) => newestTime(points.map(({ time }) => time), now))

/** Defines the contract tests of `ImpliedVolatilities`. */
export const impliedVolatilitiesContract = marketSuite<ImpliedVolatilities, Service, VolatilityVenue>(
  ImpliedVolatilities,
  [
    [
      "returns one value a day, the newest from the last hour, and the method's name",
      (volatilities, venue) =>
        Effect.gen(function*() {
          const { coin, maturityDays, now } = venue
          const history = yield* readHistory(volatilities, { coin, maturityDays, days: 30 })
          assertFiniteNumbers(history)
          assert.strictEqual(history.maturityDays, maturityDays)
          assert.isAtMost(history.points.length, 30)
          assertWithin(history.points, { from: now - 30 * dayMs, to: now + 1 }, now)
          assert.isAtLeast(lastItem(history.points).time, now - hourMs)
          assert.isTrue(history.points.every(({ ivPct }) => ivPct > 0 && ivPct < 1_000))
          if (history.since !== null) assert.isAtMost(history.since, history.points[0]!.time)
          const named = { coin, maturityDays, days: 30, method: history.method }
          assert.deepStrictEqual(yield* readHistory(volatilities, named), history)
        })
    ],
    makeWaivableCheck(
      "values are for the requested maturity",
      ({ longerMaturity }) => longerMaturity,
      (volatilities, longerMaturity, venue) =>
        Effect.gen(function*() {
          const { coin, maturityDays } = venue
          assert.isAbove(longerMaturity.maturityDays, maturityDays)
          const nearHistory = yield* readHistory(volatilities, { coin, maturityDays, days: 30 })
          const query = { coin, maturityDays: longerMaturity.maturityDays, days: 30 }
          const farByTime = new Map(
            (yield* readHistory(volatilities, query)).points.map(({ ivPct, time }) => [time, ivPct])
          )
          let differences = 0
          for (const { ivPct, time } of nearHistory.points) {
            const farIvPct = farByTime.get(time)
            if (farIvPct === undefined) continue
            if (farIvPct !== ivPct) differences++
            // Total variance does not decrease with maturity.
            assert.isAtLeast(farIvPct ** 2 * longerMaturity.maturityDays, 0.95 * ivPct ** 2 * maturityDays)
          }
          assert.isAbove(differences, 0, "two maturities have the same history")
        })
    ),
    makeWaivableCheck(
      "the newest value equals that of the chain",
      ({ chain }) => chain,
      (volatilities, chain, venue) =>
        Effect.gen(function*() {
          const { coin, maturityDays } = venue
          const { points } = yield* readHistory(volatilities, { coin, maturityDays, days: 2 })
          assert.closeTo(lastItem(points).ivPct, chain.ivPct, chain.tolerancePct)
        })
    ),
    [
      "fails with UnknownSymbol for unknown coins, and with NoData for coins without options",
      (volatilities, { maturityDays, coinWithoutOptions }) =>
        Effect.gen(function*() {
          const query = { maturityDays, days: 5 }
          assert.strictEqual(
            yield* readErrorTag(volatilities.history({ coin: unlistedName, ...query })),
            "UnknownSymbol"
          )
          assert.strictEqual(
            yield* readErrorTag(volatilities.history({ coin: coinWithoutOptions, ...query })),
            "NoData"
          )
        })
    ]
  ]
)

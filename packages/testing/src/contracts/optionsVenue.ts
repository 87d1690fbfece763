import { assert } from "@effect/vitest"
import { dayMs, OptionsVenue } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertFiniteNumbers,
  assertWithin,
  lastItem,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  readValue,
  requestInterval,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"
import { assertChain, assertReportedValues } from "../market/optionChainChecks.ts"

/** The facts about a venue that the contract tests of `OptionsVenue` need. */
export interface CoinOptionsVenue extends VenueTime {
  /** A coin with option trades in the last day; `coinWithoutOptions` is a listed coin without options. */
  readonly coin: string
  readonly coinWithoutOptions: string
}

/** Defines the contract tests of `OptionsVenue`. */
export const optionsVenueContract = marketSuite<OptionsVenue, OptionsVenue["Service"], CoinOptionsVenue>(OptionsVenue, [
  [
    "a chain is from one instant, sorted, and every expiry has its forward and discount",
    (options, { coin, now }) =>
      Effect.gen(function*() {
        const chain = yield* readDatedValue(options.chain({ coin }), ({ time }) => time)
        assertChain(chain)
        assert.strictEqual(chain.underlying, coin)
        assert.isAtLeast(chain.time, now - dayMs)
        for (const { discount, exercise, forward, quotes } of chain.expiries) {
          assert.isNotNull(forward)
          assert.isNotNull(discount)
          assert.strictEqual(exercise, "european")
          assert.isTrue(quotes.some(({ ivPct, mark }) => ivPct !== null && mark !== null))
        }
        assertReportedValues(
          chain.expiries.flatMap(({ quotes }) => quotes.map(({ volume24h }) => volume24h)),
          "volume24h"
        )
        const expiry = lastItem(chain.expiries)
        const single = yield* readValue(options.chain({ coin, expiryAt: expiry.expiryAt }))
        assert.deepStrictEqual(single.expiries, [expiry])
        assert.include(yield* readDatedValue(options.underlyings, (_, now) => requestInterval(now)), coin)
      })
  ],
  [
    "trades are within the half-open interval, and a limit keeps the newest",
    (options, { coin, now }) =>
      Effect.gen(function*() {
        const query = { coin, from: now - dayMs, to: now + dayMs }
        const effect = options.trades({ ...query, limit: 200 })
        const trades = yield* readDatedValue(effect, (all, now) => newestTime(all.map(({ time }) => time), now))
        assertWithin(trades, query, now, "events")
        assertFiniteNumbers(trades)
        assert.isAbove(trades.length, 0)
        for (const { expiryAt, ivPct, premiumUsd, size, spot, strike, time } of trades) {
          assert.isAbove(expiryAt, time)
          assert.isAbove(Math.min(size, strike, spot, ivPct), 0)
          assert.isAtLeast(premiumUsd, 0)
        }
        assert.isTrue(trades.some(({ premiumUsd }) => premiumUsd > 0))
        assert.deepStrictEqual(yield* readValue(options.trades({ ...query, limit: 5 })), trades.slice(-5))
      })
  ],
  [
    "fails with UnknownSymbol for unknown coins, and with NoData for coins without options",
    (options, { coin, now, coinWithoutOptions }) =>
      Effect.gen(function*() {
        assert.strictEqual(yield* readErrorTag(options.chain({ coin: unlistedName })), "UnknownSymbol")
        assert.strictEqual(yield* readErrorTag(options.chain({ coin: coinWithoutOptions })), "NoData")
        assert.strictEqual(yield* readErrorTag(options.chain({ coin, expiryAt: now + 1 })), "NoData")
        assert.strictEqual(
          yield* readErrorTag(options.trades({ coin: coinWithoutOptions, from: 0, to: now })),
          "NoData"
        )
      })
  ]
])

import { assert } from "@effect/vitest"
import { dayMs, OptionsVenue } from "@tapeline/core/market"
import { Effect } from "effect"
import { areTold, isChain } from "../market/chain.ts"
import {
  asked,
  isWritable,
  lastOf,
  lieWithin,
  marketSuite,
  newestOf,
  nobody,
  type Present,
  refused,
  told,
  toldOf
} from "../market/suite.ts"

/** The venue facts that the suite needs. */
export interface CoinOptionsVenue extends Present {
  /** A coin with option trades in the last day, and a listed coin without options. */
  readonly coin: string
  readonly without: string
}

/** The contract tests of `OptionsVenue`. */
export const optionsVenueContract = marketSuite<OptionsVenue, OptionsVenue["Service"], CoinOptionsVenue>(OptionsVenue, [
  [
    "a chain is of one instant, in order, every expiry with its forward and discount",
    (options, { coin, now }) =>
      Effect.gen(function*() {
        const chain = yield* toldOf(options.chain({ coin }), ({ time }) => time)
        isChain(chain)
        assert.strictEqual(chain.underlying, coin)
        assert.isAtLeast(chain.time, now - dayMs)
        for (const { discount, exercise, forward, quotes } of chain.expiries) {
          assert.isNotNull(forward)
          assert.isNotNull(discount)
          assert.strictEqual(exercise, "european")
          assert.isTrue(quotes.some(({ ivPct, mark }) => ivPct !== null && mark !== null))
        }
        areTold(chain.expiries.flatMap(({ quotes }) => quotes.map(({ volume24h }) => volume24h)), "volume24h")
        const one = lastOf(chain.expiries)
        const alone = yield* told(options.chain({ coin, expiryAt: one.expiryAt }))
        assert.deepStrictEqual(alone.expiries, [one])
        assert.include(yield* toldOf(options.underlyings, (_, now) => asked(now)), coin)
      })
  ],
  [
    "trades lie in the half-open interval; a limit keeps the newest",
    (options, { coin, now }) =>
      Effect.gen(function*() {
        const query = { coin, from: now - dayMs, to: now + dayMs }
        const read = options.trades({ ...query, limit: 200 })
        const trades = yield* toldOf(read, (all, now) => newestOf(all.map(({ time }) => time), now))
        lieWithin(trades, query, now, "events")
        isWritable(trades)
        assert.isAbove(trades.length, 0)
        for (const { expiryAt, ivPct, premiumUsd, size, spot, strike, time } of trades) {
          assert.isAbove(expiryAt, time)
          assert.isAbove(Math.min(size, strike, spot, ivPct), 0)
          assert.isAtLeast(premiumUsd, 0)
        }
        assert.isTrue(trades.some(({ premiumUsd }) => premiumUsd > 0))
        assert.deepStrictEqual(yield* told(options.trades({ ...query, limit: 5 })), trades.slice(-5))
      })
  ],
  ["tells the unknown from what has no options", (options, { coin, now, without }) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refused(options.chain({ coin: nobody })), "UnknownSymbol")
      assert.strictEqual(yield* refused(options.chain({ coin: without })), "NoData")
      assert.strictEqual(yield* refused(options.chain({ coin, expiryAt: now + 1 })), "NoData")
      assert.strictEqual(yield* refused(options.trades({ coin: without, from: 0, to: now })), "NoData")
    })]
])

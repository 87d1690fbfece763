import { assert } from "@effect/vitest"
import { dayMs, type OptionChain, OptionsVenue } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  ascend,
  isWritable,
  lieWithin,
  marketSuite,
  nobody,
  type Present,
  refused,
  told,
  toldOf
} from "../market/suite.ts"

/** What the suite is told of a venue. */
export interface CoinOptionsVenue extends Present {
  /** A coin with options, and a listed one without. */
  readonly coin: string
  readonly without: string
}

/** A chain in order: expiries, then strikes with calls before puts; prices that can be. */
export const isChain = (chain: OptionChain): void => {
  isWritable(chain)
  ascend(chain.expiries.map(({ expiryAt }) => expiryAt))
  for (const { expiryAt, forward, quotes } of chain.expiries) {
    assert.isAbove(expiryAt, chain.time)
    if (forward !== null) assert.isAbove(forward, 0)
    const places = quotes.map(({ strike, type }) => 2 * strike + (type === "put" ? 1e-9 : 0))
    ascend(places)
    for (const { ask, bid, ivPct, mark, openInterest, volume24h } of quotes) {
      if (bid !== null && ask !== null) assert.isAtMost(bid, ask)
      if (forward === null) assert.isNull(ivPct)
      if (ivPct !== null) assert.isAbove(ivPct, 0)
      assert.isAtLeast(Math.min(mark, openInterest, volume24h, bid ?? 0), 0)
    }
  }
}

/** What every `OptionsVenue` promises, as tests. */
export const optionsVenueContract = marketSuite<OptionsVenue, OptionsVenue["Service"], CoinOptionsVenue>(OptionsVenue, [
  ["a chain is of one instant, in order, every expiry with its forward", (options, { coin }) =>
    Effect.gen(function*() {
      const chain = yield* toldOf(options.chain({ coin }), ({ time }) => time)
      isChain(chain)
      assert.strictEqual(chain.underlying, coin)
      assert.isTrue(chain.expiries.every(({ forward }) => forward !== null))
      const one = chain.expiries[1]!
      const alone = yield* told(options.chain({ coin, expiryAt: one.expiryAt }))
      assert.deepStrictEqual(alone.expiries, [one])
      assert.include(yield* told(options.underlyings), coin)
    })],
  [
    "trades lie in the half-open interval; a limit keeps the newest",
    (options, { coin, now }) =>
      Effect.gen(function*() {
        const query = { coin, from: now - dayMs, to: now + dayMs }
        const trades = yield* told(options.trades({ ...query, limit: 200 }))
        lieWithin(trades, query, now, "events")
        isWritable(trades)
        assert.isTrue(trades.every(({ expiryAt, size, time }) => size > 0 && expiryAt > time))
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

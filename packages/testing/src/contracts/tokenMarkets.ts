import { assert } from "@effect/vitest"
import { dayMs, TokenMarkets } from "@tapeline/core/market"
import { Effect } from "effect"
import { descend, isWritable, lieWithin, marketSuite, nobody, type Present, refused, told } from "../market/suite.ts"

/** What the suite is told of a venue. */
export interface TokenVenue extends Present {
  /** A coin with pools and large transfers in the 30 days before `now`. */
  readonly coin: string
}

/** What every `TokenMarkets` promises, as tests. */
export const tokenMarketsContract = marketSuite<TokenMarkets, TokenMarkets["Service"], TokenVenue>(TokenMarkets, [
  [
    "a token is found by its ticker, and by the address that a search gives",
    (tokens, { coin }) =>
      Effect.gen(function*() {
        const token = yield* told(tokens.token(coin))
        isWritable(token)
        assert.strictEqual(token.coin, coin)
        if (token.top10SharePct !== null) assert.isTrue(token.top10SharePct >= 0 && token.top10SharePct <= 100)
        const found = yield* told(tokens.search({ text: token.name, limit: 5 }))
        assert.isAtMost(found.length, 5)
        descend(found.map(({ liquidityUsd }) => liquidityUsd))
        for (const { address } of found) {
          if (address !== "native") assert.strictEqual((yield* told(tokens.token(address))).address, address)
        }
        assert.deepStrictEqual(yield* told(tokens.search({ text: "no token is called this", limit: 5 })), [])
      })
  ],
  ["pools are most liquid first", (tokens, { coin }) =>
    Effect.gen(function*() {
      const pools = yield* told(tokens.pools({ coin, limit: 10 }))
      isWritable(pools)
      descend(pools.map(({ liquidityUsd }) => liquidityUsd))
      assert.deepStrictEqual(yield* told(tokens.pools({ coin, limit: 2 })), pools.slice(0, 2))
    })],
  [
    "transfers lie in the half-open interval, none smaller than 100,000 USD, at most 1,000",
    (tokens, { coin, now }) =>
      Effect.gen(function*() {
        const interval = { from: now - 30 * dayMs, to: now + dayMs }
        const transfers = yield* told(tokens.whaleTransfers({ coin, ...interval }))
        lieWithin(transfers, interval, now, "events")
        isWritable(transfers)
        assert.isAtMost(transfers.length, 1_000)
        assert.isTrue(transfers.every(({ usd }) => usd >= 100_000))
      })
  ],
  ["stablecoins are largest first, exchanges' part null where nobody tells it", (tokens) =>
    Effect.gen(function*() {
      const flows = yield* told(tokens.stablecoinFlows(7))
      isWritable(flows)
      descend(flows.map(({ supplyUsd }) => supplyUsd))
      const told7 = flows.map(({ exchangeNetUsd }) => exchangeNetUsd === null)
      assert.strictEqual(new Set(told7).size, 1)
    })],
  ["what nobody knows is unknown", (tokens, { now }) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refused(tokens.token("0xnobody")), "UnknownSymbol")
      assert.strictEqual(yield* refused(tokens.pools({ coin: nobody, limit: 1 })), "UnknownSymbol")
      assert.strictEqual(yield* refused(tokens.whaleTransfers({ coin: nobody, from: 0, to: now })), "UnknownSymbol")
    })]
])

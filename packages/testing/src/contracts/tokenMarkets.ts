import { assert } from "@effect/vitest"
import { dayMs, type TokenDetails, TokenMarkets } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  asked,
  descend,
  isRecent,
  isWritable,
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
export interface TokenVenue extends Present {
  /** A coin with pools and large transfers in the 30 days before `now`. */
  readonly coin: string
}

/**
 * Checks that a token's figures agree: circulating supply is at most total supply, and total supply at most maximum
 * supply.
 */
const isToken = (token: TokenDetails): void => {
  isWritable(token)
  const { circulatingSupply, fdvUsd, liquidityUsd, maxSupply, priceUsd, top10SharePct, totalSupply } = token
  if (liquidityUsd !== null) assert.isAtLeast(liquidityUsd, 0)
  assert.deepStrictEqual(token.flags.filter((flag) => token.unchecked.includes(flag)), [])
  assert.isAbove(priceUsd, 0)
  const supplies = [circulatingSupply, totalSupply, maxSupply].filter((supply) => supply !== null)
  for (const [i, supply] of supplies.entries()) {
    assert.isAbove(supply, 0)
    if (i > 0) assert.isAtMost(supplies[i - 1]!, 1.000_001 * supply)
  }
  const most = maxSupply ?? totalSupply
  if (fdvUsd !== null) assert.isAbove(fdvUsd, 0)
  if (fdvUsd !== null && most !== null) assert.isAtMost(Math.abs(fdvUsd - priceUsd * most), 1 + 0.01 * fdvUsd)
  if (top10SharePct !== null) assert.isTrue(top10SharePct >= 0 && top10SharePct <= 100)
}

/** Checks the order by liquidity. Unknown liquidity comes last. */
const mostLiquidFirst = (all: ReadonlyArray<{ readonly liquidityUsd: number | null }>): void => {
  descend(all.map(({ liquidityUsd }) => liquidityUsd ?? -1))
}

/** The contract tests of `TokenMarkets`. */
export const tokenMarketsContract = marketSuite<TokenMarkets, TokenMarkets["Service"], TokenVenue>(TokenMarkets, [
  [
    "a token is found by its ticker, and by the address that a search gives",
    (tokens, { coin, now }) =>
      Effect.gen(function*() {
        const token = yield* toldOf(tokens.token({ coin }), ({ time }) => time)
        isRecent(token.time, now)
        assert.strictEqual(token.coin, coin)
        isToken(token)
        const found = yield* toldOf(tokens.search({ text: token.name, limit: 5 }), (_, now) => asked(now))
        assert.isAtMost(found.length, 5)
        mostLiquidFirst(found)
        for (const { address, chain } of found) {
          if (address === "native") continue
          const other = yield* told(tokens.token({ address, chain }))
          assert.deepInclude(other, { address, chain })
          isToken(other)
          const digits = /^0x([0-9a-f]+)$/iu.exec(address)?.[1]
          if (digits !== undefined) {
            assert.deepStrictEqual(yield* told(tokens.token({ address: `0x${digits.toUpperCase()}`, chain })), other)
          }
          assert.strictEqual(yield* refused(tokens.token({ address, chain: "nobodys-chain" })), "UnknownSymbol")
        }
        assert.deepStrictEqual(yield* told(tokens.search({ text: "no token is called this", limit: 5 })), [])
      })
  ],
  ["pools are most liquid first", (tokens, { coin }) =>
    Effect.gen(function*() {
      const pools = yield* toldOf(tokens.pools({ coin, limit: 10 }), (_, now) => asked(now))
      isWritable(pools)
      assert.isAbove(pools.length, 0)
      for (const { feePct, liquidityUsd, volume24hUsd } of pools) {
        assert.isAtLeast(Math.min(liquidityUsd ?? 0, volume24hUsd ?? 0, feePct ?? 0), 0)
      }
      mostLiquidFirst(pools)
      assert.deepStrictEqual(yield* told(tokens.pools({ coin, limit: 2 })), pools.slice(0, 2))
    })],
  [
    "transfers lie in the half-open interval, none smaller than 100,000 USD, at most 1,000",
    (tokens, { coin, now }) =>
      Effect.gen(function*() {
        const interval = { from: now - 30 * dayMs, to: now + dayMs }
        const transfers = yield* toldOf(
          tokens.whaleTransfers({ coin, ...interval }),
          (all, now) => newestOf(all.map(({ time }) => time), now)
        )
        assert.isAbove(transfers.length, 0)
        lieWithin(transfers, interval, now, "events")
        isWritable(transfers)
        assert.isAtMost(transfers.length, 1_000)
        const { priceUsd } = yield* told(tokens.token({ coin }))
        for (const { amount, usd } of transfers) {
          assert.isAtLeast(usd, 100_000)
          assert.isAtMost(Math.abs(Math.log(usd / amount / priceUsd)), Math.log(3))
        }
      })
  ],
  [
    "transfers of at least a size are those of all that are as large",
    (tokens, { coin, now }) =>
      Effect.gen(function*() {
        const query = { coin, from: now - dayMs, to: now }
        const all = yield* told(tokens.whaleTransfers(query))
        const sizes = all.map(({ usd }) => usd).sort((a, b) => a - b)
        const minUsd = sizes[Math.floor(sizes.length / 2)] ?? 1_000_000
        const large = yield* told(tokens.whaleTransfers({ ...query, minUsd }))
        const expected = all.filter(({ usd }) => usd >= minUsd)
        assert.deepStrictEqual(all.length < 1_000 ? large : large.slice(-expected.length), expected)
      })
  ],
  ["stablecoins are largest first, exchanges' part null where nobody tells it", (tokens) =>
    Effect.gen(function*() {
      const flows = yield* toldOf(tokens.stablecoinFlows(7), (_, now) => asked(now))
      isWritable(flows)
      assert.isAbove(flows.length, 0)
      // Both the present and the earlier supply are positive.
      for (const { changeUsd, supplyUsd } of flows) assert.isAbove(Math.min(supplyUsd, supplyUsd - changeUsd), 0)
      descend(flows.map(({ supplyUsd }) => supplyUsd))
      const told7 = flows.map(({ exchangeNetUsd }) => exchangeNetUsd === null)
      assert.strictEqual(new Set(told7).size, 1)
    })],
  ["what nobody knows is unknown", (tokens, { now }) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* refused(tokens.token({ address: "0xnobody", chain: "ethereum" })), "UnknownSymbol")
      assert.strictEqual(yield* refused(tokens.pools({ coin: nobody, limit: 1 })), "UnknownSymbol")
      assert.strictEqual(yield* refused(tokens.whaleTransfers({ coin: nobody, from: 0, to: now })), "UnknownSymbol")
    })]
])

import { assert } from "@effect/vitest"
import { dayMs, type TokenDetails, TokenMarkets } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertDescending,
  assertFiniteNumbers,
  assertRecent,
  assertWithin,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  readValue,
  requestInterval,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"

/** The facts about a venue that the contract tests of `TokenMarkets` need. */
export interface TokenVenue extends VenueTime {
  /** A coin that had liquidity pools and large transfers in the 30 days before `now`. */
  readonly coin: string
}

/** Checks that the figures of a token agree: circulating supply ≤ total supply ≤ maximum supply. */
const assertToken = (token: TokenDetails): void => {
  assertFiniteNumbers(token)
  const { circulatingSupply, fdvUsd, liquidityUsd, maxSupply, priceUsd, top10SharePct, totalSupply } = token
  if (liquidityUsd !== null) assert.isAtLeast(liquidityUsd, 0)
  assert.deepStrictEqual(token.flags.filter((flag) => token.unchecked.includes(flag)), [])
  assert.isAbove(priceUsd, 0)
  const supplies = [circulatingSupply, totalSupply, maxSupply].filter((supply) => supply !== null)
  for (const [i, supply] of supplies.entries()) {
    assert.isAbove(supply, 0)
    if (i > 0) assert.isAtMost(supplies[i - 1]!, 1.000_001 * supply)
  }
  const fullSupply = maxSupply ?? totalSupply
  if (fdvUsd !== null) assert.isAbove(fdvUsd, 0)
  if (fdvUsd !== null && fullSupply !== null) {
    assert.isAtMost(Math.abs(fdvUsd - priceUsd * fullSupply), 1 + 0.01 * fdvUsd)
  }
  if (top10SharePct !== null) assert.isTrue(top10SharePct >= 0 && top10SharePct <= 100)
}

/** Checks that a list is sorted by liquidity, with unknown liquidity at the end. */
const assertLiquidityOrder = (all: ReadonlyArray<{ readonly liquidityUsd: number | null }>): void => {
  assertDescending(all.map(({ liquidityUsd }) => liquidityUsd ?? -1))
}

/** Defines the contract tests of `TokenMarkets`. */
export const tokenMarketsContract = marketSuite<TokenMarkets, TokenMarkets["Service"], TokenVenue>(TokenMarkets, [
  [
    "a token is found by its ticker, and by the address that a search returns",
    (tokens, { coin, now }) =>
      Effect.gen(function*() {
        const token = yield* readDatedValue(tokens.token({ coin }), ({ time }) => time)
        assertRecent(token.time, now)
        assert.strictEqual(token.coin, coin)
        assertToken(token)
        const matches = yield* readDatedValue(tokens.search({ text: token.name, limit: 5 }), (_, now) =>
          requestInterval(now))
        assert.isAtMost(matches.length, 5)
        assertLiquidityOrder(matches)
        for (const { address, chain } of matches) {
          if (address === "native") {
            continue
          }
          const other = yield* readValue(tokens.token({ address, chain }))
          assert.deepInclude(other, { address, chain })
          assertToken(other)
          const digits = /^0x([0-9a-f]+)$/iu.exec(address)?.[1]
          if (digits !== undefined) {
            assert.deepStrictEqual(
              yield* readValue(tokens.token({ address: `0x${digits.toUpperCase()}`, chain })),
              other
            )
          }
          assert.strictEqual(yield* readErrorTag(tokens.token({ address, chain: "nobodys-chain" })), "UnknownSymbol")
        }
        assert.deepStrictEqual(yield* readValue(tokens.search({ text: "no token is called this", limit: 5 })), [])
      })
  ],
  ["pools are sorted by liquidity, largest first", (tokens, { coin }) =>
    Effect.gen(function*() {
      const pools = yield* readDatedValue(tokens.pools({ coin, limit: 10 }), (_, now) => requestInterval(now))
      assertFiniteNumbers(pools)
      assert.isAbove(pools.length, 0)
      for (const { feePct, liquidityUsd, volume24hUsd } of pools) {
        assert.isAtLeast(Math.min(liquidityUsd ?? 0, volume24hUsd ?? 0, feePct ?? 0), 0)
      }
      assertLiquidityOrder(pools)
      assert.deepStrictEqual(yield* readValue(tokens.pools({ coin, limit: 2 })), pools.slice(0, 2))
    })],
  [
    "transfers are within the half-open interval, at least 100,000 USD each, at most 1,000",
    (tokens, { coin, now }) =>
      Effect.gen(function*() {
        const interval = { from: now - 30 * dayMs, to: now + dayMs }
        const transfers = yield* readDatedValue(
          tokens.whaleTransfers({ coin, ...interval }),
          (all, now) => newestTime(all.map(({ time }) => time), now)
        )
        assert.isAbove(transfers.length, 0)
        assertWithin(transfers, interval, now, "events")
        assertFiniteNumbers(transfers)
        assert.isAtMost(transfers.length, 1_000)
        const { priceUsd } = yield* readValue(tokens.token({ coin }))
        for (const { amount, usd } of transfers) {
          assert.isAtLeast(usd, 100_000)
          assert.isAtMost(Math.abs(Math.log(usd / amount / priceUsd)), Math.log(3))
        }
      })
  ],
  [
    "transfers with a minimum size equal all transfers of at least that size",
    (tokens, { coin, now }) =>
      Effect.gen(function*() {
        const query = { coin, from: now - dayMs, to: now }
        const all = yield* readValue(tokens.whaleTransfers(query))
        const sizes = all.map(({ usd }) => usd).sort((a, b) => a - b)
        const minUsd = sizes[Math.floor(sizes.length / 2)] ?? 1_000_000
        const large = yield* readValue(tokens.whaleTransfers({ ...query, minUsd }))
        const expected = all.filter(({ usd }) => usd >= minUsd)
        assert.deepStrictEqual(all.length < 1_000 ? large : large.slice(-expected.length), expected)
      })
  ],
  [
    "stablecoins are sorted largest first, and an exchange flow that is not reported is null",
    (tokens) =>
      Effect.gen(function*() {
        const flows = yield* readDatedValue(tokens.stablecoinFlows(7), (_, now) => requestInterval(now))
        assertFiniteNumbers(flows)
        assert.isAbove(flows.length, 0)
        // The current supply and the earlier supply are positive.
        for (const { changeUsd, supplyUsd } of flows) assert.isAbove(Math.min(supplyUsd, supplyUsd - changeUsd), 0)
        assertDescending(flows.map(({ supplyUsd }) => supplyUsd))
        const isExchangeFlowMissing = flows.map(({ exchangeNetUsd }) => exchangeNetUsd === null)
        assert.strictEqual(new Set(isExchangeFlowMissing).size, 1)
      })
  ],
  ["fails with UnknownSymbol for unknown coins and addresses", (tokens, { now }) =>
    Effect.gen(function*() {
      assert.strictEqual(yield* readErrorTag(tokens.token({ address: "0xnobody", chain: "ethereum" })), "UnknownSymbol")
      assert.strictEqual(yield* readErrorTag(tokens.pools({ coin: unlistedName, limit: 1 })), "UnknownSymbol")
      assert.strictEqual(
        yield* readErrorTag(tokens.whaleTransfers({ coin: unlistedName, from: 0, to: now })),
        "UnknownSymbol"
      )
    })]
])

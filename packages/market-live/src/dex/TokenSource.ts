/** The common interface of sources for tokens and pools of decentralised exchanges. */
import type { DexPool, SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"
import type { SourceResponse } from "../source/index.ts"

/** The contract of a token, identified by chain and address. */
export interface TokenContract {
  readonly chain: string
  readonly address: string
}

/** A token with the symbol and name that its creator chose. */
export interface FoundToken extends TokenContract {
  readonly symbol: string
  readonly name: string
  /** The token's CoinGecko ID, or null if CoinGecko does not list the token or the source does not report the ID. */
  readonly coinId: string | null
  /** The liquidity of the token's reported pools, in USD, or null if not reported. */
  readonly liquidityUsd: number | null
}

/** A token with its prices and supplies, which are null if not reported. */
export interface PricedToken extends FoundToken {
  readonly priceUsd: number | null
  readonly totalSupply: number | null
  readonly fdvUsd: number | null
  /** The number of the token's unreadable pools; if any pool is unreadable, sums over the token's pools are null. */
  readonly unreadPools: number
  /** Whether the source reports which tokens CoinGecko lists. */
  readonly isIdentified: boolean
  /** The creation time of the oldest of the token's large pools. */
  readonly firstPoolAt: number | null
}

/** Facts of a token's contract, which are null if not reported. */
export interface TokenFacts {
  readonly holders: number | null
  /** Whether anybody can create more tokens (`mintable`) or freeze transfers (`freezable`). */
  readonly mintable: boolean | null
  readonly freezable: boolean | null
}

type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>

export interface TokenSource {
  readonly source: string
  /** Finds the tokens of pools that match a text, including the other token of each pool. */
  readonly search: (text: string) => Read<ReadonlyArray<FoundToken>>
  /** Fetches a token with its prices, or null if the token does not exist. */
  readonly token: (place: TokenContract) => Read<PricedToken | null>
  readonly facts?: (place: TokenContract) => Read<TokenFacts | null>
  /** Fetches a token's live pools, most liquid first, or null if the token does not exist. */
  readonly pools: (query: TokenContract & { readonly limit: number }) => Read<ReadonlyArray<DexPool> | null>
}

/** Normalises an address to lower case if the address is hexadecimal. */
export const normalizeAddress = (address: string): string =>
  /^0x[0-9a-f]+$/iu.test(address) ? address.toLowerCase() : address

export const isSameContract = (a: TokenContract, b: TokenContract): boolean =>
  a.chain === b.chain && normalizeAddress(a.address) === normalizeAddress(b.address)

/** Returns the sum of the known values, or null if all values are unknown. */
export const sumOfKnown = (all: ReadonlyArray<number | null>): number | null => {
  const known = all.filter((one) => one !== null)
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0)
}

const isDead = ({ liquidityUsd, volume24hUsd }: DexPool): boolean =>
  liquidityUsd === 0 && (volume24hUsd === 0 || volume24hUsd === null)

/** Sorts pools by liquidity and removes dead pools. */
export const sortLivePools = (pools: ReadonlyArray<DexPool>, limit: number): ReadonlyArray<DexPool> =>
  pools
    .filter((pool) => !isDead(pool))
    .toSorted((a, b) => (b.liquidityUsd ?? -1) - (a.liquidityUsd ?? -1))
    .slice(0, limit)

/** Merges the tokens of pools into distinct tokens, each with the total liquidity of its pools. */
export const mergeTokens = (
  sides: ReadonlyArray<FoundToken>
): ReadonlyArray<FoundToken> => {
  const byPlace = Map.groupBy(sides, ({ address, chain }) => `${chain} ${normalizeAddress(address)}`)
  return [...byPlace.values()].map((own) => ({
    ...own[0]!,
    liquidityUsd: sumOfKnown(own.map(({ liquidityUsd }) => liquidityUsd))
  }))
}

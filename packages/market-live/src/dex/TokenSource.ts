/** The common interface of sources for tokens and pools of decentralised exchanges. */
import type { DexPool, SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"
import type { SourceResponse } from "../source/index.ts"

/** The contract of a token on a chain. */
export interface TokenContract {
  readonly chain: string
  readonly address: string
}

/** A token with the name that its creator gave it. */
export interface FoundToken extends TokenContract {
  readonly symbol: string
  readonly name: string
  /** The CoinGecko id; null if CoinGecko does not list the token, or the source does not report it. */
  readonly coinId: string | null
  /** The liquidity of the reported pools, in USD; null if it is not reported. */
  readonly liquidityUsd: number | null
}

/** A token with its prices and supplies. Each value is null if it is not reported. */
export interface PricedToken extends FoundToken {
  readonly priceUsd: number | null
  readonly totalSupply: number | null
  readonly fdvUsd: number | null
  /** Pools that could not be read. If there are any, sums over pools are null. */
  readonly unreadPools: number
  /** Whether the source knows if CoinGecko lists the token. */
  readonly isIdentified: boolean
  /** The creation time of the oldest of its large pools. */
  readonly firstPoolAt: number | null
}

/** Facts of a contract other than its market. Each value is null if it is not reported. */
export interface TokenFacts {
  readonly holders: number | null
  /** Whether anybody can create more tokens, or freeze transfers. */
  readonly mintable: boolean | null
  readonly freezable: boolean | null
}

type Read<A> = Effect.Effect<SourceResponse<A>, SourceUnavailable>

export interface TokenSource {
  /** The name in results. */
  readonly source: string
  /** The tokens on both sides of the pools that match a text. The tokens themselves may not match it. */
  readonly search: (text: string) => Read<ReadonlyArray<FoundToken>>
  /** Returns null if the token does not exist. */
  readonly token: (place: TokenContract) => Read<PricedToken | null>
  readonly facts?: (place: TokenContract) => Read<TokenFacts | null>
  /** Pools, most liquid first, unknown liquidity last, without dead ones. Null if the token does not exist. */
  readonly pools: (query: TokenContract & { readonly limit: number }) => Read<ReadonlyArray<DexPool> | null>
}

/** Normalises an address: hexadecimal addresses are not case-sensitive. */
export const normalizeAddress = (address: string): string =>
  /^0x[0-9a-f]+$/iu.test(address) ? address.toLowerCase() : address

export const isSameContract = (a: TokenContract, b: TokenContract): boolean =>
  a.chain === b.chain && normalizeAddress(a.address) === normalizeAddress(b.address)

/** The sum of the known values; null if all are unknown. */
export const sumOfKnown = (all: ReadonlyArray<number | null>): number | null => {
  const known = all.filter((one) => one !== null)
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0)
}

/** Whether a pool has neither liquidity nor trades. */
const isDead = ({ liquidityUsd, volume24hUsd }: DexPool): boolean =>
  liquidityUsd === 0 && (volume24hUsd === 0 || volume24hUsd === null)

/** The pools in the form of `TokenSource.pools`. */
export const sortLivePools = (pools: ReadonlyArray<DexPool>, limit: number): ReadonlyArray<DexPool> =>
  pools
    .filter((pool) => !isDead(pool))
    .toSorted((a, b) => (b.liquidityUsd ?? -1) - (a.liquidityUsd ?? -1))
    .slice(0, limit)

/** Merges sides of pools into distinct tokens, with the total liquidity of each one's pools. */
export const mergeTokens = (
  sides: ReadonlyArray<FoundToken>
): ReadonlyArray<FoundToken> => {
  const byPlace = Map.groupBy(sides, ({ address, chain }) => `${chain} ${normalizeAddress(address)}`)
  return [...byPlace.values()].map((own) => ({
    ...own[0]!,
    liquidityUsd: sumOfKnown(own.map(({ liquidityUsd }) => liquidityUsd))
  }))
}

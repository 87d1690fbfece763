/** What sources of decentralised exchanges tell of tokens and pools, alike. */
import type { DexPool, SourceUnavailable } from "@tapeline/core/market"
import type { Effect } from "effect"
import type { Answer } from "../../source/index.ts"

/** Where a token is: a contract of a chain. */
export interface TokenPlace {
  readonly chain: string
  readonly address: string
}

/** A token as whoever made it calls it. */
export interface FoundToken extends TokenPlace {
  readonly symbol: string
  readonly name: string
  /** As CoinGecko lists it; null where it does not, or where the source does not tell. */
  readonly coinId: string | null
  /** Of the pools that were told of, USD; null where none tells it. */
  readonly liquidityUsd: number | null
}

/** The same with what is told of it alone; each null where it is not told. */
export interface PricedToken extends FoundToken {
  readonly priceUsd: number | null
  readonly totalSupply: number | null
  readonly fdvUsd: number | null
  /** Pools that were told of and could not be read: what sums over pools is then null. */
  readonly unreadPools: number
  /** Whether it was looked up if CoinGecko lists it. */
  readonly isIdentified: boolean
  /** When the oldest of its large pools was made. */
  readonly firstPoolAt: number | null
}

/** What is looked up of a contract beside its market; each null where it is not told. */
export interface TokenFacts {
  readonly holders: number | null
  /** Whether somebody may make more of it, or stop it from moving. */
  readonly mintable: boolean | null
  readonly freezable: boolean | null
}

type Read<A> = Effect.Effect<Answer<A>, SourceUnavailable>

export interface TokenSource {
  /** As results name it. */
  readonly source: string
  /** Tokens of the pools that a text finds, both sides of each; whether they match it is another question. */
  readonly search: (text: string) => Read<ReadonlyArray<FoundToken>>
  /** Null where there is no such token. */
  readonly token: (place: TokenPlace) => Read<PricedToken | null>
  readonly facts?: (place: TokenPlace) => Read<TokenFacts | null>
  /** The most liquid first, those of unknown liquidity last; dead ones are left out. Null as above. */
  readonly pools: (query: TokenPlace & { readonly limit: number }) => Read<ReadonlyArray<DexPool> | null>
}

/** Whether two addresses are one: those of hexadecimal digits have no case. */
export const plainAddress = (address: string): string =>
  /^0x[0-9a-f]+$/iu.test(address) ? address.toLowerCase() : address

export const isSamePlace = (a: TokenPlace, b: TokenPlace): boolean =>
  a.chain === b.chain && plainAddress(a.address) === plainAddress(b.address)

/** Of those that are told; null where none is. */
export const sumOfTold = (all: ReadonlyArray<number | null>): number | null => {
  const told = all.filter((one) => one !== null)
  return told.length === 0 ? null : told.reduce((sum, one) => sum + one, 0)
}

/** Nothing is in it, and nobody trades in it. */
const isDead = ({ liquidityUsd, volume24hUsd }: DexPool): boolean =>
  liquidityUsd === 0 && (volume24hUsd === 0 || volume24hUsd === null)

/** Pools as `TokenSource` tells them. */
export const livePools = (pools: ReadonlyArray<DexPool>, limit: number): ReadonlyArray<DexPool> =>
  pools
    .filter((pool) => !isDead(pool))
    .toSorted((a, b) => (b.liquidityUsd ?? -1) - (a.liquidityUsd ?? -1))
    .slice(0, limit)

/** Sides of pools as tokens, each once, with the liquidity of its pools together. */
export const tokensOf = (
  sides: ReadonlyArray<FoundToken>
): ReadonlyArray<FoundToken> => {
  const byPlace = Map.groupBy(sides, ({ address, chain }) => `${chain} ${plainAddress(address)}`)
  return [...byPlace.values()].map((own) => ({
    ...own[0]!,
    liquidityUsd: sumOfTold(own.map(({ liquidityUsd }) => liquidityUsd))
  }))
}

/**
 * DexScreener, without a key: pairs of decentralised exchanges. It has no supplies, holders or fees, and does not
 * distinguish a coin's own token from tokens that borrow its name.
 */
import type { DexPool } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  type Answer,
  answering,
  fewOf,
  InstantMs,
  listOf,
  makeSource,
  Name,
  type Patience,
  type RateLimit,
  type Source,
  SourceHealth
} from "../../source/index.ts"
import { StrangersDecimal, StrangersName, StrangersNumeric, tellable } from "./strangers.ts"
import {
  type FoundToken,
  livePools,
  plainAddress,
  type PricedToken,
  sumOfTold,
  type TokenPlace,
  tokensOf,
  type TokenSource
} from "./tokenSource.ts"

export class DexScreener extends Context.Service<DexScreener, TokenSource>()("@tapeline/market-live/DexScreener") {}

export interface DexScreenerOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
  readonly limits?: ReadonlyArray<RateLimit>
}

const Side = Schema.Struct({ address: Name, name: StrangersName, symbol: StrangersName })

/** A field that is omitted if it is unknown. */
const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Pair = Schema.Struct({
  chainId: Name,
  dexId: Name,
  labels: maybe(Schema.Array(Schema.String)),
  pairAddress: Name,
  baseToken: Side,
  quoteToken: Side,
  priceUsd: maybe(StrangersDecimal),
  volume: maybe(Schema.Struct({ h24: maybe(StrangersNumeric) })),
  liquidity: maybe(Schema.Struct({ usd: maybe(StrangersNumeric) })),
  fdv: maybe(StrangersNumeric),
  pairCreatedAt: maybe(InstantMs)
})
type Pair = typeof Pair.Type

// For an unknown token the response has no pairs.
const Found = Schema.Struct({ pairs: Schema.NullOr(listOf(Pair)) })
const Pairs = fewOf(Pair)

const liquidityOf = ({ liquidity }: Pair): number | null => liquidity?.usd ?? null

const sideOf = (pair: Pair, { address, name, symbol }: Pair["baseToken"]): FoundToken | null => {
  const [called, ticker] = [tellable(name), tellable(symbol)]
  return called === null || ticker === null ? null : {
    chain: pair.chainId,
    address: plainAddress(address),
    symbol: ticker,
    name: called,
    coinId: null,
    liquidityUsd: liquidityOf(pair)
  }
}

const sidesOf = (pairs: ReadonlyArray<Pair>): ReadonlyArray<FoundToken> =>
  pairs.flatMap((pair) => [pair.baseToken, pair.quoteToken].flatMap((side) => sideOf(pair, side) ?? []))

/** The exchange with its version: `uniswap` with the label `v3` is `uniswap_v3`. */
const dexOf = ({ dexId, labels }: Pair): string => {
  const version = labels?.find((label) => /^v\d$/u.test(label))
  return version === undefined ? dexId : `${dexId}_${version}`
}

const poolOf = (pair: Pair): ReadonlyArray<DexPool> => {
  const [base, quote] = [tellable(pair.baseToken.symbol), tellable(pair.quoteToken.symbol)]
  return base === null || quote === null ? [] : [{
    dex: dexOf(pair),
    chain: pair.chainId,
    address: plainAddress(pair.pairAddress),
    pair: `${base}/${quote}`,
    liquidityUsd: liquidityOf(pair),
    volume24hUsd: pair.volume?.h24 ?? null,
    feePct: null
  }]
}

/** The number of pairs that could not be read. Their tokens are unknown. */
const unreadIn = ({ leftOut = [] }: Answer<unknown>): number => leftOut.length

/** The tokens in pairs. If a pair could not be read, their total liquidity is unknown. */
const foundIn = (pairs: ReadonlyArray<Pair>, unread: number): ReadonlyArray<FoundToken> => {
  const found = tokensOf(sidesOf(pairs))
  return unread === 0 ? found : found.map((token) => ({ ...token, liquidityUsd: null }))
}

/**
 * Makes a token from its pairs. The price is that of the most liquid pair with the token as its base. Totals over all
 * pairs are null if a pair could not be read.
 */
const tokenIn = (
  pairs: ReadonlyArray<Pair>,
  unread: number,
  { address, chain }: TokenPlace
): PricedToken | null => {
  const own = plainAddress(address)
  const found = tokensOf(sidesOf(pairs)).find((one) => one.address === own && one.chain === chain)
  if (found === undefined) return null
  const priced = pairs
    .filter(({ baseToken, priceUsd }) => plainAddress(baseToken.address) === own && (priceUsd ?? 0) > 0)
    .toSorted((a, b) => (liquidityOf(b) ?? -1) - (liquidityOf(a) ?? -1))
  const made = pairs.flatMap(({ pairCreatedAt }) => pairCreatedAt ?? [])
  const fdv = priced.find((pair) => (pair.fdv ?? 0) > 0)?.fdv
  return {
    ...found,
    liquidityUsd: unread > 0 ? null : sumOfTold(pairs.map(liquidityOf)),
    unreadPools: unread,
    priceUsd: priced[0]?.priceUsd ?? null,
    totalSupply: null,
    fdvUsd: fdv ?? null,
    isIdentified: false,
    firstPoolAt: made.length === 0 || unread > 0 ? null : Math.min(...made)
  }
}

const cacheMs = 15_000

const overSource = (source: Source): DexScreener["Service"] => {
  const pairsOf = ({ address, chain }: TokenPlace) =>
    source.json({
      what: "pairs",
      path: `/token-pairs/v1/${encodeURIComponent(chain)}/${encodeURIComponent(plainAddress(address))}`,
      schema: Pairs,
      cacheMs
    })
  return {
    source: "dexscreener",
    search: (text) =>
      Effect.map(
        source.json({ what: "search", path: "/latest/dex/search", query: { q: text }, schema: Found, cacheMs }),
        (answer) => answering(answer, foundIn(answer.value.pairs ?? [], unreadIn(answer)))
      ),
    token: (place) =>
      Effect.map(pairsOf(place), (answer) => answering(answer, tokenIn(answer.value, unreadIn(answer), place))),
    pools: ({ limit, ...place }) =>
      Effect.map(
        pairsOf(place),
        (answer) => answering(answer, answer.value.length === 0 ? null : livePools(answer.value.flatMap(poolOf), limit))
      )
  }
}

/** DexScreener allows 300 requests a minute per address. Some are left to other users of the address. */
const ownLimits = [{ weight: 200, windowMs: 60_000 }]

export const layerDexScreener = (
  { baseUrl = "https://api.dexscreener.com", limits = ownLimits, patience = {} }: DexScreenerOptions = {}
): Layer.Layer<DexScreener, never, SourceHealth> =>
  Layer.effect(DexScreener, Effect.map(makeSource({ name: "dexscreener", baseUrl, limits, patience }), overSource))

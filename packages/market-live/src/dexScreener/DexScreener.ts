/**
 * Provides pools of decentralised exchanges from DexScreener. DexScreener reports no supplies, holders or fees, and
 * does not detect tokens with copied names.
 */
import type { DexPool } from "@tapeline/core/market"
import { Context, Effect, Layer, Schema } from "effect"
import {
  type FoundToken,
  mergeTokens,
  normalizeAddress,
  type PricedToken,
  sortLivePools,
  sumOfKnown,
  type TokenContract,
  type TokenSource
} from "../dex/TokenSource.ts"
import { displayableName, UntrustedDecimal, UntrustedName, UntrustedNumeric } from "../dex/untrustedValues.ts"
import {
  InstantMs,
  lenientList,
  lenientShortList,
  makeSource,
  Name,
  type RateLimit,
  type RetryPolicy,
  type Source,
  SourceHealth,
  type SourceResponse,
  withValue
} from "../source/index.ts"

export class DexScreener extends Context.Service<DexScreener, TokenSource>()("@tapeline/market-live/DexScreener") {}

export interface DexScreenerOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
  readonly limits?: ReadonlyArray<RateLimit>
}

const Side = Schema.Struct({ address: Name, name: UntrustedName, symbol: UntrustedName })

const optionalNullable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Pair = Schema.Struct({
  chainId: Name,
  dexId: Name,
  labels: optionalNullable(Schema.Array(Schema.String)),
  pairAddress: Name,
  baseToken: Side,
  quoteToken: Side,
  priceUsd: optionalNullable(UntrustedDecimal),
  volume: optionalNullable(Schema.Struct({ h24: optionalNullable(UntrustedNumeric) })),
  liquidity: optionalNullable(Schema.Struct({ usd: optionalNullable(UntrustedNumeric) })),
  fdv: optionalNullable(UntrustedNumeric),
  pairCreatedAt: optionalNullable(InstantMs)
})
type Pair = typeof Pair.Type

// The response has no pairs if the token is unknown.
const Found = Schema.Struct({ pairs: Schema.NullOr(lenientList(Pair)) })
const Pairs = lenientShortList(Pair)

const liquidityOf = ({ liquidity }: Pair): number | null => liquidity?.usd ?? null

const sideOf = (pair: Pair, { address, name, symbol }: Pair["baseToken"]): FoundToken | null => {
  const [tokenName, ticker] = [displayableName(name), displayableName(symbol)]
  return tokenName === null || ticker === null ? null : {
    chain: pair.chainId,
    address: normalizeAddress(address),
    symbol: ticker,
    name: tokenName,
    coinId: null,
    liquidityUsd: liquidityOf(pair)
  }
}

const sidesOf = (pairs: ReadonlyArray<Pair>): ReadonlyArray<FoundToken> =>
  pairs.flatMap((pair) => [pair.baseToken, pair.quoteToken].flatMap((side) => sideOf(pair, side) ?? []))

/**
 * Returns the exchange's name with its version, such as `uniswap_v3` for the exchange `uniswap` with the label `v3`.
 */
const dexOf = ({ dexId, labels }: Pair): string => {
  const version = labels?.find((label) => /^v\d$/u.test(label))
  return version === undefined ? dexId : `${dexId}_${version}`
}

const poolOf = (pair: Pair): ReadonlyArray<DexPool> => {
  const [base, quote] = [displayableName(pair.baseToken.symbol), displayableName(pair.quoteToken.symbol)]
  return base === null || quote === null ? [] : [{
    dex: dexOf(pair),
    chain: pair.chainId,
    address: normalizeAddress(pair.pairAddress),
    pair: `${base}/${quote}`,
    liquidityUsd: liquidityOf(pair),
    volume24hUsd: pair.volume?.h24 ?? null,
    feePct: null
  }]
}

const countUnreadable = ({ skippedRows = [] }: SourceResponse<unknown>): number => skippedRows.length

/** Returns the tokens of the pairs. If a pair is unreadable, the total liquidity of each token is unknown and null. */
const tokensInPairs = (pairs: ReadonlyArray<Pair>, unreadable: number): ReadonlyArray<FoundToken> => {
  const found = mergeTokens(sidesOf(pairs))
  return unreadable === 0 ? found : found.map((token) => ({ ...token, liquidityUsd: null }))
}

/** Returns a token with the price of its most liquid pair, and with null for totals if a pair is unreadable. */
const tokenFromPairs = (
  pairs: ReadonlyArray<Pair>,
  unreadable: number,
  { address, chain }: TokenContract
): PricedToken | null => {
  const own = normalizeAddress(address)
  const found = mergeTokens(sidesOf(pairs)).find((one) => one.address === own && one.chain === chain)
  if (found === undefined) return null
  const priced = pairs
    .filter(({ baseToken, priceUsd }) => normalizeAddress(baseToken.address) === own && (priceUsd ?? 0) > 0)
    .toSorted((a, b) => (liquidityOf(b) ?? -1) - (liquidityOf(a) ?? -1))
  const createdAt = pairs.flatMap(({ pairCreatedAt }) => pairCreatedAt ?? [])
  const fdv = priced.find((pair) => (pair.fdv ?? 0) > 0)?.fdv
  return {
    ...found,
    liquidityUsd: unreadable > 0 ? null : sumOfKnown(pairs.map(liquidityOf)),
    unreadPools: unreadable,
    priceUsd: priced[0]?.priceUsd ?? null,
    totalSupply: null,
    fdvUsd: fdv ?? null,
    isIdentified: false,
    firstPoolAt: createdAt.length === 0 || unreadable > 0 ? null : Math.min(...createdAt)
  }
}

const cacheMs = 15_000

const makeService = (source: Source): DexScreener["Service"] => {
  const pairsOf = ({ address, chain }: TokenContract) =>
    source.json({
      label: "pairs",
      path: `/token-pairs/v1/${encodeURIComponent(chain)}/${encodeURIComponent(normalizeAddress(address))}`,
      schema: Pairs,
      cacheMs
    })
  return {
    source: "dexscreener",
    search: (text) =>
      Effect.map(
        source.json({ label: "search", path: "/latest/dex/search", query: { q: text }, schema: Found, cacheMs }),
        (answer) => withValue(answer, tokensInPairs(answer.value.pairs ?? [], countUnreadable(answer)))
      ),
    token: (place) =>
      Effect.map(
        pairsOf(place),
        (answer) => withValue(answer, tokenFromPairs(answer.value, countUnreadable(answer), place))
      ),
    pools: ({ limit, ...place }) =>
      Effect.map(
        pairsOf(place),
        (answer) =>
          withValue(answer, answer.value.length === 0 ? null : sortLivePools(answer.value.flatMap(poolOf), limit))
      )
  }
}

/** DexScreener allows 300 requests a minute per IP address, of which one third is left to other users. */
const ownLimits = [{ weight: 200, windowMs: 60_000 }]

export const layerDexScreener = (
  { baseUrl = "https://api.dexscreener.com", limits = ownLimits, retryPolicy = {} }: DexScreenerOptions = {}
): Layer.Layer<DexScreener, never, SourceHealth> =>
  Layer.effect(DexScreener, Effect.map(makeSource({ name: "dexscreener", baseUrl, limits, retryPolicy }), makeService))

/** Fetches tokens and pools of decentralised exchanges, and recent pool trades, from GeckoTerminal. */
import { dayMs, type DexPool, hourMs, type SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, type Schema } from "effect"
import {
  mergeTokens,
  normalizeAddress,
  type PricedToken,
  sortLivePools,
  type TokenContract,
  type TokenFacts,
  type TokenSource
} from "../dex/TokenSource.ts"
import {
  type FindRequest,
  makeSource,
  type RateLimit,
  type RetryPolicy,
  type Source,
  SourceHealth,
  type SourceResponse,
  sourceTimeOf,
  withValue
} from "../source/index.ts"
import { geckoNetwork } from "./chains.ts"
import { isNotFound, readGeckoTerminalRejection } from "./rejections.ts"
import { isTradeOf, LenientPools, OneToken, Pools, sidesOf, TokenInfo, toPools, toToken, tradesSchema } from "./rows.ts"

/** A trade of a token in a pool, with the taker's side. */
export interface PoolTrade {
  readonly time: number
  readonly side: "buy" | "sell"
  readonly usd: number
}

export interface PoolTrades {
  readonly trades: ReadonlyArray<PoolTrade>
  /** The time from which the trades are complete. */
  readonly since: number
}

export class GeckoTerminal extends Context.Service<GeckoTerminal, TokenSource>()(
  "@tapeline/market-live/GeckoTerminal"
) {}

/** Provides GeckoTerminal's data for collectors, with a separate part of GeckoTerminal's rate limit. */
export class GeckoTrades extends Context.Service<GeckoTrades, {
  readonly pools: TokenSource["pools"]
  /** Fetches the newest trades of a token in one of its pools, or no trades if the pool no longer exists. */
  readonly trades: (
    query: TokenContract & { readonly pool: string }
  ) => Effect.Effect<SourceResponse<PoolTrades>, SourceUnavailable>
}>()("@tapeline/market-live/GeckoTrades") {}

export interface GeckoTerminalOptions {
  readonly baseUrl?: string | undefined
  readonly retryPolicy?: Partial<RetryPolicy>
  readonly limits?: ReadonlyArray<RateLimit>
}

/** The cache duration of GeckoTerminal's responses. */
const cacheMs = 30_000

const rowsOnPage = 20
const maxPages = 5

/** The maximum number of trades in a response, all of which are from the last day. */
const maxTrades = 300

const pathOf = ({ address, chain }: TokenContract): string =>
  `/networks/${encodeURIComponent(geckoNetwork(chain))}/tokens/${encodeURIComponent(normalizeAddress(address))}`

const hasHolder = (authority: string | null | undefined): boolean | null =>
  authority === null || authority === undefined ? null : authority !== "no"

const nullIfNotPositive = (n: number | null | undefined): number | null =>
  n === undefined || n === null || n <= 0 ? null : n

const toPricedToken = ({ data, included = [] }: typeof OneToken.Type): PricedToken | null => {
  const { fdv_usd, normalized_total_supply, price_usd, total_reserve_in_usd } = data.attributes
  const found = toToken(data, total_reserve_in_usd)
  const createdAt = included.flatMap(({ attributes: { pool_created_at } }) => pool_created_at ?? [])
  return found === null ? null : {
    ...found,
    priceUsd: nullIfNotPositive(price_usd),
    totalSupply: nullIfNotPositive(normalized_total_supply),
    fdvUsd: nullIfNotPositive(fdv_usd),
    unreadPools: 0,
    isIdentified: true,
    firstPoolAt: createdAt.length === 0 ? null : Math.min(...createdAt)
  }
}

const toTokenFacts = ({ data: { attributes } }: typeof TokenInfo.Type): TokenFacts => ({
  holders: attributes.holders?.count ?? null,
  mintable: hasHolder(attributes.mint_authority),
  freezable: hasHolder(attributes.freeze_authority)
})

const mapIfFound = <A, B>(answer: SourceResponse<A | null>, f: (value: A) => B): SourceResponse<B | null> =>
  withValue(answer, answer.value === null ? null : f(answer.value))

const makeFind =
  (source: Source, ttlMs: number) =>
  <A>(label: string, path: string, schema: Schema.Decoder<A>, query: FindRequest<A>["query"] = {}) =>
    source.find({ label, path, query, schema, cacheMs: ttlMs, isAbsent: isNotFound })

const makePoolsReader = (
  source: Source,
  ttlMs: number,
  schema: typeof Pools | typeof LenientPools
): TokenSource["pools"] => {
  const find = makeFind(source, ttlMs)
  return Effect.fnUntraced(function*({ limit, ...place }) {
    const all: Array<DexPool> = []
    const pages = Math.min(maxPages, Math.ceil(limit / rowsOnPage))
    for (let page = 1;; page++) {
      const answer = yield* find("pools", `${pathOf(place)}/pools`, schema, { include: "base_token,quote_token", page })
      if (answer.value === null && page === 1) return withValue(answer, null)
      if (answer.value !== null) all.push(...toPools(answer.value))
      const rowCount = (answer.value?.data.length ?? 0) + (answer.skippedRows?.length ?? 0)
      const isLast = page >= pages || rowCount < rowsOnPage
      if (isLast) return withValue(answer, sortLivePools(all, limit))
    }
  })
}

const makeService = (source: Source): GeckoTerminal["Service"] => {
  const find = makeFind(source, cacheMs)
  return {
    source: "geckoterminal",
    search: (text) =>
      Effect.map(
        source.json({
          label: "search",
          path: "/search/pools",
          query: { query: text, include: "base_token,quote_token" },
          schema: Pools,
          cacheMs
        }),
        (answer) => withValue(answer, mergeTokens(sidesOf(answer.value)))
      ),
    token: (place) =>
      Effect.map(
        find("token", pathOf(place), OneToken, { include: "top_pools" }),
        (answer) => mapIfFound(answer, toPricedToken)
      ),
    facts: (place) =>
      Effect.map(
        find("token's facts", `${pathOf(place)}/info`, TokenInfo),
        (answer) => mapIfFound(answer, toTokenFacts)
      ),
    pools: makePoolsReader(source, cacheMs, LenientPools)
  }
}

type TradeRows = ReturnType<typeof tradesSchema>["Type"]["data"]

const toPoolTrades = (rows: TradeRows, address: string, present: number): PoolTrades => {
  const trades = rows.filter(isTradeOf(address)).flatMap((
    { attributes: { block_timestamp, to_token_address, volume_in_usd } }
  ) =>
    volume_in_usd === null ? [] : [{
      time: block_timestamp,
      side: normalizeAddress(to_token_address) === normalizeAddress(address) ? "buy" as const : "sell" as const,
      usd: volume_in_usd
    }]
  )
  const oldest = Math.min(...rows.map(({ attributes }) => attributes.block_timestamp))
  // Some trades of the oldest returned second may be missing.
  const completeFrom = rows.length < maxTrades ? -Infinity : oldest + 1_000
  return { trades: trades.toSorted((a, b) => a.time - b.time), since: Math.max(completeFrom, present - dayMs) }
}

/**
 * The cache duration of pool trades. One cached response serves the newest five minutes and also missing earlier
 * intervals.
 */
const tradesCacheMs = 200_000

const makeTradesService = (source: Source): GeckoTrades["Service"] => {
  const find = makeFind(source, tradesCacheMs)
  return {
    // An unreadable pool causes an error, because the trades of a skipped pool would be missing.
    pools: makePoolsReader(source, hourMs, Pools),
    trades: ({ address, chain, pool }) => {
      const path = `/networks/${encodeURIComponent(geckoNetwork(chain))}/pools/${encodeURIComponent(pool)}/trades`
      return Effect.map(
        find("trades", path, tradesSchema(address)),
        (answer) => withValue(answer, toPoolTrades(answer.value?.data ?? [], address, sourceTimeOf(answer)))
      )
    }
  }
}

const makeGeckoSource = (
  { baseUrl, limits, retryPolicy }: Required<GeckoTerminalOptions> & { readonly baseUrl: string },
  part?: string
) =>
  makeSource({
    name: "geckoterminal",
    // GeckoTerminal's pool trades have no replacement source.
    ...(part === undefined ? { next: "dexscreener" } : { part }),
    baseUrl,
    limits,
    retryPolicy,
    headers: { accept: "application/json;version=20230302" },
    readBodyRejection: readGeckoTerminalRejection
  })

const publicUrl = "https://api.geckoterminal.com/api/v2"

/**
 * The rate limits for tools and for collectors. The two rate limits together stay below GeckoTerminal's 30 requests a
 * minute per IP address.
 */
const toolLimits = [{ weight: 13, windowMs: 60_000 }]
const collectLimits = [{ weight: 1, windowMs: 4_000 }]

export const layerGeckoTerminal = (
  { baseUrl = publicUrl, limits = toolLimits, retryPolicy = {} }: GeckoTerminalOptions = {}
): Layer.Layer<GeckoTerminal, never, SourceHealth> =>
  Layer.effect(GeckoTerminal, Effect.map(makeGeckoSource({ baseUrl, limits, retryPolicy }), makeService))

export const layerGeckoTrades = (
  { baseUrl = publicUrl, limits = collectLimits, retryPolicy = {} }: GeckoTerminalOptions = {}
): Layer.Layer<GeckoTrades, never, SourceHealth> =>
  Layer.effect(GeckoTrades, Effect.map(makeGeckoSource({ baseUrl, limits, retryPolicy }, "trades"), makeTradesService))

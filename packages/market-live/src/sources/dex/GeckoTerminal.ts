/** GeckoTerminal, without a key: tokens and pools of decentralised exchanges, and the newest trades of a pool. */
import { dayMs, type DexPool, hourMs, type SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer, type Schema } from "effect"
import {
  type Answer,
  answering,
  type FindRequest,
  makeSource,
  type Patience,
  presentOf,
  type RateLimit,
  type Source,
  SourceHealth
} from "../../source/index.ts"
import { geckoNetwork } from "./chains.ts"
import { isNotThere, refusedByGeckoTerminal } from "./geckoTerminalRefusals.ts"
import {
  isTradeOf,
  OneToken,
  Pools,
  poolsIn,
  sidesOf,
  SomePools,
  tokenIn,
  TokenInfo,
  tradesOf
} from "./geckoTerminalRows.ts"
import {
  livePools,
  plainAddress,
  type PricedToken,
  type TokenFacts,
  type TokenPlace,
  tokensOf,
  type TokenSource
} from "./tokenSource.ts"

/** A trade of a token in a pool; the side is that of the taker. */
export interface PoolTrade {
  readonly time: number
  readonly side: "buy" | "sell"
  readonly usd: number
}

export interface PoolTrades {
  /** Trades, oldest first. */
  readonly trades: ReadonlyArray<PoolTrade>
  /** The time from which the trades are complete. */
  readonly since: number
}

export class GeckoTerminal extends Context.Service<GeckoTerminal, TokenSource>()(
  "@tapeline/market-live/GeckoTerminal"
) {}

/** The source for collectors. It has a separate limit, because one address is allowed 30 requests a minute. */
export class GeckoTrades extends Context.Service<GeckoTrades, {
  /** The pools of a token, as in `TokenSource`. */
  readonly pools: TokenSource["pools"]
  /** The newest trades of a token in one of its pools; empty if the pool no longer exists. */
  readonly trades: (
    query: TokenPlace & { readonly pool: string }
  ) => Effect.Effect<Answer<PoolTrades>, SourceUnavailable>
}>()("@tapeline/market-live/GeckoTrades") {}

export interface GeckoTerminalOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
  readonly limits?: ReadonlyArray<RateLimit>
}

/** GeckoTerminal itself caches its responses for a minute. */
const cacheMs = 30_000

const rowsOnPage = 20
const mostPages = 5

/** The maximum number of trades in a response, all from the last day. */
const mostTrades = 300

const pathOf = ({ address, chain }: TokenPlace): string =>
  `/networks/${encodeURIComponent(geckoNetwork(chain))}/tokens/${encodeURIComponent(plainAddress(address))}`

/** Whether an authority over the token is held by anybody. */
const isHeld = (authority: string | null | undefined): boolean | null =>
  authority === null || authority === undefined ? null : authority !== "no"

const positive = (n: number | null | undefined): number | null => n === undefined || n === null || n <= 0 ? null : n

const pricedToken = ({ data, included = [] }: typeof OneToken.Type): PricedToken | null => {
  const { fdv_usd, normalized_total_supply, price_usd, total_reserve_in_usd } = data.attributes
  const found = tokenIn(data, total_reserve_in_usd)
  const made = included.flatMap(({ attributes: { pool_created_at } }) => pool_created_at ?? [])
  return found === null ? null : {
    ...found,
    priceUsd: positive(price_usd),
    totalSupply: positive(normalized_total_supply),
    fdvUsd: positive(fdv_usd),
    unreadPools: 0,
    isIdentified: true,
    firstPoolAt: made.length === 0 ? null : Math.min(...made)
  }
}

const factsIn = ({ data: { attributes } }: typeof TokenInfo.Type): TokenFacts => ({
  holders: attributes.holders?.count ?? null,
  mintable: isHeld(attributes.mint_authority),
  freezable: isHeld(attributes.freeze_authority)
})

const mapped = <A, B>(answer: Answer<A | null>, f: (value: A) => B): Answer<B | null> =>
  answering(answer, answer.value === null ? null : f(answer.value))

/** Requests data that may not exist. */
const finding =
  (source: Source, keptMs: number) =>
  <A>(what: string, path: string, schema: Schema.Decoder<A>, query: FindRequest<A>["query"] = {}) =>
    source.find({ what, path, query, schema, cacheMs: keptMs, absent: isNotThere })

const poolsReader = (source: Source, keptMs: number, schema: typeof Pools | typeof SomePools): TokenSource["pools"] => {
  const find = finding(source, keptMs)
  return Effect.fnUntraced(function*({ limit, ...place }) {
    const all: Array<DexPool> = []
    const pages = Math.min(mostPages, Math.ceil(limit / rowsOnPage))
    for (let page = 1;; page++) {
      const answer = yield* find("pools", `${pathOf(place)}/pools`, schema, { include: "base_token,quote_token", page })
      if (answer.value === null && page === 1) return answering(answer, null)
      if (answer.value !== null) all.push(...poolsIn(answer.value))
      const told = (answer.value?.data.length ?? 0) + (answer.leftOut?.length ?? 0)
      const isLast = page >= pages || told < rowsOnPage
      if (isLast) return answering(answer, livePools(all, limit))
    }
  })
}

const overSource = (source: Source): GeckoTerminal["Service"] => {
  const find = finding(source, cacheMs)
  return {
    source: "geckoterminal",
    search: (text) =>
      Effect.map(
        source.json({
          what: "search",
          path: "/search/pools",
          query: { query: text, include: "base_token,quote_token" },
          schema: Pools,
          cacheMs
        }),
        (answer) => answering(answer, tokensOf(sidesOf(answer.value)))
      ),
    token: (place) =>
      Effect.map(
        find("token", pathOf(place), OneToken, { include: "top_pools" }),
        (answer) => mapped(answer, pricedToken)
      ),
    facts: (place) =>
      Effect.map(find("token's facts", `${pathOf(place)}/info`, TokenInfo), (answer) => mapped(answer, factsIn)),
    pools: poolsReader(source, cacheMs, SomePools)
  }
}

type TradeRows = ReturnType<typeof tradesOf>["Type"]["data"]

const tradesIn = (rows: TradeRows, address: string, present: number): PoolTrades => {
  const trades = rows.filter(isTradeOf(address)).flatMap((
    { attributes: { block_timestamp, to_token_address, volume_in_usd } }
  ) =>
    volume_in_usd === null ? [] : [{
      time: block_timestamp,
      side: plainAddress(to_token_address) === plainAddress(address) ? "buy" as const : "sell" as const,
      usd: volume_in_usd
    }]
  )
  const oldest = Math.min(...rows.map(({ attributes }) => attributes.block_timestamp))
  // Some trades of the oldest second may be cut off.
  const cut = rows.length < mostTrades ? -Infinity : oldest + 1_000
  return { trades: trades.toSorted((a, b) => a.time - b.time), since: Math.max(cut, present - dayMs) }
}

/** A response for the newest five minutes is reused for missing earlier ones. */
const tradesCacheMs = 200_000

const collectedOver = (source: Source): GeckoTrades["Service"] => {
  const find = finding(source, tradesCacheMs)
  return {
    // The largest pools change slowly. No pool may be left out, because its trades would be missing.
    pools: poolsReader(source, hourMs, Pools),
    trades: ({ address, chain, pool }) => {
      const path = `/networks/${encodeURIComponent(geckoNetwork(chain))}/pools/${encodeURIComponent(pool)}/trades`
      return Effect.map(
        find("trades", path, tradesOf(address)),
        (answer) => answering(answer, tradesIn(answer.value?.data ?? [], address, presentOf(answer)))
      )
    }
  }
}

const sourceOf = ({ baseUrl, limits, patience }: Required<GeckoTerminalOptions>, part?: string) =>
  makeSource({
    name: "geckoterminal",
    // No other source provides the trades of pools.
    ...(part === undefined ? { next: "dexscreener" } : { part }),
    baseUrl,
    limits,
    patience,
    headers: { accept: "application/json;version=20230302" },
    refusedInBody: refusedByGeckoTerminal
  })

const publicUrl = "https://api.geckoterminal.com/api/v2"

/** Together less than the 30 requests a minute of one address. The collector sends requests one after the other. */
const toolLimits = [{ weight: 13, windowMs: 60_000 }]
const collectLimits = [{ weight: 1, windowMs: 4_000 }]

export const layerGeckoTerminal = (
  { baseUrl = publicUrl, limits = toolLimits, patience = {} }: GeckoTerminalOptions = {}
): Layer.Layer<GeckoTerminal, never, SourceHealth> =>
  Layer.effect(GeckoTerminal, Effect.map(sourceOf({ baseUrl, limits, patience }), overSource))

export const layerGeckoTrades = (
  { baseUrl = publicUrl, limits = collectLimits, patience = {} }: GeckoTerminalOptions = {}
): Layer.Layer<GeckoTrades, never, SourceHealth> =>
  Layer.effect(GeckoTrades, Effect.map(sourceOf({ baseUrl, limits, patience }, "trades"), collectedOver))

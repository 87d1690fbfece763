/**
 * GeckoTerminal, without a key: tokens and pools of decentralised exchanges, and the newest trades of a pool.
 */
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

/** A trade of a token in a pool, by its taker. */
export interface PoolTrade {
  readonly time: number
  readonly side: "buy" | "sell"
  readonly usd: number
}

export interface PoolTrades {
  /** Oldest first. */
  readonly trades: ReadonlyArray<PoolTrade>
  /** Since when they are all there. */
  readonly since: number
}

export class GeckoTerminal extends Context.Service<GeckoTerminal, TokenSource>()(
  "@tapeline/market-live/GeckoTerminal"
) {}

/** What is collected of it, which has a limit of its own: 30 requests a minute are allowed to one address. */
export class GeckoTrades extends Context.Service<GeckoTrades, {
  /** Pools as `TokenSource` tells them. */
  readonly pools: TokenSource["pools"]
  /** The newest trades of a token in one of its pools; none of a pool that is not there any more. */
  readonly trades: (
    query: TokenPlace & { readonly pool: string }
  ) => Effect.Effect<Answer<PoolTrades>, SourceUnavailable>
}>()("@tapeline/market-live/GeckoTrades") {}

export interface GeckoTerminalOptions {
  readonly baseUrl?: string
  readonly patience?: Partial<Patience>
  readonly limits?: ReadonlyArray<RateLimit>
}

/** It keeps its answers for a minute. */
const cacheMs = 30_000

const rowsOnPage = 20
const mostPages = 5

/** So many trades of the last day it tells, and no more. */
const mostTrades = 300

const pathOf = ({ address, chain }: TokenPlace): string =>
  `/networks/${encodeURIComponent(geckoNetwork(chain))}/tokens/${encodeURIComponent(plainAddress(address))}`

/** Whether somebody has it. */
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

/** Asks for what may not be there. */
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
  // Of the oldest second some may have been cut off.
  const cut = rows.length < mostTrades ? -Infinity : oldest + 1_000
  return { trades: trades.toSorted((a, b) => a.time - b.time), since: Math.max(cut, present - dayMs) }
}

/** What was asked for the newest five minutes is asked again for those that are missing before. */
const tradesCacheMs = 200_000

const collectedOver = (source: Source): GeckoTrades["Service"] => {
  const find = finding(source, tradesCacheMs)
  return {
    // Which pools are the largest changes slowly. One that is missing would be missing in what is traded.
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
    // Trades of pools are told by nobody else.
    ...(part === undefined ? { next: "dexscreener" } : { part }),
    baseUrl,
    limits,
    patience,
    headers: { accept: "application/json;version=20230302" },
    refusedInBody: refusedByGeckoTerminal
  })

const publicUrl = "https://api.geckoterminal.com/api/v2"

/** Together less than the 30 requests a minute that one address has; collecting asks one after another. */
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

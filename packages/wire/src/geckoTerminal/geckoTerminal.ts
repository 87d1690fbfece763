/** A fake of GeckoTerminal, which sends JSON:API records with numbers as text. */
import type { DexPool } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  type DexPorts,
  type DexToken,
  dexTokenAt,
  dexTokensNamed,
  type DexTrade,
  dexTradesOf,
  quoteOf
} from "../dex/dexWorld.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"
import { formatDecimal, queryNumber } from "../server/numbers.ts"

const networks: Readonly<Record<string, string>> = { ethereum: "eth", avalanche: "avax", sui: "sui-network" }
const chains = new Map(Object.entries(networks).map(([chain, network]) => [network, chain]))
const networkOf = (chain: string): string => networks[chain] ?? chain
const chainOf = (network: string): string => chains.get(network) ?? network

const idOf = (chain: string, address: string): string => `${networkOf(chain)}_${address}`
const amount = (n: number | null): string | null => n === null ? null : formatDecimal(n)
const instant = (time: number): string => `${new Date(time).toISOString().slice(0, 19)}Z`

const notFound: FakeResponse = { status: 404, body: { errors: [{ status: "404", title: "Not Found" }] } }

const tokenRow = (
  { address, chain, id, name, symbol }: Pick<DexToken, "address" | "chain" | "id" | "name" | "symbol">
) => ({
  id: idOf(chain, address),
  type: "token",
  attributes: { address, name, symbol, decimals: 18, image_url: null, coingecko_coin_id: id }
})

const poolRow = (token: DexToken, pool: DexPool) => {
  const quote = quoteOf(pool)
  const name = `${token.symbol} / ${quote.symbol}`
  const relation = (type: string, id: string) => ({ data: { id, type } })
  return {
    id: idOf(pool.chain, pool.address),
    type: "pool",
    attributes: {
      address: pool.address,
      name: pool.feePct === null ? name : `${name} ${pool.feePct}%`,
      pool_created_at: instant(token.createdAt),
      base_token_price_usd: amount(token.details.priceUsd),
      reserve_in_usd: amount(pool.liquidityUsd),
      volume_usd: { h24: amount(pool.volume24hUsd) }
    },
    relationships: {
      base_token: relation("token", idOf(token.chain, token.address)),
      quote_token: relation("token", idOf(pool.chain, quote.address)),
      dex: relation("dex", pool.dex)
    }
  }
}

const poolsBody = (pools: ReadonlyArray<{ readonly token: DexToken; readonly pool: DexPool }>) => {
  const included = pools.flatMap(({ pool, token }) => {
    const { address, symbol } = quoteOf(pool)
    return [tokenRow(token), tokenRow({ address, chain: pool.chain, id: null, name: symbol, symbol })]
  })
  return {
    data: pools.map(({ pool, token }) => poolRow(token, pool)),
    included: [...new Map(included.map((row) => [row.id, row])).values()]
  }
}

const rowsOnPage = 20
const maxTrades = 300

const tokenBody = (token: DexToken) => ({
  data: {
    ...tokenRow(token),
    attributes: {
      ...tokenRow(token).attributes,
      total_supply: token.details.totalSupply === null
        ? null
        : `${formatDecimal(token.details.totalSupply)}${"0".repeat(18)}.0`,
      normalized_total_supply: amount(token.details.totalSupply),
      price_usd: amount(token.details.priceUsd),
      fdv_usd: amount(token.details.fdvUsd),
      total_reserve_in_usd: amount(token.details.liquidityUsd),
      volume_usd: { h24: "1.0" },
      market_cap_usd: null
    }
  },
  included: token.pools.slice(0, 3).map((pool) => poolRow(token, pool))
})

const infoBody = ({ details: { flags, holders }, ...token }: DexToken) => ({
  data: {
    ...tokenRow(token),
    attributes: {
      ...tokenRow(token).attributes,
      gt_score: 72.5,
      holders: holders === null ? null : { count: holders, distribution_percentage: { top_10: "45.5782" } },
      mint_authority: flags.includes("mintable") ? "yes" : "no",
      freeze_authority: flags.includes("freezable") ? "yes" : "no"
    }
  }
})

const tradeRow = ({ address }: DexToken, pool: string) => ({ side, time, usd }: DexTrade, i: number) => ({
  id: `${pool}_${i}`,
  type: "trade",
  attributes: {
    block_number: 1 + Math.floor(time / 12_000),
    tx_hash: `0x${i}`,
    tx_from_address: "0xtaker",
    from_token_amount: "1.0",
    to_token_amount: "1.0",
    block_timestamp: instant(time),
    kind: side,
    volume_in_usd: formatDecimal(usd),
    from_token_address: side === "buy" ? "0xquote" : address,
    to_token_address: side === "buy" ? address : "0xquote"
  }
})

const respondWith = <A>(found: A | null, body: (found: A) => unknown): FakeResponse =>
  found === null ? notFound : { body: body(found) }

export const makeGeckoTerminal = (ports: DexPorts): RequestHandler => ({ path, query }) => {
  const parts = path.split("/").slice(1).map(decodeURIComponent)
  const [root, network = "", kind, address = "", resource] = parts
  if (root === "search" && network === "pools" && parts.length === 2) {
    return Effect.map(dexTokensNamed(ports, query.get("query") ?? ""), (tokens) => {
      const all = tokens.flatMap((token) => token.pools.map((pool, nth) => ({ token, pool, nth })))
      return { body: poolsBody(all.toSorted((a, b) => a.nth - b.nth).slice(0, rowsOnPage)) }
    })
  }
  if (root !== "networks") return Effect.succeed(null)
  if (kind === "pools" && resource === "trades") {
    return Effect.map(
      dexTradesOf(ports, address, maxTrades),
      (poolTrades) => respondWith(poolTrades, ({ token, trades }) => ({ data: trades.map(tradeRow(token, address)) }))
    )
  }
  if (kind !== "tokens") return Effect.succeed(null)
  const token = dexTokenAt(ports, chainOf(network), address)
  const first = rowsOnPage * ((queryNumber(query, "page") ?? 1) - 1)
  return Effect.map(token, (token) => {
    if (resource === undefined) return respondWith(token, tokenBody)
    if (resource === "info") return respondWith(token, infoBody)
    return resource !== "pools" ?
      null :
      respondWith(
        token,
        (token) => poolsBody(token.pools.slice(first, first + rowsOnPage).map((pool) => ({ token, pool })))
      )
  })
}

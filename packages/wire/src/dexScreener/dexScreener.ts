/** A fake of DexScreener, which sends prices as text and other values as numbers. */
import type { DexPool } from "@tapeline/core/market"
import { Effect } from "effect"
import { type DexPorts, type DexToken, dexTokenAt, dexTokensNamed, quoteOf } from "../dex/dexWorld.ts"
import type { RequestHandler } from "../server/FakeServer.ts"
import { formatDecimal } from "../server/numbers.ts"

const maxPairs = 30

const pairOf = (token: DexToken, pool: DexPool): object => {
  const { details: { fdvUsd, priceUsd } } = token
  const { address, symbol } = quoteOf(pool)
  const [, dexId = pool.dex, version] = /^(.*?)(?:_(v\d))?$/u.exec(pool.dex) ?? []
  return {
    chainId: pool.chain,
    dexId,
    url: `https://dexscreener.com/${pool.chain}/${pool.address}`,
    pairAddress: pool.address,
    ...(version === undefined ? {} : { labels: [version] }),
    baseToken: { address: token.address, name: token.name, symbol: token.symbol },
    quoteToken: { address, name: symbol, symbol },
    priceNative: "1.0",
    priceUsd: formatDecimal(priceUsd),
    txns: { h24: { buys: 3, sells: 4 } },
    volume: pool.volume24hUsd === null ? {} : { h24: pool.volume24hUsd },
    priceChange: {},
    ...(pool.liquidityUsd === null ? {} : { liquidity: { usd: pool.liquidityUsd, base: 1, quote: 1 } }),
    ...(fdvUsd === null ? {} : { fdv: fdvUsd, marketCap: fdvUsd }),
    pairCreatedAt: token.createdAt
  }
}

const pairsOf = (token: DexToken): ReadonlyArray<object> => token.pools.map((pool) => pairOf(token, pool))

export const makeDexScreener = (ports: DexPorts): RequestHandler => ({ path, query }) => {
  const [root, ...rest] = path.split("/").slice(1).map(decodeURIComponent)
  if (path === "/latest/dex/search") {
    return Effect.map(dexTokensNamed(ports, query.get("q") ?? ""), (tokens) => {
      const all = tokens.flatMap((token) => pairsOf(token).map((pair, nth) => ({ pair, nth })))
      const pairs = all.toSorted((a, b) => a.nth - b.nth).slice(0, maxPairs).map(({ pair }) => pair)
      return { body: { schemaVersion: "1.0.0", pairs } }
    })
  }
  const [version, chain = "", address = ""] = rest
  if (root !== "token-pairs" || version !== "v1") return Effect.succeed(null)
  return Effect.map(
    dexTokenAt(ports, chain, address),
    (token) => ({ body: token === null ? [] : pairsOf(token).slice(0, maxPairs) })
  )
}

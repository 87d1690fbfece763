import { Effect } from "effect"
import { TokenMarkets } from "../../market/TokenMarkets.ts"
import { quoted } from "../../text/quoted.ts"
import { handlerOf } from "../../tool/implement.ts"
import { provenanceOf } from "../../tool/result.ts"
import { decimals } from "../../tool/rounding.ts"
import { getDexPools } from "./getDexPools.ts"

/** So that pools add up as they are written. */
const cents = decimals(2)

export const handler = handlerOf(
  getDexPools,
  Effect.gen(function*() {
    const tokens = yield* TokenMarkets
    return Effect.fnUntraced(function*({ coin, top }) {
      const read = yield* tokens.pools({ coin, limit: top + 1 })
      const pools = read.value.slice(0, top).map((pool) => ({
        dex: quoted(pool.dex, 64),
        chain: pool.chain,
        address: pool.address,
        pair: quoted(pool.pair, 64),
        liquidity_usd: cents(pool.liquidityUsd),
        volume_24h_usd: cents(pool.volume24hUsd),
        fee_pct: pool.feePct,
        turnover: pool.liquidityUsd > 0 ? pool.volume24hUsd / pool.liquidityUsd : null
      }))
      const truncated = read.value.length > top
      return {
        coin,
        pools,
        liquidity_usd: cents(pools.reduce((sum, pool) => sum + pool.liquidity_usd, 0)),
        volume_24h_usd: cents(pools.reduce((sum, pool) => sum + pool.volume_24h_usd, 0)),
        truncated,
        notes: pools.length === 0
          ? [`No tracked DEX has a pool of ${coin}.`]
          : truncated
          ? [`The ${top} most liquid pools are shown; raise \`top\` for more.`]
          : [],
        ...provenanceOf(read)
      }
    })
  })
)

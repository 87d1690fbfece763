import { Effect } from "effect"
import { quoted } from "../../engine/text/quoted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { decimals } from "../../engine/tool/rounding.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { TokenMarkets } from "../../market/TokenMarkets.ts"
import { getDexPools } from "./getDexPools.ts"

/** Rounds to cents, so that the pools add up in the result. */
const cents = decimals(2)
const told = (usd: number | null): number | null => usd === null ? null : cents(usd)

/** Adds the known values; null if there are values, but all are unknown. */
const sumOf = (all: ReadonlyArray<number | null>): number | null => {
  const known = all.filter((usd) => usd !== null)
  return known.length === 0 && all.length > 0 ? null : cents(known.reduce((sum, usd) => sum + usd, 0))
}

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
        liquidity_usd: told(pool.liquidityUsd),
        volume_24h_usd: told(pool.volume24hUsd),
        fee_pct: pool.feePct,
        turnover: pool.liquidityUsd !== null && pool.volume24hUsd !== null && pool.liquidityUsd > 0
          ? pool.volume24hUsd / pool.liquidityUsd
          : null
      }))
      const truncated = read.value.length > top
      const untold = (["liquidity_usd", "volume_24h_usd", "fee_pct"] as const)
        .filter((name) => pools.some((pool) => pool[name] === null))
      const notes: Array<string> = []
      if (pools.length === 0) notes.push(`No tracked DEX has a pool of ${coin}.`)
      if (truncated) notes.push(`The ${top} most liquid pools are shown; raise \`top\` for more.`)
      if (untold.length > 0) notes.push(`Null where no source tells: ${untold.join(", ")}.`)
      return {
        coin,
        pools,
        liquidity_usd: sumOf(pools.map((pool) => pool.liquidity_usd)),
        volume_24h_usd: sumOf(pools.map((pool) => pool.volume_24h_usd)),
        truncated,
        notes,
        ...provenanceOf(read)
      }
    })
  })
)

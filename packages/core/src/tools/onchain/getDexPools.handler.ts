import { Effect } from "effect"
import { quoteText } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { roundToDecimals } from "../../engine/tool/rounding.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { TokenMarkets } from "../../market/TokenMarkets.ts"
import { getDexPools } from "./getDexPools.ts"

/** Rounds to cents. The total in the result is the sum of the rounded values. */
const cents = roundToDecimals(2)
const roundUsd = (usd: number | null): number | null => usd === null ? null : cents(usd)

/** Returns the sum of the known values, or null if all values of a non-empty list are unknown. */
const sumKnown = (values: ReadonlyArray<number | null>): number | null => {
  const knownValues = values.filter((usd) => usd !== null)
  return knownValues.length === 0 && values.length > 0 ? null : cents(knownValues.reduce((sum, usd) => sum + usd, 0))
}

export const handler = handlerOf(
  getDexPools,
  Effect.gen(function*() {
    const tokens = yield* TokenMarkets
    return Effect.fnUntraced(function*({ coin, top }) {
      const reading = yield* tokens.pools({ coin, limit: top + 1 })
      const pools = reading.value.slice(0, top).map((pool) => ({
        dex: quoteText(pool.dex, 64),
        chain: pool.chain,
        address: pool.address,
        pair: quoteText(pool.pair, 64),
        liquidity_usd: roundUsd(pool.liquidityUsd),
        volume_24h_usd: roundUsd(pool.volume24hUsd),
        fee_pct: pool.feePct,
        turnover: pool.liquidityUsd !== null && pool.volume24hUsd !== null && pool.liquidityUsd > 0
          ? pool.volume24hUsd / pool.liquidityUsd
          : null
      }))
      const truncated = reading.value.length > top
      const unreportedFields = (["liquidity_usd", "volume_24h_usd", "fee_pct"] as const)
        .filter((name) => pools.some((pool) => pool[name] === null))
      const notes: Array<string> = []
      if (pools.length === 0) notes.push(`No tracked DEX has a pool of ${coin}.`)
      if (truncated) notes.push(`The ${top} most liquid pools are listed; raise \`top\` for more.`)
      if (unreportedFields.length > 0) notes.push(`Null because no source reports it: ${unreportedFields.join(", ")}.`)
      return {
        coin,
        pools,
        liquidity_usd: sumKnown(pools.map((pool) => pool.liquidity_usd)),
        volume_24h_usd: sumKnown(pools.map((pool) => pool.volume_24h_usd)),
        truncated,
        notes,
        ...provenanceOf(reading)
      }
    })
  })
)

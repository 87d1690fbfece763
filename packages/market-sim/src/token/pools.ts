/** Simulates pools on decentralised exchanges, which divide a coin's on-chain volume and liquidity. */
import { dayMs, type DexPool, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, drawNormal } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { makeAddress } from "./addresses.ts"
import { getDexes, getQuoteTokens } from "./chains.ts"
import { getDexActivity } from "./dexTrades.ts"

/** The liquidity in USD per dollar of daily on-chain volume. */
const liquidityPerVolume = 0.55

const roundToCents = (x: number): number => Math.round(x * 100) / 100

/** Returns the on-chain volume of all pools in the 24 hours before a time, in USD. */
export const getDexVolume24hUsd = (world: World, market: CoinMarket, time: number): number => {
  const { buyUsd, sellUsd } = getDexActivity(
    market,
    Math.max(time - dayMs, market.listedAt),
    dayMs,
    time,
    world.getKey(`onchain ${market.spec.coin}`)
  )
  return buyUsd + sellUsd
}

/**
 * Returns the liquidity of all pools in USD. The liquidity follows the usual volume and decreases when the price falls.
 */
export const getLiquidityUsd = (world: World, market: CoinMarket, time: number): number => {
  const key = world.getKey(`pools ${market.spec.coin}`)
  // The on-chain share of trading is measured once, on a day a month after the listing.
  const referenceActivity = getDexActivity(
    market,
    market.listedAt + 30 * dayMs,
    dayMs,
    market.listedAt + 31 * dayMs,
    world.getKey(`onchain ${market.spec.coin}`)
  )
  const totals = market.totals(market.listedAt + 30 * dayMs, market.listedAt + 31 * dayMs)
  const share = totals === undefined ? 0 : (referenceActivity.buyUsd + referenceActivity.sellUsd) / totals.quoteVolume
  const priceLevel = Math.sqrt(market.price(time) / market.spec.price)
  return liquidityPerVolume * share * market.spec.dailyVolumeUsd * priceLevel
    * Math.exp(0.25 * stationaryNoise(key, time, dayMs, 128 * dayMs))
}

/** Returns all pools of a coin at a time, most liquid first. */
export const getPools = (world: World, market: CoinMarket, time: number): ReadonlyArray<DexPool> => {
  const { spec } = market
  const { chain, dexes, isWrapped } = getDexes(spec)
  const symbol = isWrapped || spec.coin === "ETH" ? `W${spec.coin}` : spec.coin
  const key = world.getKey(`pools ${spec.coin}`)
  const quotes = getQuoteTokens(chain).filter((quote) => quote !== symbol && quote !== spec.coin)
  const drafts = dexes.flatMap(({ dex, feesPct }, d) =>
    feesPct.flatMap((feePct, f) =>
      quotes.slice(0, f === 0 ? 2 : 1).map((quote, q) => {
        const poolKey = deriveKey(key, 100 * d + 10 * f + q, 1)
        const rank = d + 0.7 * f + 0.8 * q
        const poolNoise = stationaryNoise(poolKey, time, 6 * hourMs, 32 * dayMs)
        return {
          dex,
          feePct,
          pair: `${symbol}/${quote}`,
          address: makeAddress(chain, poolKey, 8),
          liquidity: Math.exp(-0.75 * rank + 0.35 * drawNormal(poolKey, 0) + 0.12 * poolNoise),
          // Pools with low fees have more volume relative to their liquidity.
          volume: Math.exp(
            -0.8 * rank - 0.35 * Math.log(feePct / 0.1) + 0.35 * drawNormal(poolKey, 1) + 0.3 * poolNoise
          )
        }
      })
    )
  )
  const liquidity = getLiquidityUsd(world, market, time) / drafts.reduce((sum, draft) => sum + draft.liquidity, 0)
  const volume = getDexVolume24hUsd(world, market, time) / drafts.reduce((sum, draft) => sum + draft.volume, 0)
  return drafts
    .map((draft) => ({
      dex: draft.dex,
      chain,
      address: draft.address,
      pair: draft.pair,
      liquidityUsd: roundToCents(draft.liquidity * liquidity),
      volume24hUsd: roundToCents(draft.volume * volume),
      feePct: draft.feePct
    }))
    .sort((a, b) => b.liquidityUsd - a.liquidityUsd)
}

/** Pools on decentralised exchanges, which divide a coin's on-chain volume and liquidity. */
import { dayMs, type DexPool, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { derive, normal } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { addressOn } from "./addresses.ts"
import { dexesOf, quotesOn } from "./chains.ts"
import { dexActivity } from "./dexTrades.ts"

/** The liquidity for each dollar of daily on-chain volume. */
const liquidityPerVolume = 0.55

const cents = (x: number): number => Math.round(x * 100) / 100

/** The on-chain volume of the 24 hours before a time, in USD: the sum over the pools. */
export const dexVolume24hUsd = (world: World, market: CoinMarket, time: number): number => {
  const { buyUsd, sellUsd } = dexActivity(
    market,
    Math.max(time - dayMs, market.listedAt),
    dayMs,
    time,
    world.key(`onchain ${market.spec.coin}`)
  )
  return buyUsd + sellUsd
}

/**
 * The liquidity of all pools, in USD. The liquidity slowly follows the usual volume, and decreases when the price
 * falls.
 */
export const liquidityUsd = (world: World, market: CoinMarket, time: number): number => {
  const key = world.key(`pools ${market.spec.coin}`)
  // The on-chain share of trading on a fixed day, a month after the listing.
  const reference = dexActivity(
    market,
    market.listedAt + 30 * dayMs,
    dayMs,
    market.listedAt + 31 * dayMs,
    world.key(`onchain ${market.spec.coin}`)
  )
  const totals = market.totals(market.listedAt + 30 * dayMs, market.listedAt + 31 * dayMs)
  const share = totals === undefined ? 0 : (reference.buyUsd + reference.sellUsd) / totals.quoteVolume
  const level = Math.sqrt(market.price(time) / market.spec.price)
  return liquidityPerVolume * share * market.spec.dailyVolumeUsd * level
    * Math.exp(0.25 * stationaryNoise(key, time, dayMs, 128 * dayMs))
}

/** All pools of a coin at a time, most liquid first. */
export const poolsOf = (world: World, market: CoinMarket, time: number): ReadonlyArray<DexPool> => {
  const { spec } = market
  const { chain, dexes, wrapped } = dexesOf(spec)
  const symbol = wrapped || spec.coin === "ETH" ? `W${spec.coin}` : spec.coin
  const key = world.key(`pools ${spec.coin}`)
  const quotes = quotesOn(chain).filter((quote) => quote !== symbol && quote !== spec.coin)
  const drafts = dexes.flatMap(({ dex, feesPct }, d) =>
    feesPct.flatMap((feePct, f) =>
      quotes.slice(0, f === 0 ? 2 : 1).map((quote, q) => {
        const own = derive(key, 100 * d + 10 * f + q, 1)
        const rank = d + 0.7 * f + 0.8 * q
        const wander = stationaryNoise(own, time, 6 * hourMs, 32 * dayMs)
        return {
          dex,
          feePct,
          pair: `${symbol}/${quote}`,
          address: addressOn(chain, own, 8),
          liquidity: Math.exp(-0.75 * rank + 0.35 * normal(own, 0) + 0.12 * wander),
          // Pools with low fees have more volume for their liquidity.
          volume: Math.exp(-0.8 * rank - 0.35 * Math.log(feePct / 0.1) + 0.35 * normal(own, 1) + 0.3 * wander)
        }
      })
    )
  )
  const liquidity = liquidityUsd(world, market, time) / drafts.reduce((sum, draft) => sum + draft.liquidity, 0)
  const volume = dexVolume24hUsd(world, market, time) / drafts.reduce((sum, draft) => sum + draft.volume, 0)
  return drafts
    .map((draft) => ({
      dex: draft.dex,
      chain,
      address: draft.address,
      pair: draft.pair,
      liquidityUsd: cents(draft.liquidity * liquidity),
      volume24hUsd: cents(draft.volume * volume),
      feePct: draft.feePct
    }))
    .sort((a, b) => b.liquidityUsd - a.liquidityUsd)
}

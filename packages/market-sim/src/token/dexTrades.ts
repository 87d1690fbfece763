/** Simulates trades on decentralised exchanges as a fraction of the spot volume, with the direction of takers. */
import { dayMs, type DexActivity, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, drawNormal, type Key } from "../kernel/random.ts"
import { getDexes } from "./chains.ts"

/** The fraction of spot volume that is traded on decentralised exchanges, by sector. */
const dexShares: Readonly<Record<string, number>> = {
  defi: 0.16,
  meme: 0.13,
  ai: 0.09,
  layer2: 0.09,
  gaming: 0.06,
  stablecoin: 0.08,
  layer1: 0.05,
  infrastructure: 0.06,
  exchange: 0.04,
  payments: 0.012
}
/** The mean trade size in USD by chain, which is 1,500 for other chains. */
const meanTradesUsd: Readonly<Record<string, number>> = { ethereum: 4_200, bsc: 1_100, base: 900, solana: 600 }

/** The mean trade size of meme coins, relative to other coins. */
const memeTradeFactor = 0.4

/** Returns the mean size of a coin's on-chain trades, in USD. */
const getMeanTradeUsd = ({ spec }: CoinMarket, key: Key): number =>
  (meanTradesUsd[getDexes(spec).chain] ?? 1_500) * (spec.sector === "meme" ? memeTradeFactor : 1) *
  (spec.dailyVolumeUsd / 5e8) ** 0.15 * Math.exp(0.25 * drawNormal(key, 0))

/** Returns the sum of a coin's on-chain trades in `[time, time + stepMs)`, without trades after `now`. */
export const getDexActivity = (
  market: CoinMarket,
  time: number,
  stepMs: number,
  now: number,
  key: Key
): DexActivity => {
  const end = Math.min(time + stepMs, now)
  const share = dexShares[market.spec.sector] ?? 0.05
  const meanTradeUsd = getMeanTradeUsd(market, key)
  let buyUsd = 0
  let sellUsd = 0
  let trades = 0
  for (let hour = Math.floor(time / hourMs) * hourMs; hour < end; hour += hourMs) {
    const totals = market.totals(Math.max(time, hour), Math.min(end, hour + hourMs))
    if (totals === undefined || totals.volume === 0) continue
    const usd = totals.quoteVolume * share * Math.exp(0.3 * stationaryNoise(key, hour, hourMs, 8 * dayMs))
    const buyShare = Math.min(0.95, Math.max(0.05, 0.5 + 1.4 * (totals.takerBuyVolume / totals.volume - 0.5)))
    buyUsd += usd * buyShare
    sellUsd += usd * (1 - buyShare)
    // The mean trade size also varies over hours.
    const hourMeanTradeUsd = meanTradeUsd *
      Math.exp(0.2 * stationaryNoise(deriveKey(key, 1, 0), hour, hourMs, 4 * dayMs))
    trades += Math.round(usd / hourMeanTradeUsd)
  }
  const roundToCents = (x: number): number => Math.round(x * 100) / 100
  return { time, buyUsd: roundToCents(buyUsd), sellUsd: roundToCents(sellUsd), trades }
}

/**
 * Trades on decentralised exchanges, counted by bucket: a share of what trades anywhere, leaning as takers do.
 */
import { dayMs, type DexActivity, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import type { Key } from "../kernel/random.ts"

/** Share of spot volume that trades on chain, by sector. */
const shares: Readonly<Record<string, number>> = {
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
const meanTradeUsd = 2_600

/** The bucket `[time, time + stepMs)`, as far as it has come at `now`: its hours added up. */
export const dexActivity = (
  market: CoinMarket,
  time: number,
  stepMs: number,
  now: number,
  key: Key
): DexActivity => {
  const end = Math.min(time + stepMs, now)
  const share = shares[market.spec.sector] ?? 0.05
  let buyUsd = 0
  let sellUsd = 0
  let trades = 0
  for (let hour = Math.floor(time / hourMs) * hourMs; hour < end; hour += hourMs) {
    const totals = market.totals(Math.max(time, hour), Math.min(end, hour + hourMs))
    if (totals === undefined || totals.volume === 0) continue
    const usd = totals.quoteVolume * share * Math.exp(0.3 * stationaryNoise(key, hour, hourMs, 8 * dayMs))
    const bought = Math.min(0.95, Math.max(0.05, 0.5 + 1.4 * (totals.takerBuyVolume / totals.volume - 0.5)))
    buyUsd += usd * bought
    sellUsd += usd * (1 - bought)
    trades += Math.round(usd / meanTradeUsd)
  }
  const cents = (x: number): number => Math.round(x * 100) / 100
  return { time, buyUsd: cents(buyUsd), sellUsd: cents(sellUsd), trades }
}

import { dayMs } from "@tapeline/core/market"
import type { CoinMarket } from "./CoinMarket.ts"

/**
 * Returns the price momentum over a period, from -1 to 1. A price move of `scale` typical deviations has the result
 * 0.76.
 */
export const computeMomentum = (market: CoinMarket, time: number, spanMs: number, scale: number): number => {
  const from = Math.max(time - spanMs, market.listedAt)
  if (from >= time) return 0
  const deviations = (market.logPrice(time) - market.logPrice(from))
    / (market.spec.dailySd * Math.sqrt((time - from) / dayMs))
  return Math.tanh(deviations / scale)
}

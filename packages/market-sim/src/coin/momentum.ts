/** Momentum: the price move over a time, in standard deviations of a typical move over that time, limited by tanh. */
import { dayMs } from "@tapeline/core/market"
import type { CoinMarket } from "./CoinMarket.ts"

/**
 * The momentum, from -1 to 1. Times before the listing count as the listing. `scale` is the size, in deviations, that
 * gives 0.76.
 */
export const computeMomentum = (market: CoinMarket, time: number, spanMs: number, scale: number): number => {
  const from = Math.max(time - spanMs, market.listedAt)
  if (from >= time) return 0
  const deviations = (market.logPrice(time) - market.logPrice(from))
    / (market.spec.dailySd * Math.sqrt((time - from) / dayMs))
  return Math.tanh(deviations / scale)
}

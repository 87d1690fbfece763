/** Momentum: the price move over a period, in standard deviations of a typical move, limited by tanh. */
import { dayMs } from "@tapeline/core/market"
import type { CoinMarket } from "./CoinMarket.ts"

/**
 * Returns the momentum, from -1 to 1. A period that begins before the listing is shortened to begin at the listing. A
 * move of `scale` standard deviations gives 0.76.
 */
export const computeMomentum = (market: CoinMarket, time: number, spanMs: number, scale: number): number => {
  const from = Math.max(time - spanMs, market.listedAt)
  if (from >= time) return 0
  const deviations = (market.logPrice(time) - market.logPrice(from))
    / (market.spec.dailySd * Math.sqrt((time - from) / dayMs))
  return Math.tanh(deviations / scale)
}

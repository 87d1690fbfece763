/**
 * Momentum: how far a price has come over a time, in standard deviations of a typical such time, squashed.
 */
import { dayMs } from "@tapeline/core/market"
import type { CoinMarket } from "./CoinMarket.ts"

/** From -1 to 1; times before the listing count as the listing. `scale` is the size (in deviations) that gives 0.76. */
export const momentum = (market: CoinMarket, time: number, spanMs: number, scale: number): number => {
  const from = Math.max(time - spanMs, market.listedAt)
  if (from >= time) return 0
  const deviations = (market.logPrice(time) - market.logPrice(from))
    / (market.spec.dailySd * Math.sqrt((time - from) / dayMs))
  return Math.tanh(deviations / scale)
}

/** Order books: dense near the middle, thinner outwards, with walls at round prices. */
import { type BookLevel, hourMs, minuteMs, type OrderBook } from "@tapeline/core/market"
import { stationaryNoise } from "../kernel/noise.ts"
import { derive, type Key, normal } from "../kernel/random.ts"
import type { CoinMarket } from "./CoinMarket.ts"
import { momentum } from "./momentum.ts"

const levelsPerSide = 120
/** The distance of the farthest level from the middle. */
const reach = 0.03
/** The value within 1 % of the middle on one side, as a share of a typical day's volume. */
const depthShare = 0.0016

/** Returns whether a level contains a price of two significant digits, at which orders gather. */
const isRound = (near: number, far: number): boolean => {
  const step = 10 ** (Math.floor(Math.log10(near)) - 1)
  return Math.floor(near / step) !== Math.floor(far / step)
}

/** The order book at a time. `key` is the stream of the coin's books. */
export const orderBook = (market: CoinMarket, time: number, key: Key): OrderBook => {
  const { spec, decimals } = market
  const ticks = 10 ** decimals
  const middle = market.price(time)
  const spread = Math.min(0.0025, 0.000012 * Math.sqrt(2.1e10 / spec.dailyVolumeUsd))
  const lean = 0.3 * stationaryNoise(derive(key, 1, 0), time, minuteMs, 4 * hourMs) +
    0.25 * momentum(market, time, hourMs, 1.5)
  const growth = Math.log(reach / spread) / (levelsPerSide - 1)
  const draws = derive(key, 2, Math.floor(time / minuteMs))
  const side = (sign: 1 | -1): ReadonlyArray<BookLevel> => {
    const levels: Array<BookLevel> = []
    let previous = middle
    for (let i = 0; i < levelsPerSide; i++) {
      const distance = spread / 2 * Math.exp(growth * i)
      const raw = middle * (1 + sign * distance)
      // Rounded outwards to the next tick, so that the two sides never meet.
      const ticked = sign > 0
        ? Math.max(Math.ceil(raw * ticks), Math.round(previous * ticks) + 1)
        : Math.min(Math.floor(raw * ticks), Math.round(previous * ticks) - 1)
      const price = ticked / ticks
      if (price <= 0) break
      const band = Math.abs(price - previous) / middle
      const wall = isRound(previous, price) ? 5 : 1
      const usd = spec.dailyVolumeUsd * depthShare * (band / 0.01) * wall
        * Math.exp(0.45 * normal(draws, 2 * i + (sign > 0 ? 1 : 0)) - sign * lean)
      levels.push({ price, size: Number((usd / price).toPrecision(6)) })
      previous = price
    }
    return levels
  }
  return { time, bids: side(-1), asks: side(1) }
}

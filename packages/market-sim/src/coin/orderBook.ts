/** Simulates order books that are dense near the mid price, with large orders at round prices. */
import { type BookLevel, hourMs, minuteMs, type OrderBook } from "@tapeline/core/market"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, drawNormal, type Key } from "../kernel/random.ts"
import type { CoinMarket } from "./CoinMarket.ts"
import { computeMomentum } from "./momentum.ts"

const levelsPerSide = 120
/** The distance of the farthest order from the mid price, as a fraction of the mid price. */
const maxDistance = 0.03
/** The value of one side's orders within 1 % of the mid price, as a fraction of a typical day's volume. */
const depthToVolumeRatio = 0.0016

/** Returns whether a round price is between two prices, because orders gather at round prices. */
const containsRoundPrice = (nearPrice: number, farPrice: number): boolean => {
  const step = 10 ** (Math.floor(Math.log10(nearPrice)) - 1)
  return Math.floor(nearPrice / step) !== Math.floor(farPrice / step)
}

/** Creates the order book of a coin at a time, with random numbers from `key`. */
export const makeOrderBook = (market: CoinMarket, time: number, key: Key): OrderBook => {
  const { spec, decimals } = market
  const ticks = 10 ** decimals
  const midPrice = market.price(time)
  const spread = Math.min(0.0025, 0.000012 * Math.sqrt(2.1e10 / spec.dailyVolumeUsd))
  const imbalance = 0.3 * stationaryNoise(deriveKey(key, 1, 0), time, minuteMs, 4 * hourMs) +
    0.25 * computeMomentum(market, time, hourMs, 1.5)
  const growth = Math.log(maxDistance / spread) / (levelsPerSide - 1)
  const draws = deriveKey(key, 2, Math.floor(time / minuteMs))
  const makeSide = (sign: 1 | -1): ReadonlyArray<BookLevel> => {
    const levels: Array<BookLevel> = []
    let previous = midPrice
    for (let i = 0; i < levelsPerSide; i++) {
      const distance = spread / 2 * Math.exp(growth * i)
      const raw = midPrice * (1 + sign * distance)
      // Prices are rounded away from the mid price, so that bids and asks never meet.
      const tickCount = sign > 0
        ? Math.max(Math.ceil(raw * ticks), Math.round(previous * ticks) + 1)
        : Math.min(Math.floor(raw * ticks), Math.round(previous * ticks) - 1)
      const price = tickCount / ticks
      if (price <= 0) break
      const relativeStep = Math.abs(price - previous) / midPrice
      const wallFactor = containsRoundPrice(previous, price) ? 5 : 1
      const usd = spec.dailyVolumeUsd * depthToVolumeRatio * (relativeStep / 0.01) * wallFactor
        * Math.exp(0.45 * drawNormal(draws, 2 * i + (sign > 0 ? 1 : 0)) - sign * imbalance)
      levels.push({ price, size: Number((usd / price).toPrecision(6)) })
      previous = price
    }
    return levels
  }
  return { time, bids: makeSide(-1), asks: makeSide(1) }
}

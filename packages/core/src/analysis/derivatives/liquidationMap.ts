/**
 * A model that estimates the liquidation prices of open positions. Venues publish no entry prices and no margins. The
 * model treats an hourly increase of open interest as new long and short positions at the hour's average price. The
 * model assumes a fixed distribution of leverages. The model removes a position when the price crosses the position's
 * liquidation price.
 */
import { liquidationPrice } from "@tapeline/quant/risk"
import type { Candle } from "../../market/candle.ts"
import type { PerpetualPoint } from "../../market/derivative.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"

/** The period in which the model assumes that positions are opened, in ms. */
export const entryPeriodMs = 7 * dayMs

/** The leverages in the model. `weight` is the share of opened positions with a leverage. */
export const leverageWeights = [
  { leverage: 5, weight: 0.2 },
  { leverage: 10, weight: 0.3 },
  { leverage: 25, weight: 0.25 },
  { leverage: 50, weight: 0.15 },
  { leverage: 100, weight: 0.1 }
] as const

export const maintenanceMarginRate = 0.005

/** The width of a price bin in which liquidation prices are merged, in percent of the current price. */
export const binPct = 0.5

export const modelDescription =
  "Each rise of open interest (coins) from one full hour to the next, over 7 days, counts as equally many longs " +
  "and shorts, entered at that hour's VWAP with isolated margin, leverage in the shares of weights and a maintenance " +
  "margin of 0.5 %. A level is cleared once a candle after its hour, or a price of the running hour, has crossed it. est_usd is " +
  "the value traded there: coins times price. Positions that their owners closed are unknown, and still counted."

export type PositionSide = "long" | "short"

/** The estimated positions that were opened in an hour, with equal amounts of longs and shorts. */
export interface PositionEntry {
  /** The end of the hour in which the positions were opened, in epoch ms. */
  readonly time: number
  readonly price: number
  readonly coins: number
}

export interface EstimatedEntries {
  readonly entries: ReadonlyArray<PositionEntry>
  /** The number of hours in which both the price and the change of open interest are known. */
  readonly knownHours: number
}

/** Estimates the positions opened in each hour that has a candle and two open interest records. */
export const estimateEntries = (
  points: ReadonlyArray<PerpetualPoint>,
  hours: ReadonlyArray<Candle>
): EstimatedEntries => {
  const candles = new Map(hours.map((candle) => [candle.time, candle]))
  const entries: Array<PositionEntry> = []
  let knownHours = 0
  for (const [i, { openInterest, time }] of points.entries()) {
    const previous = points[i - 1]
    const candle = candles.get(time - hourMs)
    if (previous === undefined || time - previous.time !== hourMs || candle === undefined || !candle.closed) continue
    if (openInterest === null || previous.openInterest === null) continue
    knownHours++
    const coins = openInterest - previous.openInterest
    if (coins <= 0) continue
    const price = candle.volume > 0 ? candle.quoteVolume / candle.volume : candle.close
    entries.push({ time, price, coins })
  }
  return { entries, knownHours }
}

/** The estimated positions with one side and one leverage that were opened in one hour and are still open. */
export interface OpenPosition {
  readonly side: PositionSide
  readonly leverage: number
  readonly price: number
  readonly coins: number
}

const sides = ["long", "short"] as const

/**
 * Returns the estimated positions whose liquidation price has not been crossed since the positions were opened.
 * `candles` must ascend by time. `newestPrices` can be newer than the last candle.
 */
export const findOpenPositions = (
  entries: ReadonlyArray<PositionEntry>,
  candles: ReadonlyArray<Candle>,
  newestPrices: ReadonlyArray<number>
): ReadonlyArray<OpenPosition> => {
  const openPositions: Array<OpenPosition> = []
  let [low, high] = [Math.min(...newestPrices), Math.max(...newestPrices)]
  let candleIndex = candles.length - 1
  for (const { coins, price: entry, time } of entries.toReversed()) {
    for (; candleIndex >= 0 && candles[candleIndex]!.time >= time; candleIndex--) {
      low = Math.min(low, candles[candleIndex]!.low)
      high = Math.max(high, candles[candleIndex]!.high)
    }
    for (const side of sides) {
      for (const { leverage, weight } of leverageWeights) {
        const price = liquidationPrice({
          side,
          entry,
          quantity: 1,
          wallet: entry / leverage,
          maintenanceRate: maintenanceMarginRate
        })
        if (price === null || (side === "long" ? low <= price : high >= price)) continue
        openPositions.push({ side, leverage, price, coins: coins * weight })
      }
    }
  }
  return openPositions
}

/** A group of positions with the same side, the same leverage and similar liquidation prices. */
export interface LiquidationLevel {
  readonly side: PositionSide
  readonly leverage: number
  /** The mean liquidation price, weighted by USD value. */
  readonly price: number
  readonly usd: number
}

/** Merges positions with close liquidation prices into levels, lowest price first. */
export const mergeIntoLevels = (
  positions: ReadonlyArray<OpenPosition>,
  priceNow: number
): ReadonlyArray<LiquidationLevel> => {
  const bins = new Map<string, { side: PositionSide; leverage: number; usd: number; weighted: number }>()
  for (const { coins, leverage, price, side } of positions) {
    const bin = Math.floor((100 * (price / priceNow - 1)) / binPct)
    const key = `${side} ${leverage} ${bin}`
    const level = bins.get(key) ?? { side, leverage, usd: 0, weighted: 0 }
    level.usd += coins * price
    level.weighted += coins * price * price
    bins.set(key, level)
  }
  return [...bins.values()]
    .map(({ leverage, side, usd, weighted }) => ({ side, leverage, price: weighted / usd, usd }))
    .sort((a, b) => a.price - b.price)
}

/** Returns the USD value of positions that would be liquidated if the price moved by `pct` percent. */
export const sumUsdWithin = (
  positions: ReadonlyArray<OpenPosition>,
  priceNow: number,
  pct: number,
  side: PositionSide
): number =>
  positions.reduce(
    (sum, position) =>
      position.side === side && 100 * Math.abs(position.price / priceNow - 1) <= pct
        ? sum + position.coins * position.price
        : sum,
    0
  )

/**
 * Returns the percentage of the open interest that the liquidation map explains. The result is the mean of the
 * percentages of the long and the short side.
 */
export const getCoveragePct = (positions: ReadonlyArray<OpenPosition>, openInterest: number): number | null =>
  openInterest > 0 ? (50 * positions.reduce((sum, { coins }) => sum + coins, 0)) / openInterest : null

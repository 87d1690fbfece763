/**
 * Estimates liquidation prices of open positions with a model, because entry prices and margins are not published. An
 * hourly increase of open interest counts as positions of both sides, opened at the hour's average price, with fixed
 * shares of leverage. Each position remains until the price crosses its liquidation price.
 */
import { liquidationPrice } from "@tapeline/quant/risk"
import type { Candle } from "../../market/candle.ts"
import type { PerpetualPoint } from "../../market/derivative.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"

/** The period in which entries are searched. */
export const entriesMs = 7 * dayMs

/** Leverages, and the share of opened positions that have each. */
export const leverageWeights = [
  { leverage: 5, weight: 0.2 },
  { leverage: 10, weight: 0.3 },
  { leverage: 25, weight: 0.25 },
  { leverage: 50, weight: 0.15 },
  { leverage: 100, weight: 0.1 }
] as const

export const maintenanceRate = 0.005

/** Levels of one side and leverage that are within this many percent of the present price are merged. */
export const binPct = 0.5

export const modelText =
  "Each rise of open interest (coins) from one full hour to the next, over 7 days, is as many longs " +
  "and as many shorts, entered at that hour's VWAP, isolated, with leverage in the shares of weights and a maintenance " +
  "margin of 0.5 %. A level is cleared once a candle after its hour, or a price of the running hour, has crossed it. est_usd is what " +
  "would be traded there: coins times price. Positions closed by choice are not known, and still counted."

export type PositionSide = "long" | "short"

/** The positions opened in an hour, for each side. */
export interface Entry {
  /** The end of the hour, epoch ms. */
  readonly time: number
  readonly price: number
  readonly coins: number
}

export interface Entries {
  readonly entries: ReadonlyArray<Entry>
  /** The number of hours whose change of open interest and price are known. */
  readonly known: number
}

/** Returns the entries of the hours between records. Skips an hour without both records or without its candle. */
export const entriesOf = (points: ReadonlyArray<PerpetualPoint>, hours: ReadonlyArray<Candle>): Entries => {
  const candles = new Map(hours.map((candle) => [candle.time, candle]))
  const entries: Array<Entry> = []
  let known = 0
  for (const [i, { openInterest, time }] of points.entries()) {
    const before = points[i - 1]
    const candle = candles.get(time - hourMs)
    if (before === undefined || time - before.time !== hourMs || candle === undefined || !candle.closed) continue
    if (openInterest === null || before.openInterest === null) continue
    known++
    const coins = openInterest - before.openInterest
    if (coins <= 0) continue
    const price = candle.volume > 0 ? candle.quoteVolume / candle.volume : candle.close
    entries.push({ time, price, coins })
  }
  return { entries, known }
}

/** The remaining positions of one hour, side and leverage. */
export interface Standing {
  readonly side: PositionSide
  readonly leverage: number
  /** The liquidation price. */
  readonly price: number
  readonly coins: number
}

const sides = ["long", "short"] as const

/**
 * Returns the positions of entries that no later price has crossed. `candles` ascend by time. `newestPrices` are prices
 * after the last entry that candles may not contain yet.
 */
export const standingOf = (
  entries: ReadonlyArray<Entry>,
  candles: ReadonlyArray<Candle>,
  newestPrices: ReadonlyArray<number>
): ReadonlyArray<Standing> => {
  const standing: Array<Standing> = []
  let [low, high] = [Math.min(...newestPrices), Math.max(...newestPrices)]
  let next = candles.length - 1
  for (const { coins, price: entry, time } of entries.toReversed()) {
    for (; next >= 0 && candles[next]!.time >= time; next--) {
      low = Math.min(low, candles[next]!.low)
      high = Math.max(high, candles[next]!.high)
    }
    for (const side of sides) {
      for (const { leverage, weight } of leverageWeights) {
        const price = liquidationPrice({ side, entry, quantity: 1, wallet: entry / leverage, maintenanceRate })
        if (price === null || (side === "long" ? low <= price : high >= price)) continue
        standing.push({ side, leverage, price, coins: coins * weight })
      }
    }
  }
  return standing
}

/** Positions of one side and leverage with similar liquidation prices. */
export interface Level {
  readonly side: PositionSide
  readonly leverage: number
  /** The mean liquidation price, weighted by value. */
  readonly price: number
  readonly usd: number
}

/** Merges positions within one bin into levels, lowest price first. */
export const levelsOf = (standing: ReadonlyArray<Standing>, priceNow: number): ReadonlyArray<Level> => {
  const bins = new Map<string, { side: PositionSide; leverage: number; usd: number; weighted: number }>()
  for (const { coins, leverage, price, side } of standing) {
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

/** Returns the value of positions that would be liquidated on the way to a price `pct` percent away, USD. */
export const usdWithin = (
  standing: ReadonlyArray<Standing>,
  priceNow: number,
  pct: number,
  side: PositionSide
): number =>
  standing.reduce(
    (sum, one) =>
      one.side === side && 100 * Math.abs(one.price / priceNow - 1) <= pct ? sum + one.coins * one.price : sum,
    0
  )

/** Returns the share of the open interest that the map contains, percent: the mean of both sides. */
export const coveragePct = (standing: ReadonlyArray<Standing>, openInterest: number): number | null =>
  openInterest > 0 ? (50 * standing.reduce((sum, { coins }) => sum + coins, 0)) / openInterest : null

/**
 * Where positions would be liquidated, by a model: nobody publishes at what price and with what margin the others
 * entered. An increase of open interest over an hour is taken for positions opened in it, of both sides, at the hour's
 * average price, with leverage in fixed shares; each stands until the price crosses where it would be liquidated.
 */
import { liquidationPrice } from "@tapeline/quant/risk"
import type { Candle } from "../../market/candle.ts"
import type { PerpetualPoint } from "../../market/derivative.ts"
import { dayMs, hourMs } from "../../market/timeframe.ts"

/** Entries are looked for over so long. */
export const entriesMs = 7 * dayMs

/** Leverage of positions, and the share of those opened that has it. */
export const leverageWeights = [
  { leverage: 5, weight: 0.2 },
  { leverage: 10, weight: 0.3 },
  { leverage: 25, weight: 0.25 },
  { leverage: 50, weight: 0.15 },
  { leverage: 100, weight: 0.1 }
] as const

export const maintenanceRate = 0.005

/** Levels of one side and leverage within so many percent of the price now are one. */
export const binPct = 0.5

export const modelText =
  "Each rise of open interest (coins) from one full hour to the next, over 7 days, is as many longs " +
  "and as many shorts, entered at that hour's VWAP, isolated, with leverage in the shares of weights and a maintenance " +
  "margin of 0.5 %. A level is cleared once a candle after its hour, or a price of the running hour, has crossed it. est_usd is what " +
  "would be traded there: coins times price. Positions closed by choice are not known, and still counted."

export type PositionSide = "long" | "short"

/** Positions opened in an hour, of each side. */
export interface Entry {
  /** When the hour ended, epoch ms. */
  readonly time: number
  readonly price: number
  readonly coins: number
}

export interface Entries {
  readonly entries: ReadonlyArray<Entry>
  /** Hours whose change of open interest, and whose price, are known. */
  readonly known: number
}

/** Entries of the hours between records; an hour without both records, or without its candle, tells none. */
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

/** Positions of one hour, side and leverage that still stand. */
export interface Standing {
  readonly side: PositionSide
  readonly leverage: number
  /** Where they would be liquidated. */
  readonly price: number
  readonly coins: number
}

const sides = ["long", "short"] as const

/**
 * Positions of entries that no later price has crossed. `candles` ascend by time; `newestPrices` are prices after the
 * last entry, which no candle may hold yet.
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

/** Positions of one side and leverage whose levels lie near one another. */
export interface Level {
  readonly side: PositionSide
  readonly leverage: number
  /** Mean of their levels, by value. */
  readonly price: number
  readonly usd: number
}

/** Levels from the lowest price up, those within one bin merged. */
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

/** What would be liquidated on the way to a price so many percent away, USD. */
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

/** Share of an open interest that stands on the map, percent: the mean of both sides. */
export const coveragePct = (standing: ReadonlyArray<Standing>, openInterest: number): number | null =>
  openInterest > 0 ? (50 * standing.reduce((sum, { coins }) => sum + coins, 0)) / openInterest : null

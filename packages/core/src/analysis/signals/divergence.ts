import { divergences, swings } from "@tapeline/quant"
import { rsi } from "@tapeline/quant/indicators"
import { afterLastHole, type Candle } from "../../market/candle.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getBars } from "./averages.ts"
import { toColumns } from "./candleColumns.ts"
import { placeOnGrid } from "./grid.ts"

/** A divergence of price and RSI(14) between two consecutive swings of 1h candles. Prices are in USD. */
export interface PriceDivergence {
  readonly kind: "regular" | "hidden"
  readonly bias: "bullish" | "bearish"
  /** The opening time of the candle at the first swing, in epoch ms. */
  readonly fromTime: number
  readonly fromPrice: number
  readonly fromRsi: number
  readonly toTime: number
  readonly toPrice: number
  readonly toRsi: number
  /**
   * The close of the candle that confirmed the later swing, in epoch ms. Before `confirmedAt`, the divergence cannot be
   * detected.
   */
  readonly confirmedAt: number
}

/** The reported divergences of a coin. */
export interface Divergences {
  readonly divergences: ReadonlyArray<PriceDivergence>
  /**
   * The start of the hours in which swings are compared, in epoch ms; null if no gap in the candles can hide a
   * divergence.
   */
  readonly comparedSince: number | null
}

/** A swing is the highest or lowest price within this number of hours before and after it. */
export const swingHours = 5

/** The number of hours for which a confirmed divergence is reported. */
export const divergenceHours = 72

/**
 * Returns the divergences that were confirmed within the last `divergenceHours`, newest last. `all` contains closed 1h
 * candles. Only swings after the last gap in the candles are compared. The RSI uses all candles.
 */
export const recentDivergences = (all: ReadonlyArray<Candle>): ReadonlyArray<PriceDivergence> => {
  const candles = afterLastHole(all, hourMs)
  const newest = all.at(-1)
  if (newest === undefined) return []
  const grid = placeOnGrid(toColumns(all), all[0]!.time, newest.time + hourMs)
  const bars = getBars(grid, 0, grid.time.length)
  const rsiValues = rsi(bars.gapAdjusted.close, 14).subarray(all.length - candles.length)
  const { high, low } = toColumns(candles)
  const end = candles[candles.length - 1]!.time + hourMs
  return divergences(high, low, rsiValues, swingHours)
    .map(({ bias, from, kind, knownAt, to }) => ({
      kind,
      bias,
      fromTime: candles[from.index]!.time,
      fromPrice: from.price,
      fromRsi: rsiValues[from.index]!,
      toTime: candles[to.index]!.time,
      toPrice: to.price,
      toRsi: rsiValues[to.index]!,
      confirmedAt: candles[knownAt]!.time + hourMs
    }))
    .filter(({ confirmedAt }) => confirmedAt > end - divergenceHours * hourMs)
}

/**
 * Returns the start of the hours in which swings were compared, or null if no divergence can be missing. The first
 * swing high and the first swing low after a gap cannot be compared, so a divergence may be missing.
 */
export const getComparedSince = (all: ReadonlyArray<Candle>): number | null => {
  const candles = afterLastHole(all, hourMs)
  const first = candles[0]
  if (first === undefined || candles.length === all.length) return null
  const { high, low } = toColumns(candles)
  const found = swings(high, low, swingHours)
  const reportedSince = candles[candles.length - 1]!.time - divergenceHours * hourMs
  const hasOldSwing = (side: "high" | "low"): boolean => {
    const swing = found.find(({ kind }) => kind === side)
    return swing !== undefined && candles[swing.knownAt]!.time <= reportedSince
  }
  return hasOldSwing("high") && hasOldSwing("low") ? null : first.time
}

import { realisedVolatility } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { makeReading, type MarketRead } from "../../market/reading.ts"
import { dayMs, durationMs, type Timeframe } from "../../market/timeframe.ts"
import { getGapAdjustedCloses } from "./candleColumns.ts"
import { type ClosedBars, readClosedBars } from "./closedBars.ts"
import { minPresentShare } from "./grid.ts"

/** The length of a year in ms. Coins trade on all 365 days. */
const yearMs = 365 * dayMs

/** Returns the number of bars of a timeframe in a year, for annualisation. */
export const barsPerYear = (tf: Timeframe): number => yearMs / durationMs[tf]

/** A volatility and its sample size. */
export interface MeasuredVolatility {
  /** The volatility in percent per year; null if fewer than two thirds of the returns exist. */
  readonly pct: number | null
  /** The number of returns from which the volatility is computed. */
  readonly n: number
}

/** Measures the close-to-close volatility of the last `returns` intervals. Intervals without a candle are skipped. */
export const measureVolatility = ({ candles, tf }: ClosedBars, returns: number): MeasuredVolatility => {
  const closes = getGapAdjustedCloses(candles, durationMs[tf])
  const n = Math.max(0, closes.length - 1)
  const volatility = n < minPresentShare * returns ? null : realisedVolatility(closes, barsPerYear(tf))
  return { pct: volatility === null ? null : 100 * volatility, n }
}

/** The number of hours over which `realised_30d_pct` is measured: 30 days. */
export const realisedHours = 720

/** Reads `realised_30d_pct`: the annualised standard deviation of the hourly log returns of the last 30 days. */
export const readRealised30d = (prices: CoinPrices["Service"], coin: string): MarketRead<MeasuredVolatility> =>
  Effect.map(
    readClosedBars(prices, coin, "1h", realisedHours + 1),
    (bars) => makeReading(measureVolatility(bars, realisedHours), bars.sources, bars.end)
  )

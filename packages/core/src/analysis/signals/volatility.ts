import { realisedVolatility } from "@tapeline/quant/volatility"
import { Effect } from "effect"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import { type MarketRead, reading } from "../../market/reading.ts"
import { dayMs, durationMs, type Timeframe } from "../../market/timeframe.ts"
import { type ClosedBars, readClosedBars } from "./closedBars.ts"
import { closesWithoutHoles } from "./columns.ts"
import { leastShare } from "./grid.ts"

/** Crypto trades all year. */
const yearMs = 365 * dayMs

/** Bars of a length in a year: what a volatility of them is annualised by. */
export const barsPerYear = (tf: Timeframe): number => yearMs / durationMs[tf]

/** A volatility and what it was told from. */
export interface MeasuredVolatility {
  /** Percent a year; null where less than two thirds of the returns are there. */
  readonly pct: number | null
  /** Returns between adjoining closes. */
  readonly n: number
}

/** Close-to-close volatility of the returns over `returns` intervals, of which some may be missing. */
export const measureVolatility = ({ candles, tf }: ClosedBars, returns: number): MeasuredVolatility => {
  const closes = closesWithoutHoles(candles, durationMs[tf])
  const n = Math.max(0, closes.length - 1)
  const measured = n < leastShare * returns ? null : realisedVolatility(closes, barsPerYear(tf))
  return { pct: measured === null ? null : 100 * measured, n }
}

/** Hours of the 30 days that `realised_30d_pct` is measured over. */
export const realisedHours = 720

/**
 * What every result calls `realised_30d_pct`: the sample standard deviation of the hourly log returns of the 30 days up
 * to the last closed hour, annualised by 365 days.
 */
export const readRealised30d = (prices: CoinPrices["Service"], coin: string): MarketRead<MeasuredVolatility> =>
  Effect.map(
    readClosedBars(prices, coin, "1h", realisedHours + 1),
    (bars) => reading(measureVolatility(bars, realisedHours), bars.sources, bars.end)
  )

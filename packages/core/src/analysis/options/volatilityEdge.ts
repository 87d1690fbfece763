/** Compares the volatility realised in a window with the implied volatility at the window's start. */
import { realisedVolatility } from "@tapeline/quant"
import { ivPercentile } from "@tapeline/quant/options"
import { hitRate } from "@tapeline/quant/probability"
import type { Candle } from "../../market/candle.ts"
import type { IvPoint } from "../../market/option.ts"
import { dayMs, durationMs } from "../../market/timeframe.ts"
import { findFirstIndex, getGapAdjustedCloses } from "../signals/candleColumns.ts"
import { yearMs } from "./expiry.ts"
import type { IvRegime } from "./ivRegime.ts"

/**
 * `lookback` is the number of days of history in which a volatility is ranked. A volatility gets a regime only if at
 * least `min` days are recorded.
 */
export const regimeDays = { lookback: 365, min: 90 } as const

const maxMissingShare = 0.1

/** Chooses the candle timeframe and the number of past days to search for windows of `fwdDays` days. */
export const chooseSampling = (fwdDays: number): { readonly timeframe: "1h" | "4h" | "1d"; readonly days: number } =>
  fwdDays <= 2
    ? { timeframe: "1h", days: 365 }
    : fwdDays <= 9
    ? { timeframe: "4h", days: 730 }
    : { timeframe: "1d", days: 1_460 }

/**
 * The rank of a volatility in the year up to and including its own day. `percentile` and `regime` are null if too few
 * days are recorded.
 */
export interface RegimeRank {
  readonly percentile: number | null
  readonly regime: IvRegime | null
  readonly sampleSize: number
}

export const rankRegimeAt = (points: ReadonlyArray<IvPoint>, i: number): RegimeRank => {
  const { ivPct, time } = points[i]!
  const pastPoints = points.slice(findFirstIndex(points, time - regimeDays.lookback * dayMs + 1), i + 1)
  const sampleSize = pastPoints.length
  const percentile = sampleSize < regimeDays.min ? null : ivPercentile(ivPct, pastPoints.map((point) => point.ivPct))
  if (percentile === null) return { percentile, regime: null, sampleSize }
  return { percentile, regime: percentile < 100 / 3 ? "low" : percentile < 200 / 3 ? "mid" : "high", sampleSize }
}

export interface EdgeWindow {
  /** The time at which the implied volatility was read, in epoch ms. */
  readonly readAt: number
  readonly from: number
  readonly to: number
  readonly ivPct: number
  readonly realisedPct: number
  /** The regime of the implied volatility; null if too few days of the year before are recorded. */
  readonly regime: IvRegime | null
}

export interface EdgeWindows {
  /** The windows, oldest first and without overlaps. */
  readonly windows: ReadonlyArray<EdgeWindow>
  /** The number of windows with too many missing candles. */
  readonly skipped: number
}

/**
 * Returns the windows of `fwdDays` days that begin on every `fwdDays`-th day since 1970. Windows have fixed dates, so
 * later calls return identical windows. The result of a window depends only on volatilities up to the window's start
 * and on closed candles within the window.
 */
export const findEdgeWindows = (input: {
  readonly points: ReadonlyArray<IvPoint>
  readonly candles: ReadonlyArray<Candle>
  readonly timeframe: "1h" | "4h" | "1d"
  readonly fwdDays: number
  readonly from: number
}): EdgeWindows => {
  const { candles, from, fwdDays, points } = input
  const stepMs = durationMs[input.timeframe]
  const last = candles.at(-1)
  const knownUntil = last === undefined ? -Infinity : last.time + stepMs
  const windows: Array<EdgeWindow> = []
  let skipped = 0
  for (const [i, { ivPct, time }] of points.entries()) {
    if (time < from || Math.floor(time / dayMs) % fwdDays !== 0) continue
    const start = Math.ceil(time / stepMs) * stepMs
    const end = start + fwdDays * dayMs
    if (end > knownUntil) break
    // The window's first candle closes at the window's start, and its last candle closes at the window's end.
    const windowCandles = candles.slice(findFirstIndex(candles, start - stepMs), findFirstIndex(candles, end))
    const closes = getGapAdjustedCloses(windowCandles, stepMs)
    const sigma = closes.length - 1 < (1 - maxMissingShare) * ((end - start) / stepMs)
      ? null
      : realisedVolatility(closes, yearMs / stepMs)
    if (sigma === null) skipped++
    else {
      const { regime } = rankRegimeAt(points, i)
      windows.push({ readAt: time, from: start, to: end, ivPct, realisedPct: 100 * sigma, regime })
    }
  }
  return { windows, skipped }
}

export const getEdge = ({ ivPct, realisedPct }: EdgeWindow): number => realisedPct - ivPct

/** Summarises windows. If there are too few windows, all fields except `n` are null. */
export const summariseEdges = (windows: ReadonlyArray<EdgeWindow>) => {
  const n = windows.length
  const rate = hitRate(windows.filter((window) => getEdge(window) > 0).length, n)
  return {
    n,
    win_rate: rate?.rate ?? null,
    wilson_low: rate?.low ?? null,
    wilson_high: rate?.high ?? null,
    mean_edge_vol_pts: rate === null ? null : windows.reduce((sum, window) => sum + getEdge(window), 0) / n
  }
}

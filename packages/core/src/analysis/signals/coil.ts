import { atr, bollinger, ema } from "@tapeline/quant/indicators"
import { afterLastHole, type Candle } from "../../market/candle.ts"
import type { FundingPayment, PerpetualPoint } from "../../market/derivative.ts"
import { hourMs } from "../../market/timeframe.ts"
import { toColumns } from "./candleColumns.ts"
import { getFundingZScoreBefore, rankFundingBefore, toPayments, toRatePer8Hours } from "./funding.ts"
import type { CoilState } from "./vocabulary.ts"

/**
 * A coil is a market whose price stays in an unusually narrow corridor, from which the price may break out strongly.
 *
 * In a squeeze, the Bollinger bands (20, 2) of closed 1h candles are inside the Keltner channel (EMA(20) +- 1.5
 * ATR(20)). Source: Carter, Mastering the Trade (2005).
 */

export interface Corridor {
  /** The close of the corridor's last candle, in epoch ms. */
  readonly time: number
  readonly close: number
  /**
   * The phase of the squeeze. A squeeze is a period of narrow Bollinger bands.
   *
   * - `coiled`: in a squeeze that has lasted at least 12 hours and is tighter than 80% of earlier hours.
   * - `squeeze`: the market is in a squeeze, but not `coiled`.
   * - `released_up`, `released_down`: a squeeze ended within the last 6 hours, and the close is outside its corridor.
   * - `none`: all other cases.
   */
  readonly state: CoilState
  /**
   * The percentage of earlier hours with wider Bollinger bands; 100 is tightest. At most 250 earlier hours are
   * compared.
   */
  readonly squeezePct: number
  /**
   * The tightness and duration of the squeeze, combined to a number from 0 to 100. The charge is
   * `squeezePct * (1 - exp(-bars / 12))`, or 0 outside a squeeze.
   */
  readonly charge: number
  readonly barsInSqueeze: number
  /** The highest high and the lowest low since the squeeze began, in USD. The corridor spans at least 20 hours. */
  readonly corridor: {
    readonly low: number
    readonly high: number
    /** The opening time of the corridor's first candle, in epoch ms. */
    readonly since: number
  }
}

export type Coil = Corridor & { readonly fuel: CoilFuel }

/**
 * The factors that could drive the price out of the corridor: positions built inside the corridor, and the crowded
 * side.
 */
export interface CoilFuel {
  /**
   * The fuel score, from 0 to 100. Open interest that has risen by 10% contributes 50 points, and a funding z-score of
   * 2 or -2 contributes 50 points.
   */
  readonly score: number | null
  /** The change of open interest in coins since the corridor began, as a fraction. */
  readonly openInterestChange: number | null
  /** The funding rate per 8 hours, as a fraction of notional. */
  readonly fundingRate: number | null
  readonly fundingZ: number | null
  /**
   * The percentage of the last 30 days' funding payments that were below the current rate. `fundingN` is the number of
   * payments in the 30 days.
   */
  readonly fundingPercentile: number | null
  readonly fundingN: number
  readonly longShortRatio: number | null
  /**
   * The side that pays an unusually high funding rate, with a z-score of at least 1 or at most -1; null without a
   * z-score.
   */
  readonly crowdedSide: "longs" | "shorts" | "none" | null
}

const bandLength = 20
const lookbackHours = 250
const releaseHours = 6

/** The number of closed hourly candles that are read to find a coil. */
export const coilHours = lookbackHours + bandLength

/**
 * The minimum number of candles for the detection of a coil. The detection of a coil needs the Keltner channel and a
 * sample of band widths for comparison.
 */
export const minCoilHours = 3 * bandLength

/**
 * Returns the corridor at the last closed candle. Returns null in a flat market, or if too few candles follow a gap.
 */
export const findCorridor = (all: ReadonlyArray<Candle>): Corridor | null => {
  const candles = afterLastHole(all, hourMs)
  const n = candles.length
  if (n < minCoilHours) return null
  const { close, high, low } = toColumns(candles)
  const bands = bollinger(close, bandLength, 2)
  const middle = ema(close, bandLength)
  const range = atr(high, low, close, bandLength)
  const isInSqueeze = (i: number): boolean =>
    bands.upper[i]! < middle[i]! + 1.5 * range[i]! && bands.lower[i]! > middle[i]! - 1.5 * range[i]!
  const getBandWidth = (i: number): number => (bands.upper[i]! - bands.lower[i]!) / bands.middle[i]!

  const last = n - 1
  const current = getBandWidth(last)
  const from = Math.max(bandLength, last - lookbackHours)
  let widerCount = 0
  for (let i = from; i < last; i++) if (getBandWidth(i) > current) widerCount++
  const squeezePct = (100 * widerCount) / (last - from)

  // Finds the current squeeze, or a squeeze that ended a few hours ago.
  let end = last
  while (end > last - releaseHours && end > bandLength && !isInSqueeze(end)) end--
  let start = end
  while (start > bandLength && isInSqueeze(start)) start--
  const bars = end - start
  const barsInSqueeze = end === last ? bars : 0
  const isReleased = end < last && bars > 0

  const corridorEnd = isReleased ? end : last
  const corridorStart = Math.max(0, Math.min(start + 1, corridorEnd - bandLength + 1))
  const corridor = getExtent(candles, corridorStart, corridorEnd)
  if (corridor.high === corridor.low) return null
  const newest = candles[last]!
  const isTight = barsInSqueeze >= 12 && squeezePct >= 80
  const state: CoilState = barsInSqueeze > 0
    ? isTight ? "coiled" : "squeeze"
    : isReleased && newest.close > corridor.high
    ? "released_up"
    : isReleased && newest.close < corridor.low
    ? "released_down"
    : "none"

  return {
    time: newest.time + hourMs,
    close: newest.close,
    state,
    squeezePct,
    charge: squeezePct * (1 - Math.exp(-barsInSqueeze / 12)),
    barsInSqueeze,
    corridor: { ...corridor, since: candles[corridorStart]!.time }
  }
}

/**
 * Computes the factors that would drive the price out of a corridor.
 *
 * @param point the perpetual at the corridor's close; undefined without a record.
 * @param earlier the perpetual when the corridor began; undefined without a record.
 * @param prints funding payments settled by the close, oldest first.
 */
export const computeFuel = (
  point: PerpetualPoint | undefined,
  earlier: PerpetualPoint | undefined,
  prints: ReadonlyArray<FundingPayment>
): CoilFuel => {
  const rate = point === undefined || point.fundingRate === null || point.fundingIntervalHours === null
    ? null
    : toRatePer8Hours(point.fundingRate, point.fundingIntervalHours)
  const payments = toPayments(prints)
  const z = rate === null ? null : getFundingZScoreBefore(rate, payments, point!.time + 1)
  const rank = rate === null ? { percentile: null, n: 0 } : rankFundingBefore(rate, payments, point!.time + 1)
  const openInterestChange = getChange(earlier?.openInterest, point?.openInterest)
  return {
    score: openInterestChange === null || z === null
      ? null
      : 50 * Math.max(0, Math.min(1, openInterestChange / 0.1)) + 50 * Math.min(1, Math.abs(z) / 2),
    openInterestChange: openInterestChange,
    fundingRate: rate,
    fundingZ: z,
    fundingPercentile: rank.percentile,
    fundingN: rank.n,
    longShortRatio: point?.longShortRatio ?? null,
    crowdedSide: z === null ? null : z >= 1 ? "longs" : z <= -1 ? "shorts" : "none"
  }
}

const getChange = (from: number | null | undefined, to: number | null | undefined): number | null =>
  from === null || from === undefined || to === null || to === undefined || from <= 0 ? null : to / from - 1

const getExtent = (candles: ReadonlyArray<Candle>, from: number, to: number) => {
  let low = Infinity
  let high = -Infinity
  for (let i = from; i <= to; i++) {
    low = Math.min(low, candles[i]!.low)
    high = Math.max(high, candles[i]!.high)
  }
  return { low, high }
}

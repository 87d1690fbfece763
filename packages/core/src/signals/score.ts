import { realisedVolatility } from "@tapeline/quant"
import { atr, compositeScore, ema, macd, rsi } from "@tapeline/quant/indicators"
import type { Candle } from "../market/candle.ts"
import type { FundingPrint, PerpetualPoint } from "../market/derivative.ts"
import { hourMs } from "../market/timeframe.ts"
import { points } from "../tool/rounding.ts"
import { behindEach, type Columns, columnsOf, firstFrom } from "./columns.ts"
import { fundingZBefore, lastPayment, type Payment, paymentsOf } from "./funding.ts"
import { type Bias, scoreFactors } from "./vocabulary.ts"

/**
 * The composite score of a coin: what several independent views of its market say together, once an hour.
 *
 * Everything at an hour stands on candles that closed by then, on the last funding payment, and on the perpetual at the
 * last of 00:00, 08:00 and 16:00 UTC: positions move slower than prices. A view that cannot be had (a young coin, no
 * perpetual, a hole among the candles of its window) is left out, never counted as 0; `coverage` says how much of the
 * weight was there. What people post takes no part: attention
 * can be bought.
 */

/** A score at least this far from 0 is a bias. */
export const biasFrom = 20

export const biasOf = (score: number): Bias =>
  score >= biasFrom ? "bullish" : score <= -biasFrom ? "bearish" : "neutral"

/**
 * Hours of candles before the first scored one: averages that feed on themselves settle after some 250 bars. Scores of
 * one UTC day start from the same bar, so that a score does not depend on which hours were asked for.
 */
export const warmUpHours = 250

const daily = 24
const weekly = 168

/** Positions are looked at three times a day, at the instants at which most venues settle funding. */
export const positionMs = 8 * hourMs

/** The last of those instants at or before one. */
export const positionTime = (time: number): number => Math.floor(time / positionMs) * positionMs

/** What one coin's scores stand on, oldest first. */
export interface ScoredMarket {
  /** Closed 1h candles. */
  readonly candles: ReadonlyArray<Candle>
  /** The perpetual at the instants that the hours look at; empty without one. */
  readonly perpetual: ReadonlyArray<PerpetualPoint>
  readonly fundingPrints: ReadonlyArray<FundingPrint>
}

/** A coin's score at the close of an hour. */
export interface ScoredHour {
  /** The instant at which the hour closed and the score became known, epoch ms. */
  readonly time: number
  /** The 1h candle that closed then. */
  readonly candle: Candle
  /** ATR(14) of 1h candles, USD; null while it warms up. */
  readonly atr: number | null
  /** -100 to 100; null when no factor is available. */
  readonly score: number | null
  /** Share of the weights that were available, 0 to 1. */
  readonly coverage: number
  /** -1 to 1 each, by `scoreFactors`; null when not available. */
  readonly factors: ReadonlyArray<number | null>
}

/** An hour that has a score. */
export type ScorePoint = ScoredHour & { readonly score: number }

const squash = (x: number): number | null => Number.isFinite(x) ? Math.tanh(x) : null
const clip = (x: number): number | null => Number.isFinite(x) ? Math.max(-1, Math.min(1, x)) : null

/**
 * The z-score of the payment settled last by an instant over those before it; null without a sample, or when the next
 * payments were missed.
 */
const settledFundingZ = (payments: ReadonlyArray<Payment>, time: number): number | null => {
  const last = lastPayment(payments, time)
  return last === undefined || time - last.time >= 2 * last.hours * hourMs
    ? null
    : fundingZBefore(last.rate, payments, last.time)
}

/** What a score is computed from, by column: candles of 1h, open interest by its time, funding payments. */
export interface ScoreSeries {
  readonly candles: Columns
  readonly openInterest: ReadonlyMap<number, number>
  readonly payments: ReadonlyArray<Payment>
}

/** The scores of some hours, by column. NaN is what is not available. */
export interface ScoreTable {
  /** Closes of the hours, epoch ms. */
  readonly time: Float64Array
  readonly atr: Float64Array
  readonly score: Float64Array
  readonly coverage: Float64Array
  /** By hour, and in each by `scoreFactors`. */
  readonly factors: Float64Array
}

/** A table of `n` hours, still to be written. */
export const emptyTable = (n: number): ScoreTable => ({
  time: new Float64Array(n),
  atr: new Float64Array(n),
  score: new Float64Array(n),
  coverage: new Float64Array(n),
  factors: new Float64Array(n * scoreFactors.length)
})

/** Scores the closes of all candles from index `first` on into `table`, from its row `row` on. */
export const scoreRows = (series: ScoreSeries, first: number, table: ScoreTable, row: number): void => {
  const { candles: { close, high, low, takerBuyVolume, time: opens, volume }, openInterest, payments } = series
  if (first >= opens.length) return
  const ema20 = ema(close, 20)
  const ema50 = ema(close, 50)
  const ema200 = ema(close, 200)
  const range = atr(high, low, close, 14)
  const strength = rsi(close, 14)
  const { histogram } = macd(close, 12, 26, 9)
  const behind = behindEach(opens, hourMs)

  for (let i = first; i < opens.length; i++) {
    const time = opens[i]! + hourMs
    const width = range[i]!
    const point = openInterest.get(positionTime(time))
    const before = openInterest.get(positionTime(time) - daily * hourMs)

    const z = behind[i]! < weekly ? NaN : dailyMove(close, i)
    const buyShare = behind[i]! < daily - 1 ? NaN : sum(takerBuyVolume, i, daily) / sum(volume, i, daily)
    const crowding = settledFundingZ(payments, time)
    const build = point === undefined || before === undefined ? NaN : point / before - 1

    const factors = [
      squash((ema20[i]! - ema50[i]!) / (2 * width)),
      squash((close[i]! - ema200[i]!) / (8 * width)),
      squash(z),
      clip((strength[i]! - 50) / 30),
      squash((2 * histogram[i]!) / width),
      squash((2 * buyShare - 1) / 0.1),
      crowding === null ? null : squash(-crowding / 2),
      squash(Math.tanh(build / 0.1) * z) === null ? null : Math.tanh(build / 0.1) * Math.tanh(z)
    ]
    const { coverage, score } = compositeScore(
      scoreFactors.map(({ name, weight }, f) => ({ name, weight, value: factors[f]! }))
    )
    const at = row + i - first
    table.time[at] = time
    table.atr[at] = Number.isFinite(width) ? width : NaN
    // As results write it, so that its bias and the signals that it opens are those of the number that a reader sees.
    // The weighted mean of values within 1 may leave the bounds by a rounding error.
    table.score[at] = score === null ? NaN : points(Math.max(-100, Math.min(100, score)))
    table.coverage[at] = coverage
    for (let f = 0; f < factors.length; f++) table.factors[at * factors.length + f] = factors[f] ?? NaN
  }
}

const available = (x: number): number | null => Number.isNaN(x) ? null : x

/** The hours of a table, with the candles that closed then; `candles` holds one for each. */
export const hoursOf = (table: ScoreTable, candles: ReadonlyArray<Candle>): ReadonlyArray<ScoredHour> => {
  const width = scoreFactors.length
  let c = table.time.length === 0 ? 0 : firstFrom(candles, table.time[0]! - hourMs)
  return Array.from(table.time, (time, row): ScoredHour => {
    while (candles[c]!.time < time - hourMs) c++
    return {
      time,
      candle: candles[c]!,
      atr: available(table.atr[row]!),
      score: available(table.score[row]!),
      coverage: table.coverage[row]!,
      factors: Array.from(table.factors.subarray(row * width, (row + 1) * width), available)
    }
  })
}

/** Open interest by the time at which it was told. */
export const openInterestOf = (perpetual: ReadonlyArray<PerpetualPoint>): ReadonlyMap<number, number> =>
  new Map(perpetual.flatMap(({ openInterest, time }) => openInterest === null ? [] : [[time, openInterest]]))

/** Scores at the closes of all candles that opened at `from` or later. Earlier candles only warm the averages up. */
export const scoreHours = (market: ScoredMarket, from: number): ReadonlyArray<ScoredHour> => {
  const { candles, fundingPrints, perpetual } = market
  const first = firstFrom(candles, from)
  const table = emptyTable(candles.length - first)
  const series = {
    candles: columnsOf(candles),
    openInterest: openInterestOf(perpetual),
    payments: paymentsOf(fundingPrints)
  }
  scoreRows(series, first, table, 0)
  return hoursOf(table, candles)
}

/** Log return of the last 24 hours over the standard deviation of 24 hours, estimated from the last 168 returns. */
const dailyMove = (close: Float64Array, i: number): number =>
  Math.log(close[i]! / close[i - daily]!) / (realisedVolatility(close.subarray(i - weekly, i + 1), daily) ?? NaN)

const sum = (x: Float64Array, last: number, n: number): number => {
  let total = 0
  for (let i = last - n + 1; i <= last; i++) total += x[i]!
  return total
}

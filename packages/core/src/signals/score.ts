import { fundingZ, realisedVolatility } from "@tapeline/quant"
import { atr, compositeScore, ema, macd, rsi } from "@tapeline/quant/indicators"
import type { Candle } from "../market/candle.ts"
import type { DerivativesPoint, FundingPrint } from "../market/derivative.ts"
import { hourMs } from "../market/timeframe.ts"
import { columnsOf, firstFrom } from "./columns.ts"
import { type Bias, scoreFactors } from "./vocabulary.ts"

/**
 * The composite score of a coin: what several independent views of its market say together, once an hour.
 *
 * Everything at an hour stands on candles that closed by then, and on the perpetual at its last settlement (00:00,
 * 08:00, 16:00 UTC): positions move slower than prices. A view that cannot be had (a young coin, no perpetual) is left
 * out, never counted as 0; `coverage` says how much of the weight was there. What people post takes no part: attention
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

/** Payments that a funding rate is compared with, and the fewest of them that make a sample. */
export const fundingSample = 90
const leastFundingSample = 30
const daily = 24
const weekly = 168

/** Perpetuals settle their funding at 00:00, 08:00 and 16:00 UTC. */
export const settlementMs = 8 * hourMs

/** The last settlement at or before an instant. */
export const settlementOf = (time: number): number => Math.floor(time / settlementMs) * settlementMs

/** What one coin's scores stand on, oldest first. */
export interface ScoredMarket {
  /** Closed 1h candles. */
  readonly candles: ReadonlyArray<Candle>
  /** The perpetual at the settlements that the hours look at; empty without one. */
  readonly derivatives: ReadonlyArray<DerivativesPoint>
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

/** The z-score of a funding rate over the `fundingSample` payments before index `end`; null without a sample. */
export const fundingZBefore = (rate: number, prints: ReadonlyArray<FundingPrint>, end: number): number | null =>
  end < leastFundingSample
    ? null
    : fundingZ(
      rate,
      prints.slice(Math.max(0, end - fundingSample), end).map((print) => print.fundingRate),
      fundingSample
    )

/** The z-score of the payment settled last by an instant over those before it; null without a sample. */
const settledFundingZ = (prints: ReadonlyArray<FundingPrint>, time: number): number | null => {
  const last = firstFrom(prints, time + 1) - 1
  return last < 0 ? null : fundingZBefore(prints[last]!.fundingRate, prints, last)
}

/** Scores at the closes of all candles that opened at `from` or later. Earlier candles only warm the averages up. */
export const scoreHours = (market: ScoredMarket, from: number): ReadonlyArray<ScoredHour> => {
  const { candles, derivatives, fundingPrints } = market
  const first = firstFrom(candles, from)
  if (first === candles.length) return []
  const { close, high, low, takerBuyVolume, volume } = columnsOf(candles)
  const ema20 = ema(close, 20)
  const ema50 = ema(close, 50)
  const ema200 = ema(close, 200)
  const range = atr(high, low, close, 14)
  const strength = rsi(close, 14)
  const { histogram } = macd(close, 12, 26, 9)
  const perpetual = new Map(derivatives.map((point) => [point.time, point]))

  const scored: Array<ScoredHour> = []
  for (let i = first; i < candles.length; i++) {
    const candle = candles[i]!
    const time = candle.time + hourMs
    const width = range[i]!
    const point = perpetual.get(settlementOf(time))
    const before = perpetual.get(settlementOf(time) - daily * hourMs)

    const z = i < weekly ? NaN : dailyMove(close, i)
    const buyShare = i < daily - 1 ? NaN : sum(takerBuyVolume, i, daily) / sum(volume, i, daily)
    const crowding = settledFundingZ(fundingPrints, time)
    const build = point === undefined || before === undefined ? NaN : point.openInterest / before.openInterest - 1

    const factors = [
      squash((ema20[i]! - ema50[i]!) / (2 * width)),
      squash((candle.close - ema200[i]!) / (8 * width)),
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
    scored.push({
      time,
      candle,
      atr: Number.isFinite(width) ? width : null,
      // The weighted mean of values within 1 may leave the bounds by a rounding error.
      score: score === null ? null : Math.max(-100, Math.min(100, score)),
      coverage,
      factors
    })
  }
  return scored
}

/** Log return of the last 24 hours over the standard deviation of 24 hours, estimated from the last 168 returns. */
const dailyMove = (close: Float64Array, i: number): number =>
  Math.log(close[i]! / close[i - daily]!) / (realisedVolatility(close.subarray(i - weekly, i + 1), daily) ?? NaN)

const sum = (x: Float64Array, last: number, n: number): number => {
  let total = 0
  for (let i = last - n + 1; i <= last; i++) total += x[i]!
  return total
}

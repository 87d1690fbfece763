import { realisedVolatility } from "@tapeline/quant"
import { adx, atr, compositeScore, ema } from "@tapeline/quant/indicators"
import type { Candle } from "../market/candle.ts"
import { hourMs } from "../market/timeframe.ts"
import { columnsOf, firstFrom } from "./columns.ts"
import type { RegimeLabel, Risk, Trend, VolatilityRegime } from "./vocabulary.ts"

/**
 * The regime of the whole market by the hour. It is read from BTC, which leads the market, and from ETH against BTC,
 * which says whether risk is sought; so it can be told for any hour of the past from two series.
 */

export interface RegimeHour {
  /** The close at which it became known, epoch ms. */
  readonly time: number
  readonly trend: Trend
  readonly volatility: VolatilityRegime
  readonly risk: Risk
  readonly label: RegimeLabel
  /** (EMA(50) - EMA(200)) / ATR(14) of BTC's 1h candles. */
  readonly trendSpread: number
  /** ADX(14) of BTC's 1h candles. */
  readonly adx: number
  /** Realised volatility of BTC's last 24 hourly returns, 1.00 = 100 % a year. */
  readonly volatility24h: number
  /** Share of the 30 days before with a lower 24-hour volatility, 0 to 100. */
  readonly volatilityPercentile: number
  /** -100 (flight) to 100 (appetite): weighted mean of the three below. */
  readonly riskScore: number
  /** BTC's log return of 7 days, in its standard deviations of 7 days (from 30 days). */
  readonly btcMove: number
  /** The same of the ratio ETH / BTC; null while ETH's history is too short. */
  readonly ethAgainstBtcMove: number | null
}

/** Hours of candles before the first hour: 30 days of 24-hour volatilities. */
export const regimeWarmUpHours = 744

const hoursPerYear = 24 * 365
const week = 168
const month = 720

const trendOf = (spread: number): Trend => spread >= 1 ? "up" : spread <= -1 ? "down" : "range"

const volatilityOf = (percentile: number): VolatilityRegime =>
  percentile < 20 ? "low" : percentile < 80 ? "normal" : percentile < 95 ? "high" : "extreme"

const riskOf = (score: number): Risk => score >= 25 ? "risk_on" : score <= -25 ? "risk_off" : "neutral"

const labelOf = (trend: Trend, volatility: VolatilityRegime, risk: Risk): RegimeLabel => {
  if (risk === "risk_off" && volatility === "extreme") return "panic"
  if (trend === "up") return "uptrend"
  if (trend === "down") return "downtrend"
  return volatility === "low" ? "quiet_range" : volatility === "normal" ? "range" : "volatile_range"
}

/**
 * Log return of 7 days ending at i over the standard deviation of 7 days, from the last 30 days; NaN for a flat series.
 */
const weeklyMove = (x: Float64Array, i: number): number =>
  Math.log(x[i]! / x[i - week]!) / (realisedVolatility(x.subarray(i - month, i + 1), week) ?? NaN)

/**
 * The regime at the closes of all BTC candles that opened at `from` or later and have `regimeWarmUpHours` of closed 1h
 * candles before them. Hours without a reading (a flat market) are left out.
 */
export const regimeHours = (
  btc: ReadonlyArray<Candle>,
  eth: ReadonlyArray<Candle>,
  from: number
): ReadonlyArray<RegimeHour> => {
  const n = btc.length
  const first = Math.max(regimeWarmUpHours, firstFrom(btc, from))
  if (first >= n) return []
  const { close, high, low } = columnsOf(btc)
  const fast = ema(close, 50)
  const slow = ema(close, 200)
  const range = atr(high, low, close, 14)
  const movement = adx(high, low, close, 14)
  const volatility = new Float64Array(n).fill(NaN)
  for (let i = 24; i < n; i++) volatility[i] = realisedVolatility(close.subarray(i - 24, i + 1), hoursPerYear) ?? NaN
  const ratio = ratioTo(btc, eth)

  const found: Array<RegimeHour> = []
  for (let i = first; i < n; i++) {
    const trendSpread = (fast[i]! - slow[i]!) / range[i]!
    const btcMove = weeklyMove(close, i)
    if (!Number.isFinite(trendSpread) || !Number.isFinite(btcMove)) continue
    let below = 0
    for (let j = i - month; j < i; j++) if (volatility[j]! < volatility[i]!) below++
    const volatilityPercentile = (100 * below) / month
    const ethMove = hasAll(ratio, i) ? weeklyMove(ratio, i) : NaN
    const ethAgainstBtcMove = Number.isFinite(ethMove) ? ethMove : null
    const riskScore = compositeScore([
      { name: "btc", weight: 0.5, value: Math.tanh(btcMove) },
      {
        name: "eth_against_btc",
        weight: 0.25,
        value: ethAgainstBtcMove === null ? null : Math.tanh(ethAgainstBtcMove)
      },
      { name: "calm", weight: 0.25, value: 1 - volatilityPercentile / 50 }
    ]).score!
    const trend = trendOf(trendSpread)
    const level = volatilityOf(volatilityPercentile)
    const risk = riskOf(riskScore)
    found.push({
      time: btc[i]!.time + hourMs,
      trend,
      volatility: level,
      risk,
      label: labelOf(trend, level, risk),
      trendSpread,
      adx: movement.adx[i]!,
      volatility24h: volatility[i]!,
      volatilityPercentile,
      riskScore,
      btcMove,
      ethAgainstBtcMove
    })
  }
  return found
}

/** ETH over BTC at BTC's candles; NaN where ETH has none. */
const ratioTo = (btc: ReadonlyArray<Candle>, eth: ReadonlyArray<Candle>): Float64Array => {
  const ratio = new Float64Array(btc.length).fill(NaN)
  let j = 0
  for (let i = 0; i < btc.length; i++) {
    while (j < eth.length && eth[j]!.time < btc[i]!.time) j++
    if (j < eth.length && eth[j]!.time === btc[i]!.time) ratio[i] = eth[j]!.close / btc[i]!.close
  }
  return ratio
}

const hasAll = (x: Float64Array, i: number): boolean => {
  for (let j = i - month; j <= i; j++) if (Number.isNaN(x[j])) return false
  return true
}

import { realisedVolatility } from "@tapeline/quant"
import { adx, atr, compositeScore, ema } from "@tapeline/quant/indicators"
import type { Candle } from "../market/candle.ts"
import { hourMs } from "../market/timeframe.ts"
import { behindEach, type Columns, columnsOf, indexFrom } from "./columns.ts"
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

/** ETH's closes, by the opening instants of their candles. */
export interface EthCloses {
  readonly time: Float64Array
  readonly close: Float64Array
}

/** What regimes are told from, by hour and by column: `RegimeHour` without its words. NaN is what is not available. */
export interface RegimeTable {
  readonly time: Float64Array
  readonly trendSpread: Float64Array
  readonly adx: Float64Array
  readonly volatility24h: Float64Array
  readonly volatilityPercentile: Float64Array
  readonly riskScore: Float64Array
  readonly btcMove: Float64Array
  readonly ethAgainstBtcMove: Float64Array
}

type RegimeNumbers = { readonly [K in keyof RegimeTable]: number }

/** Hours by column. */
export const regimeTable = (hours: ReadonlyArray<RegimeNumbers>): RegimeTable => {
  const column = (of: (hour: RegimeNumbers) => number) => Float64Array.from(hours, of)
  return {
    time: column(({ time }) => time),
    trendSpread: column(({ trendSpread }) => trendSpread),
    adx: column(({ adx }) => adx),
    volatility24h: column(({ volatility24h }) => volatility24h),
    volatilityPercentile: column(({ volatilityPercentile }) => volatilityPercentile),
    riskScore: column(({ riskScore }) => riskScore),
    btcMove: column(({ btcMove }) => btcMove),
    ethAgainstBtcMove: column(({ ethAgainstBtcMove }) => ethAgainstBtcMove)
  }
}

/** The hours of a table, in words. */
export const regimesOf = (table: RegimeTable): ReadonlyArray<RegimeHour> =>
  Array.from(table.time, (time, i) => {
    const trendSpread = table.trendSpread[i]!
    const volatilityPercentile = table.volatilityPercentile[i]!
    const riskScore = table.riskScore[i]!
    const against = table.ethAgainstBtcMove[i]!
    const trend = trendOf(trendSpread)
    const volatility = volatilityOf(volatilityPercentile)
    const risk = riskOf(riskScore)
    return {
      time,
      trend,
      volatility,
      risk,
      label: labelOf(trend, volatility, risk),
      trendSpread,
      adx: table.adx[i]!,
      volatility24h: table.volatility24h[i]!,
      volatilityPercentile,
      riskScore,
      btcMove: table.btcMove[i]!,
      ethAgainstBtcMove: Number.isNaN(against) ? null : against
    }
  })

/**
 * What the regime is told from at the closes of all BTC candles that opened at `from` or later and have
 * `regimeWarmUpHours` of closed 1h candles before them. Hours without a reading (a flat market, a hole
 * among the candles of their last 7 days) are left out.
 */
export const regimeNumbers = (btc: Columns, eth: EthCloses, from: number): ReadonlyArray<RegimeNumbers> => {
  const { close, high, low, time: opens } = btc
  const n = opens.length
  const first = Math.max(regimeWarmUpHours, indexFrom(opens, from))
  if (first >= n) return []
  const fast = ema(close, 50)
  const slow = ema(close, 200)
  const range = atr(high, low, close, 14)
  const movement = adx(high, low, close, 14)
  const behind = behindEach(opens, hourMs)
  const volatility = new Float64Array(n).fill(NaN)
  for (let i = 24; i < n; i++) volatility[i] = realisedVolatility(close.subarray(i - 24, i + 1), hoursPerYear) ?? NaN
  const ratio = ratioTo(btc, eth)

  const found: Array<RegimeNumbers> = []
  for (let i = first; i < n; i++) {
    if (behind[i]! < week) continue
    const trendSpread = (fast[i]! - slow[i]!) / range[i]!
    const btcMove = weeklyMove(close, i)
    if (!Number.isFinite(trendSpread) || !Number.isFinite(btcMove)) continue
    let below = 0
    for (let j = i - month; j < i; j++) if (volatility[j]! < volatility[i]!) below++
    const volatilityPercentile = (100 * below) / month
    const ethMove = hasAll(ratio, i) ? weeklyMove(ratio, i) : NaN
    const ethAgainstBtcMove = Number.isFinite(ethMove) ? ethMove : NaN
    const riskScore = compositeScore([
      { name: "btc", weight: 0.5, value: Math.tanh(btcMove) },
      {
        name: "eth_against_btc",
        weight: 0.25,
        value: Number.isNaN(ethAgainstBtcMove) ? null : Math.tanh(ethAgainstBtcMove)
      },
      { name: "calm", weight: 0.25, value: 1 - volatilityPercentile / 50 }
    ]).score!
    found.push({
      time: opens[i]! + hourMs,
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

/** ETH's closes of candles. */
export const ethClosesOf = (eth: ReadonlyArray<Candle>): EthCloses => ({
  time: Float64Array.from(eth, ({ time }) => time),
  close: Float64Array.from(eth, ({ close }) => close)
})

/** The regimes at the closes of the hours that `regimeNumbers` has a reading of. */
export const regimeHours = (
  btc: ReadonlyArray<Candle>,
  eth: ReadonlyArray<Candle>,
  from: number
): ReadonlyArray<RegimeHour> => regimesOf(regimeTable(regimeNumbers(columnsOf(btc), ethClosesOf(eth), from)))

/** ETH over BTC at BTC's candles; NaN where ETH has none. */
const ratioTo = (btc: Columns, eth: EthCloses): Float64Array => {
  const ratio = new Float64Array(btc.time.length).fill(NaN)
  let j = btc.time.length === 0 ? 0 : indexFrom(eth.time, btc.time[0]!)
  for (let i = 0; i < btc.time.length; i++) {
    while (j < eth.time.length && eth.time[j]! < btc.time[i]!) j++
    if (j < eth.time.length && eth.time[j] === btc.time[i]) ratio[i] = eth.close[j]! / btc.close[i]!
  }
  return ratio
}

const hasAll = (x: Float64Array, i: number): boolean => {
  for (let j = i - month; j <= i; j++) if (Number.isNaN(x[j])) return false
  return true
}

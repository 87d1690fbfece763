import { adx, atr, compositeScore, ema } from "@tapeline/quant/indicators"
import type { Candle } from "../../market/candle.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getBars } from "./averages.ts"
import { toColumns } from "./candleColumns.ts"
import type { RowLayout, SeriesRows } from "./dayCache/dayRows.ts"
import {
  getDeviation,
  getLogReturns,
  getRow,
  getStandardisedMove,
  type Grid,
  minPresentShare,
  placeOnGrid
} from "./grid.ts"
import { rules } from "./rules.ts"
import type { RegimeLabel, Risk, Trend, VolatilityRegime } from "./vocabulary.ts"

/**
 * Computes the regime of the whole market for each hour. BTC leads the market, and the price of ETH relative to BTC
 * shows the demand for risk.
 *
 * Moving averages start at `getAveragesStart` and ignore missing hours. A recorded hour has a regime if at least two
 * thirds of the hours in each of its windows were recorded (see `grid.ts`).
 */

export interface RegimeHour {
  /** The close of the hour, in epoch ms. The hour's regime is known from the close of the hour on. */
  readonly time: number
  readonly trend: Trend
  readonly volatility: VolatilityRegime
  readonly risk: Risk
  readonly label: RegimeLabel
  /** The trend strength: (EMA(50) - EMA(200)) / ATR(14) of BTC's 1h candles. */
  readonly trendSpread: number
  /** The ADX(14) of BTC's 1h candles. */
  readonly adx: number
  /** The realised volatility of BTC's hourly returns over the last 24 hours; 1.00 is 100% a year. */
  readonly volatility24h: number
  /** The percentage of hours in the previous 30 days that had a lower 24-hour volatility. */
  readonly volatilityPercentile: number
  /**
   * The risk score, from -100 (risk off) to 100 (risk on). The risk score is the weighted mean of the volatility,
   * `btcMove` and `ethAgainstBtcMove`.
   */
  readonly riskScore: number
  /**
   * BTC's log return over 7 days, in standard deviations of 7-day returns. The standard deviation is estimated from the
   * last 30 days.
   */
  readonly btcMove: number
  /** The 7-day log return of the ratio ETH / BTC, in standard deviations of 7-day returns; null if unknown. */
  readonly ethAgainstBtcMove: number | null
}

/** The number of hours of candles that the regime of one hour needs. */
export const regimeWarmUpHours = 745

const hoursPerYear = 24 * 365
const hoursPerDay = 24
const hoursPerWeek = 168
const hoursPer30Days = 720

const classifyTrend = (spread: number): Trend => spread >= 1 ? "up" : spread <= -1 ? "down" : "range"

const classifyVolatility = (percentile: number): VolatilityRegime =>
  percentile < 20 ? "low" : percentile < 80 ? "normal" : percentile < 95 ? "high" : "extreme"

const classifyRisk = (score: number): Risk => score >= 25 ? "risk_on" : score <= -25 ? "risk_off" : "neutral"

const classifyRegime = (trend: Trend, volatility: VolatilityRegime, risk: Risk): RegimeLabel => {
  if (risk === "risk_off" && volatility === "extreme") return "panic"
  if (trend === "up") return "uptrend"
  if (trend === "down") return "downtrend"
  return volatility === "low" ? "quiet_range" : volatility === "normal" ? "range" : "volatile_range"
}

/** The layout of a stored hour: the numeric fields of `RegimeHour` in their order. Fields without a value are NaN. */
export const regimeLayout: RowLayout = { rule: rules.regime, stepMs: hourMs, width: 7 }

/** Decodes rows into regimes with their labels. Hours without a regime are omitted. */
export const decodeRegimes = ({ from, values }: SeriesRows): ReadonlyArray<RegimeHour> => {
  const { width } = regimeLayout
  const regimes: Array<RegimeHour> = []
  for (let offset = 0; offset < values.length; offset += width) {
    const [trendSpread, adx, volatility24h, volatilityPercentile, riskScore, btcMove, ethAgainstBtcMove] = values
      .subarray(
        offset,
        offset + width
      )
    if (Number.isNaN(trendSpread!)) continue
    const trend = classifyTrend(trendSpread!)
    const volatility = classifyVolatility(volatilityPercentile!)
    const risk = classifyRisk(riskScore!)
    regimes.push({
      time: from + (offset / width + 1) * hourMs,
      trend,
      volatility,
      risk,
      label: classifyRegime(trend, volatility, risk),
      trendSpread: trendSpread!,
      adx: adx!,
      volatility24h: volatility24h!,
      volatilityPercentile: volatilityPercentile!,
      riskScore: riskScore!,
      btcMove: btcMove!,
      ethAgainstBtcMove: Number.isNaN(ethAgainstBtcMove!) ? null : ethAgainstBtcMove!
    })
  }
  return regimes
}

/** BTC's 1h candles on a grid, and the hourly values of BTC and ETH from which regimes are computed. */
export interface RegimeSeries {
  readonly grid: Grid
  readonly returns: Float64Array
  /** The realised volatility over 24 hours, at each hour. */
  readonly volatility: Float64Array
  /** The ratio ETH / BTC at each hour. */
  readonly ratio: Float64Array
  readonly ratioReturns: Float64Array
}

export const makeRegimeSeries = (grid: Grid, eth: Grid): RegimeSeries => {
  const returns = getLogReturns(grid.close)
  const ratio = grid.close.map((close, i) => eth.close[i]! / close)
  return {
    grid,
    returns,
    volatility: returns.map((_, i) => getDeviation(returns, i, hoursPerDay) * Math.sqrt(hoursPerYear)),
    ratio,
    ratioReturns: getLogReturns(ratio)
  }
}

/**
 * Returns the percentage of hours in the previous 30 days that had a lower volatility. Returns NaN if the volatility of
 * too few hours is known.
 */
const getVolatilityPercentile = (volatility: Float64Array, row: number): number => {
  let below = 0
  let count = 0
  for (let j = Math.max(0, row - hoursPer30Days); j < row; j++) {
    if (Number.isNaN(volatility[j]!)) continue
    count++
    if (volatility[j]! < volatility[row]!) below++
  }
  return count < minPresentShare * hoursPer30Days ? NaN : (100 * below) / count
}

/**
 * Writes the regimes of the hours that close in `(from, to]` into `target`. The first row of `target` is the hour after
 * `start`. Averages begin with the candle that opens at `since`. Rows of hours without a regime are left unchanged.
 */
export const writeRegimeRows = (
  { grid, ratio, ratioReturns, returns, volatility }: RegimeSeries,
  { from, since, start, target, to }: {
    readonly since: number
    readonly from: number
    readonly to: number
    readonly start: number
    readonly target: Float64Array
  }
): void => {
  const { close, gapAdjusted, rows } = getBars(grid, getRow(grid, since), getRow(grid, to))
  const fast = ema(close, 50)
  const slow = ema(close, 200)
  const range = atr(gapAdjusted.high, gapAdjusted.low, gapAdjusted.close, 14)
  const directionalMovement = adx(gapAdjusted.high, gapAdjusted.low, gapAdjusted.close, 14)
  for (let k = 0; k < rows.length; k++) {
    const i = rows[k]!
    const time = grid.time[i]! + hourMs
    if (time <= from) continue
    const trendSpread = (fast[k]! - slow[k]!) / range[k]!
    const btcMove = getStandardisedMove(grid.close, returns, i, hoursPerWeek, hoursPer30Days)
    const volatilityPercentile = getVolatilityPercentile(volatility, i)
    if (![trendSpread, btcMove, volatility[i]!, volatilityPercentile].every(Number.isFinite)) continue
    const ethAgainstBtcMove = Number.isNaN(ratio[i]!)
      ? NaN
      : getStandardisedMove(ratio, ratioReturns, i, hoursPerWeek, hoursPer30Days)
    const riskScore = compositeScore([
      { name: "btc", weight: 0.5, value: Math.tanh(btcMove) },
      {
        name: "eth_against_btc",
        weight: 0.25,
        value: Number.isNaN(ethAgainstBtcMove) ? null : Math.tanh(ethAgainstBtcMove)
      },
      { name: "calm", weight: 0.25, value: 1 - volatilityPercentile / 50 }
    ]).score!
    const row = [
      trendSpread,
      directionalMovement.adx[k]!,
      volatility[i]!,
      volatilityPercentile,
      riskScore,
      btcMove,
      ethAgainstBtcMove
    ]
    target.set(row, (Math.round((time - start) / hourMs) - 1) * row.length)
  }
}

/**
 * Returns the regimes of the hours that opened at or after `from`. Moving averages are computed from the first candle
 * on.
 */
export const computeRegimeHours = (
  btc: ReadonlyArray<Candle>,
  eth: ReadonlyArray<Candle>,
  from: number
): ReadonlyArray<RegimeHour> => {
  const since = btc[0]?.time ?? from
  const to = (btc.at(-1)?.time ?? from - hourMs) + hourMs
  const values = new Float64Array(Math.max(0, Math.round((to - from) / hourMs)) * regimeLayout.width).fill(NaN)
  const series = makeRegimeSeries(placeOnGrid(toColumns(btc), since, to), placeOnGrid(toColumns(eth), since, to))
  writeRegimeRows(series, { since, from, to, start: from, target: values })
  return decodeRegimes({ from, to, values })
}

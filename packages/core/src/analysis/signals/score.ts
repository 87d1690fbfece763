import { atr, compositeScore, ema, macd, rsi } from "@tapeline/quant/indicators"
import { points } from "../../engine/tool/rounding.ts"
import type { Candle } from "../../market/candle.ts"
import type { FundingPayment, PerpetualPoint } from "../../market/derivative.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getBars } from "./averages.ts"
import { toColumns } from "./candleColumns.ts"
import type { RowLayout, SeriesRows } from "./dayCache/dayRows.ts"
import { findLastPayment, getFundingZScoreBefore, type Payment, toPayments } from "./funding.ts"
import { getLogReturns, getMean, getRow, getStandardisedMove, type Grid, placeOnGrid } from "./grid.ts"
import { rules } from "./rules.ts"
import { type Bias, scoreFactors } from "./vocabulary.ts"

/**
 * The composite score of a coin combines several independent factors of the coin's market. A score is computed once an
 * hour.
 *
 * The score of an hour uses closed candles and the last settled funding payment. The score also uses open interest,
 * which is read at 00:00, 08:00 and 16:00 UTC. Open interest changes more slowly than prices. A factor needs data for
 * at least two thirds of its window. The score omits a factor without enough data instead of counting it as 0. Social
 * posts are not a factor, because attention can be bought.
 *
 * Moving averages start at `getAveragesStart` and ignore missing hours. Windows are measured in hours instead of
 * candles (see `grid.ts`).
 */

/** The minimum absolute score that counts as a bullish or bearish bias. */
export const minBiasScore = 20

export const classifyBias = (score: number): Bias =>
  score >= minBiasScore ? "bullish" : score <= -minBiasScore ? "bearish" : "neutral"

const hoursPerDay = 24
const hoursPerWeek = 168

/** The interval at which open interest is read, in ms. Most venues settle funding at multiples of 8 hours. */
export const positionIntervalMs = 8 * hourMs

/** Returns the last multiple of `positionIntervalMs` at or before `time`. */
export const getPositionTime = (time: number): number => Math.floor(time / positionIntervalMs) * positionIntervalMs

/** The data of a coin's scores, oldest first. */
export interface ScoredMarket {
  readonly candles: ReadonlyArray<Candle>
  /** The perpetual's records at the times that `getPositionTime` returns; empty if the coin has no perpetual. */
  readonly perpetual: ReadonlyArray<PerpetualPoint>
  readonly fundingPayments: ReadonlyArray<FundingPayment>
}

/** The fields of a 1h candle that are stored with each score. */
export type HourBar = Pick<Candle, "time" | "open" | "high" | "low" | "close">

/** A coin's score at the close of an hour. */
export interface ScoredHour {
  /** The close of the hour, in epoch ms. The hour's score is known from the close of the hour on. */
  readonly time: number
  /** The 1h candle that closed at `time`. */
  readonly candle: HourBar
  /** The ATR(14) of 1h candles, in USD; null during its warm-up. */
  readonly atr: number | null
  /** The composite score, from -100 to 100; null if no factor is available. */
  readonly score: number | null
  /** The total weight of the available factors, from 0 to 1. */
  readonly coverage: number
  /** The values of the factors in the order of `scoreFactors`, from -1 to 1; null if not available. */
  readonly factors: ReadonlyArray<number | null>
}

export type ScorePoint = ScoredHour & { readonly score: number }

const tanhOrNull = (x: number): number | null => Number.isFinite(x) ? Math.tanh(x) : null
const clipOrNull = (x: number): number | null => Number.isFinite(x) ? Math.max(-1, Math.min(1, x)) : null

/**
 * Creates a function that returns the z-score of the last funding payment that was settled by `time`. The function
 * returns null if this payment is too old, or if there are too few payments. The z-score of each payment is computed
 * once, although several hours use the z-score.
 */
const makeFundingZScores = (payments: ReadonlyArray<Payment>) => {
  const zScores = new Map<Payment, number | null>()
  return (time: number): number | null => {
    const last = findLastPayment(payments, time)
    if (last === undefined || time - last.time >= 2 * last.hours * hourMs) return null
    const known = zScores.get(last)
    if (known !== undefined) return known
    const zScore = getFundingZScoreBefore(last.rate, payments, last.time)
    zScores.set(last, zScore)
    return zScore
  }
}

/** The data from which a coin's scores are computed. `openInterest` is keyed by time, in epoch ms. */
export interface ScoreSeries {
  readonly grid: Grid
  readonly returns: Float64Array
  /** The volume of each hour; NaN if the taker volume of the hour is unknown. */
  readonly volumeWithTakerData: Float64Array
  readonly openInterest: ReadonlyMap<number, number>
  readonly getFundingZScore: (time: number) => number | null
}

export const makeScoreSeries = (
  grid: Grid,
  openInterest: ReadonlyMap<number, number>,
  payments: ReadonlyArray<Payment>
): ScoreSeries => ({
  grid,
  returns: getLogReturns(grid.close),
  volumeWithTakerData: grid.volume.map((amount, i) => Number.isNaN(grid.takerBuyVolume[i]!) ? NaN : amount),
  openInterest,
  getFundingZScore: makeFundingZScores(payments)
})

/** The number of fixed columns at the start of a row: close, open, high, low, ATR, score and coverage. */
const fixedColumns = 7
export const scoreLayout: RowLayout = { rule: rules.score, stepMs: hourMs, width: fixedColumns + scoreFactors.length }

/**
 * Writes the scores of the hours that close in `(from, to]` into `target`. The first row of `target` is the hour after
 * `start`. Averages begin with the candle that opens at `since`.
 */
export const writeScoreRows = (
  { getFundingZScore, grid, openInterest, returns, volumeWithTakerData }: ScoreSeries,
  { from, since, start, target, to }: {
    readonly since: number
    readonly from: number
    readonly to: number
    readonly start: number
    readonly target: Float64Array
  }
): void => {
  const { close, high, low, open, takerBuyVolume } = grid
  const bars = getBars(grid, getRow(grid, since), getRow(grid, to))
  const { gapAdjusted, rows } = bars
  const [ema20, ema50, ema200] = [ema(bars.close, 20), ema(bars.close, 50), ema(bars.close, 200)]
  const range = atr(gapAdjusted.high, gapAdjusted.low, gapAdjusted.close, 14)
  const rsiValues = rsi(gapAdjusted.close, 14)
  const { histogram } = macd(bars.close, 12, 26, 9)

  for (let k = 0; k < rows.length; k++) {
    const i = rows[k]!
    const time = grid.time[i]! + hourMs
    if (time <= from) continue
    const atrNow = range[k]!
    const point = openInterest.get(getPositionTime(time))
    const pointDayBefore = openInterest.get(getPositionTime(time) - hoursPerDay * hourMs)
    const z = getStandardisedMove(close, returns, i, hoursPerDay, hoursPerWeek)
    const buyShare = getMean(takerBuyVolume, i, hoursPerDay) / getMean(volumeWithTakerData, i, hoursPerDay)
    const fundingZ = getFundingZScore(time)
    const openInterestChange = point === undefined || pointDayBefore === undefined ? NaN : point / pointDayBefore - 1

    const factors = [
      tanhOrNull((ema20[k]! - ema50[k]!) / (2 * atrNow)),
      tanhOrNull((close[i]! - ema200[k]!) / (8 * atrNow)),
      tanhOrNull(z),
      clipOrNull((rsiValues[k]! - 50) / 30),
      tanhOrNull((2 * histogram[k]!) / atrNow),
      tanhOrNull((2 * buyShare - 1) / 0.1),
      fundingZ === null ? null : tanhOrNull(-fundingZ / 2),
      tanhOrNull(Math.tanh(openInterestChange / 0.1) * z) === null
        ? null
        : Math.tanh(openInterestChange / 0.1) * Math.tanh(z)
    ]
    const { coverage, score } = compositeScore(
      scoreFactors.map(({ name, weight }, f) => ({ name, weight, value: factors[f]! }))
    )
    const row = [
      close[i]!,
      open[i]!,
      high[i]!,
      low[i]!,
      Number.isFinite(atrNow) ? atrNow : NaN,
      // The score is rounded as in results, so that the bias and the signals match the displayed number. The score is
      // clamped, because rounding errors can move the weighted mean out of bounds.
      score === null ? NaN : points(Math.max(-100, Math.min(100, score))),
      coverage,
      ...factors.map((value) => value ?? NaN)
    ]
    target.set(row, (Math.round((time - start) / hourMs) - 1) * row.length)
  }
}

const nanToNull = (x: number): number | null => Number.isNaN(x) ? null : x

const countHours = ({ from, to }: SeriesRows): number => Math.round((to - from) / hourMs)

const getHour = ({ from, values }: SeriesRows, i: number): ScoredHour | undefined => {
  const { width } = scoreLayout
  const [close, open, high, low, range, score, coverage, ...factors] = values.subarray(i * width, (i + 1) * width)
  if (Number.isNaN(close!)) return undefined
  const time = from + (i + 1) * hourMs
  return {
    time,
    candle: { time: time - hourMs, open: open!, high: high!, low: low!, close: close! },
    atr: nanToNull(range!),
    score: nanToNull(score!),
    coverage: coverage!,
    factors: factors.map(nanToNull)
  }
}

/** Decodes rows into hours, oldest first. Hours without a candle are omitted. */
export const decodeHours = (rows: SeriesRows): ReadonlyArray<ScoredHour> =>
  Array.from({ length: countHours(rows) }, (_, i) => getHour(rows, i) ?? []).flat()

export const getBarsBetween = (rows: SeriesRows, from: number, to: number): ReadonlyArray<HourBar> => {
  const [first, last] = [from, to].map((time) => Math.round((time - rows.from) / hourMs))
  const bars: Array<HourBar> = []
  for (let i = Math.max(0, first!); i < Math.min(last!, countHours(rows)); i++) {
    const hour = getHour(rows, i)
    if (hour !== undefined) bars.push(hour.candle)
  }
  return bars
}

/** Returns the opens, ATRs and scores of rows, each as one array. */
export const toScoreColumns = (rows: SeriesRows): ScoreColumns => {
  const { width } = scoreLayout
  const column = (offset: number) =>
    Float64Array.from({ length: countHours(rows) }, (_, i) => rows.values[i * width + offset]!)
  return { from: rows.from, open: column(1), atr: column(4), score: column(5) }
}

/**
 * The data that determine when signals open. Each array has one value for each hour that closes after `from`, or NaN if
 * the value is unknown.
 */
export interface ScoreColumns {
  readonly from: number
  readonly open: Float64Array
  readonly atr: Float64Array
  readonly score: Float64Array
}

export const mapOpenInterest = (perpetual: ReadonlyArray<PerpetualPoint>): ReadonlyMap<number, number> =>
  new Map(perpetual.flatMap(({ openInterest, time }) => openInterest === null ? [] : [[time, openInterest]]))

/**
 * Returns the scores of all candles that opened at or after `from`. Moving averages are computed from the first candle
 * on.
 */
export const computeScoreHours = (market: ScoredMarket, from: number): ReadonlyArray<ScoredHour> => {
  const { candles, fundingPayments, perpetual } = market
  const since = candles[0]?.time ?? from
  const to = (candles.at(-1)?.time ?? from - hourMs) + hourMs
  const target = new Float64Array(Math.max(0, Math.round((to - from) / hourMs)) * scoreLayout.width).fill(NaN)
  const grid = placeOnGrid(toColumns(candles), since, to)
  const series = makeScoreSeries(grid, mapOpenInterest(perpetual), toPayments(fundingPayments))
  writeScoreRows(series, { since, from, to, start: from, target })
  return decodeHours({ from, to, values: target })
}

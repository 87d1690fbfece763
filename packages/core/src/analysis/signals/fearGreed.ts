import { zScore } from "@tapeline/quant"
import { compositeScore } from "@tapeline/quant/indicators"
import { points } from "../../engine/tool/rounding.ts"
import type { Candle } from "../../market/candle.ts"
import type { FundingPayment } from "../../market/derivative.ts"
import type { SocialActivity } from "../../market/social.ts"
import { dayMs } from "../../market/timeframe.ts"
import { findFirstIndex, toColumns } from "./candleColumns.ts"
import type { RowLayout, SeriesRows } from "./dayCache/dayRows.ts"
import { getRatesWithin, type Payment, toPayments } from "./funding.ts"
import { findAnchorRow, getDeviation, getLogReturns, getMean, getStandardisedMove, placeOnGrid } from "./grid.ts"
import { rules } from "./rules.ts"
import { fearGreedComponents, type FearGreedLabel, minFearGreedCoins } from "./vocabulary.ts"

/**
 * The fear and greed index, from 0 (fear) to 100 (greed). The index is computed from closed days, once a day at 00:00
 * UTC.
 *
 * The index is the weighted mean of the available components. Each component ranges from 0 to 100, where 50 is neutral.
 * The z-score of a return is the return divided by its expected standard deviation. The expected standard deviation is
 * scaled from the standard deviation of 90 daily returns. The index uses a window of days only if at least two thirds
 * of the days were recorded completely (see `grid.ts`).
 */

/**
 * Returns the label of an index value: extreme fear below 25, fear below 45, neutral up to 55, greed up to 75, extreme
 * greed above.
 */
export const getFearGreedLabel = (value: number): FearGreedLabel =>
  value < 25 ? "extreme_fear" : value < 45 ? "fear" : value <= 55 ? "neutral" : value <= 75 ? "greed" : "extreme_greed"

export interface FearGreedDay {
  /** The midnight (00:00 UTC) at the end of the day, in epoch ms. */
  readonly time: number
  readonly value: number
  readonly label: FearGreedLabel
  /** The total weight of the available components, from 0 to 1. */
  readonly coverage: number
  /** The values of the components in the order of `fearGreedComponents`, from 0 to 100; null if not available. */
  readonly components: ReadonlyArray<number | null>
}

/** The market data of the fear and greed index. Daily candles are closed and sorted oldest first. */
export interface FearGreedMarket {
  readonly btc: ReadonlyArray<Candle>
  /** The candles of all other coins except stablecoins. */
  readonly others: ReadonlyArray<ReadonlyArray<Candle>>
  readonly fundingPayments: ReadonlyArray<FundingPayment>
  /** The social activity about BTC per UTC day. */
  readonly social: ReadonlyArray<SocialActivity>
}

/** The number of days of the fear and greed index that are listed with the newest value. */
export const fearGreedHistoryDays = 30

/** The number of days of candles that a day's index uses. */
export const fearGreedWarmUpDays = 91

/** The number of fixed columns at the start of a row: the index and its coverage. */
const fixedColumns = 2
export const fearGreedLayout: RowLayout = {
  rule: rules.fearGreed,
  stepMs: dayMs,
  width: fixedColumns + fearGreedComponents.length
}

/** Decodes rows into days of the index. Days without an index are omitted. */
export const decodeFearGreed = ({ from, values }: SeriesRows): ReadonlyArray<FearGreedDay> => {
  const { width } = fearGreedLayout
  const days: Array<FearGreedDay> = []
  for (let offset = 0; offset < values.length; offset += width) {
    const [value, coverage, ...components] = values.subarray(offset, offset + width)
    if (Number.isNaN(value!)) continue
    days.push({
      time: from + (offset / width + 1) * dayMs,
      value: value!,
      label: getFearGreedLabel(value!),
      coverage: coverage!,
      components: components.map((component) => Number.isNaN(component) ? null : component)
    })
  }
  return days
}

/** The maximum age in days of the candle that is used if a day has no candle. */
const maxAnchorDays = 2

const placeDaysOnGrid = (candles: ReadonlyArray<Candle>, from: number, to: number) => {
  const { close } = placeOnGrid(toColumns(candles), from, to, dayMs)
  const quoteVolumes = new Float64Array(close.length).fill(NaN)
  for (const { quoteVolume, time } of candles) {
    const i = (time - from) / dayMs
    if (i >= 0 && i < quoteVolumes.length) quoteVolumes[i] = quoteVolume
  }
  return { close, quoteVolumes }
}

/**
 * Computes the index at each midnight in `(from, to]`. The rows have the layout `fearGreedLayout`. A day has no index
 * if BTC has no candle, or if no component is available.
 */
export const computeFearGreedRows = (market: FearGreedMarket, from: number, to: number): Float64Array => {
  const since = from - fearGreedWarmUpDays * dayMs
  const { close, quoteVolumes } = placeDaysOnGrid(market.btc, since, to)
  const returns = getLogReturns(close)
  const payments = toPayments(market.fundingPayments)
  const others = market.others.map((candles) => placeDaysOnGrid(candles, since, to).close)
  const { width } = fearGreedLayout
  const target = new Float64Array(Math.round((to - from) / dayMs) * width).fill(NaN)
  for (let i = fearGreedWarmUpDays; i < close.length; i++) {
    if (Number.isNaN(close[i]!)) continue
    const open = since + i * dayMs
    const deviation = getDeviation(returns, i, 90)
    const getMove = (days: number): number => getStandardisedMove(close, returns, i, days, 90, maxAnchorDays)
    const volumeFactor = (getMean(quoteVolumes, i, 7) / getMean(quoteVolumes, i, 60)) / 1.5
    const peers = comparePeers(others, i)
    const btcLead = peers.medianReturn === null
      ? NaN
      : (getReturn(close, i) - peers.medianReturn) / (deviation * Math.sqrt(returnDays))
    const tone = market.social[findFirstIndex(market.social, open)]
    const components = [
      toComponentValue(-Math.tanh(Math.log(getDeviation(returns, i, 14) / deviation))),
      toComponentValue(Math.tanh(getMove(30))),
      toComponentValue(Math.tanh(getMove(7)) * Math.min(1, volumeFactor)),
      peers.abovePct,
      toComponentValue(-Math.tanh(btcLead)),
      getFundingComponent(payments, open + dayMs),
      tone === undefined || tone.time !== open || tone.sentiment === null ? null : toComponentValue(tone.sentiment)
    ]
    const { coverage, score } = compositeScore(
      fearGreedComponents.map(({ name, weight }, c) => {
        const value = components[c]!
        return { name, weight, value: value === null ? null : (value - 50) / 50 }
      })
    )
    if (score === null) continue
    const value = points(Math.max(0, Math.min(100, 50 + score / 2)))
    const row = [value, coverage, ...components.map((component) => component ?? NaN)]
    target.set(row, (i - fearGreedWarmUpDays) * width)
  }
  return target
}

/** Computes the index for BTC's days that opened at or after `from`. Days without an index are omitted. */
export const computeFearGreedDays = (market: FearGreedMarket, from: number): ReadonlyArray<FearGreedDay> => {
  const to = Math.max(from, (market.btc.at(-1)?.time ?? from - dayMs) + dayMs)
  return decodeFearGreed({ from, to, values: computeFearGreedRows(market, from, to) })
}

const toComponentValue = (scaled: number): number | null => Number.isFinite(scaled) ? 50 + 50 * scaled : null

const returnDays = 30

const getReturn = (close: Float64Array, row: number): number => {
  const from = findAnchorRow(close, row - returnDays, maxAnchorDays)
  return from < 0 ? NaN : Math.log(close[row]! / close[from]!)
}

/**
 * Computes the share of coins above their 20-day average, and the coins' median 30-day log return. Coins without a
 * candle in `row` are ignored.
 */
const comparePeers = (
  others: ReadonlyArray<Float64Array>,
  row: number
): { readonly abovePct: number | null; readonly medianReturn: number | null } => {
  let peerCount = 0
  let aboveCount = 0
  const returns: Array<number> = []
  for (const close of others) {
    const average = getMean(close, row, 20)
    if (Number.isNaN(close[row]!) || Number.isNaN(average)) continue
    peerCount++
    if (close[row]! > average) aboveCount++
    const change = getReturn(close, row)
    if (!Number.isNaN(change)) returns.push(change)
  }
  returns.sort((a, b) => a - b)
  const half = returns.length >>> 1
  return {
    abovePct: peerCount < minFearGreedCoins ? null : (100 * aboveCount) / peerCount,
    medianReturn: returns.length < minFearGreedCoins
      ? null
      : returns.length % 2 === 1
      ? returns[half]!
      : (returns[half - 1]! + returns[half]!) / 2
  }
}

/**
 * Compares the mean funding payment of the last 3 days with the payments of the 30 days before. The result is null
 * unless the payments cover at least two thirds of the 3 days and one third of the 30 days.
 */
const getFundingComponent = (payments: ReadonlyArray<Payment>, time: number): number | null => {
  const middle = time + 1 - 3 * dayMs
  const recent = getRatesWithin(payments, middle, time + 1, 48)
  const earlier = getRatesWithin(payments, middle - 30 * dayMs, middle, 240)
  if (recent === null || earlier === null) return null
  const z = zScore(recent.reduce((sum, rate) => sum + rate, 0) / recent.length, earlier)
  return z === null ? null : toComponentValue(Math.tanh(z / 2))
}

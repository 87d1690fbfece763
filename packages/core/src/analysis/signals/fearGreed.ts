import { zScore } from "@tapeline/quant"
import { compositeScore } from "@tapeline/quant/indicators"
import { points } from "../../engine/tool/rounding.ts"
import type { Candle } from "../../market/candle.ts"
import type { FundingPrint } from "../../market/derivative.ts"
import type { SocialActivity } from "../../market/social.ts"
import { dayMs } from "../../market/timeframe.ts"
import { columnsOf, firstFrom } from "./columns.ts"
import { type Payment, paymentsOf, paymentsWithin } from "./funding.ts"
import { anchorOf, deviationOf, layOnGrid, meanOf, moveOf, returnsOf } from "./grid.ts"
import type { Layout, Rows } from "./remembered/dayRows.ts"
import { rules } from "./rules.ts"
import { fearGreedComponents, type FearGreedLabel, fearGreedLeastCoins } from "./vocabulary.ts"

/**
 * The fear and greed index: 0 (fear) to 100 (greed), once a day at 00:00 UTC from the days that closed by then.
 *
 * Each component is a reading from 0 to 100 with 50 in the middle; the index is their weighted mean over those that are
 * available. z is a return over its own standard deviation, sd the one of 90 daily returns scaled to the length.
 * Windows count days, and speak when two thirds of theirs were recorded whole (see `grid.ts`).
 */

/** Below 25 extreme fear, below 45 fear, up to 55 neutral, up to 75 greed, above it extreme greed. */
export const fearGreedLabel = (value: number): FearGreedLabel =>
  value < 25 ? "extreme_fear" : value < 45 ? "fear" : value <= 55 ? "neutral" : value <= 75 ? "greed" : "extreme_greed"

export interface FearGreedDay {
  /** 00:00 UTC, when the day before had closed, epoch ms. */
  readonly time: number
  readonly value: number
  readonly label: FearGreedLabel
  /** Share of the weights that were available, 0 to 1. */
  readonly coverage: number
  /** 0 to 100 each, by `fearGreedComponents`; null when not available. */
  readonly components: ReadonlyArray<number | null>
}

/** What the index is made of: daily candles that closed, oldest first. */
export interface FearGreedMarket {
  readonly btc: ReadonlyArray<Candle>
  /** Of the other coins, stablecoins left out. */
  readonly others: ReadonlyArray<ReadonlyArray<Candle>>
  /** Of BTC. */
  readonly fundingPrints: ReadonlyArray<FundingPrint>
  /** Of BTC by UTC day. */
  readonly social: ReadonlyArray<SocialActivity>
}

/** Days of candles that a day's index looks back on. */
export const fearGreedWarmUpDays = 91

/** The numbers of a day: the index, its coverage, and the components. NaN is not available. */
const own = 2
export const fearGreedLayout: Layout = {
  rule: rules.fearGreed,
  stepMs: dayMs,
  width: own + fearGreedComponents.length
}

/** The days of some rows that have an index. */
export const fearGreedOf = ({ from, values }: Rows): ReadonlyArray<FearGreedDay> => {
  const { width } = fearGreedLayout
  const found: Array<FearGreedDay> = []
  for (let at = 0; at < values.length; at += width) {
    const [value, coverage, ...components] = values.subarray(at, at + width)
    if (Number.isNaN(value!)) continue
    found.push({
      time: from + (at / width + 1) * dayMs,
      value: value!,
      label: fearGreedLabel(value!),
      coverage: coverage!,
      components: components.map((component) => Number.isNaN(component) ? null : component)
    })
  }
  return found
}

/** Days back that an instant without a candle is told by the last one before it. */
const anchorDays = 2

/** Daily candles on their grid, with what they traded in USD. */
const layDays = (candles: ReadonlyArray<Candle>, from: number, to: number) => {
  const { close } = layOnGrid(columnsOf(candles), from, to, dayMs)
  const traded = new Float64Array(close.length).fill(NaN)
  for (const { quoteVolume, time } of candles) {
    const i = (time - from) / dayMs
    if (i >= 0 && i < traded.length) traded[i] = quoteVolume
  }
  return { close, traded }
}

/**
 * The index at the midnights in `(from, to]`, as rows by `fearGreedLayout`; days without BTC's candle, or without any
 * component, have none.
 */
export const fearGreedRows = (market: FearGreedMarket, from: number, to: number): Float64Array => {
  const since = from - fearGreedWarmUpDays * dayMs
  const { close, traded } = layDays(market.btc, since, to)
  const returns = returnsOf(close)
  const payments = paymentsOf(market.fundingPrints)
  const others = market.others.map((candles) => layDays(candles, since, to).close)
  const { width } = fearGreedLayout
  const target = new Float64Array(Math.round((to - from) / dayMs) * width).fill(NaN)
  for (let i = fearGreedWarmUpDays; i < close.length; i++) {
    if (Number.isNaN(close[i]!)) continue
    const open = since + i * dayMs
    const spread = deviationOf(returns, i, 90)
    const move = (days: number): number => moveOf(close, returns, i, days, 90, anchorDays)
    const busy = (meanOf(traded, i, 7) / meanOf(traded, i, 60)) / 1.5
    const peers = readPeers(others, i)
    const lead = peers.medianReturn === null
      ? NaN
      : (returnOf(close, i) - peers.medianReturn) / (spread * Math.sqrt(returnDays))
    const tone = market.social[firstFrom(market.social, open)]
    const components = [
      reading(-Math.tanh(Math.log(deviationOf(returns, i, 14) / spread))),
      reading(Math.tanh(move(30))),
      reading(Math.tanh(move(7)) * Math.min(1, busy)),
      peers.abovePct,
      reading(-Math.tanh(lead)),
      fundingReading(payments, open + dayMs),
      tone === undefined || tone.time !== open || tone.sentiment === null ? null : reading(tone.sentiment)
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

/** The index at the closes of all of BTC's days that opened at `from` or later and have a component. */
export const fearGreedDays = (market: FearGreedMarket, from: number): ReadonlyArray<FearGreedDay> => {
  const to = Math.max(from, (market.btc.at(-1)?.time ?? from - dayMs) + dayMs)
  return fearGreedOf({ from, to, values: fearGreedRows(market, from, to) })
}

/** From a view in [-1, 1] to 0 to 100. */
const reading = (view: number): number | null => Number.isFinite(view) ? 50 + 50 * view : null

/** Days of the return in which coins are compared. */
const returnDays = 30

/** The log return of these days up to a row; NaN when it cannot be told. */
const returnOf = (close: Float64Array, row: number): number => {
  const from = anchorOf(close, row - returnDays, anchorDays)
  return from < 0 ? NaN : Math.log(close[row]! / close[from]!)
}

/** Breadth and the median 30-day log return of the coins that have the day of a row. */
const readPeers = (
  others: ReadonlyArray<Float64Array>,
  row: number
): { readonly abovePct: number | null; readonly medianReturn: number | null } => {
  let counted = 0
  let above = 0
  const returns: Array<number> = []
  for (const close of others) {
    const average = meanOf(close, row, 20)
    if (Number.isNaN(close[row]!) || Number.isNaN(average)) continue
    counted++
    if (close[row]! > average) above++
    const change = returnOf(close, row)
    if (!Number.isNaN(change)) returns.push(change)
  }
  returns.sort((a, b) => a - b)
  const half = returns.length >>> 1
  return {
    abovePct: counted < fearGreedLeastCoins ? null : (100 * above) / counted,
    medianReturn: returns.length < fearGreedLeastCoins
      ? null
      : returns.length % 2 === 1
      ? returns[half]!
      : (returns[half - 1]! + returns[half]!) / 2
  }
}

/** The mean payment of 3 days against those of the 30 days before; two thirds and one third of them must be there. */
const fundingReading = (payments: ReadonlyArray<Payment>, time: number): number | null => {
  const middle = time + 1 - 3 * dayMs
  const recent = paymentsWithin(payments, middle, time + 1, 48)
  const before = paymentsWithin(payments, middle - 30 * dayMs, middle, 240)
  if (recent === null || before === null) return null
  const z = zScore(recent.reduce((sum, rate) => sum + rate, 0) / recent.length, before)
  return z === null ? null : reading(Math.tanh(z / 2))
}

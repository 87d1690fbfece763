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
 * The fear and greed index: 0 (fear) to 100 (greed), once a day at 00:00 UTC, from the days that closed by then.
 *
 * Each component is a value from 0 to 100, with 50 as neutral. The index is the weighted mean of the available
 * components. z is a return divided by the standard deviation of 90 daily returns, scaled to the length of the return.
 * Windows count days. A window is used if at least two thirds of its days were recorded completely (see `grid.ts`).
 */

/** Returns the label: extreme fear below 25, fear below 45, neutral up to 55, greed up to 75, extreme greed above. */
export const fearGreedLabel = (value: number): FearGreedLabel =>
  value < 25 ? "extreme_fear" : value < 45 ? "fear" : value <= 55 ? "neutral" : value <= 75 ? "greed" : "extreme_greed"

export interface FearGreedDay {
  /** 00:00 UTC at the end of the day, epoch ms. */
  readonly time: number
  readonly value: number
  readonly label: FearGreedLabel
  /** The share of the weights that were available, 0 to 1. */
  readonly coverage: number
  /** The components in the order of `fearGreedComponents`, 0 to 100. Null if not available. */
  readonly components: ReadonlyArray<number | null>
}

/** The data of the index: closed daily candles, oldest first. */
export interface FearGreedMarket {
  readonly btc: ReadonlyArray<Candle>
  /** The candles of other coins, without stablecoins. */
  readonly others: ReadonlyArray<ReadonlyArray<Candle>>
  /** The funding of BTC. */
  readonly fundingPrints: ReadonlyArray<FundingPrint>
  /** Posts about BTC by UTC day. */
  readonly social: ReadonlyArray<SocialActivity>
}

/** The days of candles that a day's index uses. */
export const fearGreedWarmUpDays = 91

/** The layout of a day: the index, its coverage, and the components. NaN means not available. */
const own = 2
export const fearGreedLayout: Layout = {
  rule: rules.fearGreed,
  stepMs: dayMs,
  width: own + fearGreedComponents.length
}

/** Decodes rows. Omits days without an index. */
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

/** If a day has no candle, the last candle at most this many days before it is used. */
const anchorDays = 2

/** Places daily closes and their quote volume (USD) on a grid. */
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
 * Computes the index at the midnights in `(from, to]`, as rows in `fearGreedLayout`. Days without a candle of BTC, or
 * without any component, have no index.
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

/** Computes the index at the closes of BTC's days that opened at or after `from`. Omits days without a component. */
export const fearGreedDays = (market: FearGreedMarket, from: number): ReadonlyArray<FearGreedDay> => {
  const to = Math.max(from, (market.btc.at(-1)?.time ?? from - dayMs) + dayMs)
  return fearGreedOf({ from, to, values: fearGreedRows(market, from, to) })
}

/** Scales a value from [-1, 1] to 0 to 100. */
const reading = (view: number): number | null => Number.isFinite(view) ? 50 + 50 * view : null

/** The days of the return that is compared between coins. */
const returnDays = 30

/** Returns the log return of the `returnDays` up to a row. NaN if unknown. */
const returnOf = (close: Float64Array, row: number): number => {
  const from = anchorOf(close, row - returnDays, anchorDays)
  return from < 0 ? NaN : Math.log(close[row]! / close[from]!)
}

/** Computes breadth and the median 30-day log return of the coins that have a candle in the row. */
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

/**
 * Compares the mean payment of 3 days with the payments of the 30 days before. At least two thirds of the 3 days and
 * one third of the 30 days must be present.
 */
const fundingReading = (payments: ReadonlyArray<Payment>, time: number): number | null => {
  const middle = time + 1 - 3 * dayMs
  const recent = paymentsWithin(payments, middle, time + 1, 48)
  const before = paymentsWithin(payments, middle - 30 * dayMs, middle, 240)
  if (recent === null || before === null) return null
  const z = zScore(recent.reduce((sum, rate) => sum + rate, 0) / recent.length, before)
  return z === null ? null : reading(Math.tanh(z / 2))
}

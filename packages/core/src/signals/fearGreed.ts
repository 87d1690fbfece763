import { realisedVolatility, zScore } from "@tapeline/quant"
import { compositeScore } from "@tapeline/quant/indicators"
import type { Candle } from "../market/candle.ts"
import type { FundingPrint } from "../market/derivative.ts"
import type { SocialActivity } from "../market/social.ts"
import { dayMs } from "../market/timeframe.ts"
import { points } from "../tool/rounding.ts"
import { behindEach, columnsOf, firstFrom } from "./columns.ts"
import { type Payment, paymentsOf, paymentsWithin } from "./funding.ts"
import { fearGreedComponents, type FearGreedLabel } from "./vocabulary.ts"

/**
 * The fear and greed index: 0 (fear) to 100 (greed), once a day at 00:00 UTC from the days that closed by then.
 *
 * Each component is a reading from 0 to 100 with 50 in the middle; the index is their weighted mean over those that are
 * available. z is a return over its own standard deviation, sd the one of 90 daily returns scaled to the length.
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

/** The fewest coins that breadth and dominance are told from. */
const leastCoins = 5

/** The index at the closes of all of BTC's days that opened at `from` or later and have a component. */
export const fearGreedDays = (market: FearGreedMarket, from: number): ReadonlyArray<FearGreedDay> => {
  const { btc, social } = market
  const { close, time: opens } = columnsOf(btc)
  const behind = behindEach(opens, dayMs)
  const payments = paymentsOf(market.fundingPrints)
  const others = market.others.map((candles) => {
    const { close, time } = columnsOf(candles)
    return { candles, close, behind: behindEach(time, dayMs) }
  })
  const found: Array<FearGreedDay> = []
  for (let i = firstFrom(btc, from); i < btc.length; i++) {
    const open = btc[i]!.time
    const time = open + dayMs
    const spread = behind[i]! < 90 ? null : realisedVolatility(close.subarray(i - 90, i + 1), 1)
    const recent = behind[i]! < 14 ? null : realisedVolatility(close.subarray(i - 14, i + 1), 1)
    const calm = spread === null || recent === null ? NaN : Math.log(recent / spread)
    const move = (days: number): number =>
      spread === null ? NaN : logReturn(close, i, days) / (spread * Math.sqrt(days))
    const busy = behind[i]! < 59 ? NaN : (meanQuoteVolume(btc, i, 7) / meanQuoteVolume(btc, i, 60)) / 1.5
    const peers = readPeers(others, open)
    const lead = spread === null || peers.medianReturn === null
      ? NaN
      : (logReturn(close, i, 30) - peers.medianReturn) / (spread * Math.sqrt(30))
    const tone = social[firstFrom(social, open)]
    const components = [
      reading(-Math.tanh(calm)),
      reading(Math.tanh(move(30))),
      reading(Math.tanh(move(7)) * Math.min(1, busy)),
      peers.abovePct,
      reading(-Math.tanh(lead)),
      fundingReading(payments, time),
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
    found.push({ time, value, label: fearGreedLabel(value), coverage, components })
  }
  return found
}

/** From a view in [-1, 1] to 0 to 100. */
const reading = (view: number): number | null => Number.isFinite(view) ? 50 + 50 * view : null

const logReturn = (close: Float64Array, i: number, days: number): number => Math.log(close[i]! / close[i - days]!)

const meanQuoteVolume = (candles: ReadonlyArray<Candle>, last: number, n: number): number => {
  let total = 0
  for (let i = last - n + 1; i <= last; i++) total += candles[i]!.quoteVolume
  return total / n
}

/** Breadth and the median 30-day log return of the coins that have the day that opened at `open`. */
const readPeers = (
  others: ReadonlyArray<{
    readonly candles: ReadonlyArray<Candle>
    readonly close: Float64Array
    readonly behind: Int32Array
  }>,
  open: number
): { readonly abovePct: number | null; readonly medianReturn: number | null } => {
  let counted = 0
  let above = 0
  const returns: Array<number> = []
  for (const { behind, candles, close } of others) {
    const i = firstFrom(candles, open)
    if (candles[i]?.time !== open || behind[i]! < 19) continue
    let sum = 0
    for (let j = i - 19; j <= i; j++) sum += close[j]!
    counted++
    if (close[i]! > sum / 20) above++
    if (behind[i]! >= 30) returns.push(logReturn(close, i, 30))
  }
  returns.sort((a, b) => a - b)
  const half = returns.length >>> 1
  return {
    abovePct: counted < leastCoins ? null : (100 * above) / counted,
    medianReturn: returns.length < leastCoins
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

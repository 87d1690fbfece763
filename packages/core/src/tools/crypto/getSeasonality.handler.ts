import { tStatistic } from "@tapeline/quant/performance"
import { benjaminiHochberg, studentTwoSided } from "@tapeline/quant/probability"
import { Effect } from "effect"
import { type ClosePoint, readClosedBars } from "../../analysis/signals/closedBars.ts"
import { readClosesByHour } from "../../analysis/signals/closesByHour.ts"
import { barNotes } from "../../analysis/staleness.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { sourceText } from "../../market/provenance.ts"
import { durationMs, type Timeframe } from "../../market/timeframe.ts"
import { getSeasonality, weekdays } from "./getSeasonality.ts"

const toHour = (time: number): number => new Date(time).getUTCHours()
/** Returns the weekday of a time in UTC, from 0 (Monday) to 6 (Sunday). */
const toWeekday = (time: number): number => (new Date(time).getUTCDay() + 6) % 7

const significanceLevel = 0.05
/** The minimum number of returns in a bucket. A bucket with fewer than `minReturns` returns causes a warning. */
const minReturns = 20

/**
 * Groups the returns between adjacent candles, in percent. The later candle of a return determines the return's bucket.
 */
const groupReturns = (
  candles: ReadonlyArray<ClosePoint>,
  tf: Timeframe,
  count: number,
  toBucket: (time: number) => number
): ReadonlyArray<ReadonlyArray<number>> => {
  const buckets = Array.from({ length: count }, (): Array<number> => [])
  for (const [i, { close, time }] of candles.entries()) {
    const previous = candles[i - 1]
    if (previous === undefined || time - previous.time !== durationMs[tf]) continue
    buckets[toBucket(time)]!.push(100 * (close / previous.close - 1))
  }
  return buckets
}

const computeStatistics = (returns: ReadonlyArray<number>) => {
  const n = returns.length
  const t = tStatistic(returns)
  return {
    mean_return_pct: n === 0 ? null : returns.reduce((sum, value) => sum + value, 0) / n,
    up_pct: n === 0 ? null : (100 * returns.filter((value) => value > 0).length) / n,
    n,
    t_stat: t,
    p: t === null ? null : studentTwoSided(t, n - 1)
  }
}

/** Adjusts the known p-values for multiple testing, by Benjamini-Hochberg. */
const adjustPValues = (p: ReadonlyArray<number | null>): ReadonlyArray<number | null> => {
  const adjustedValues = benjaminiHochberg(p.flatMap((one) => one ?? []))
  let next = 0
  return p.map((one) => one === null ? null : adjustedValues[next++]!)
}

export const handler = handlerOf(
  getSeasonality,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, days }) {
      const closes = yield* readClosesByHour(prices, coin, days + 1)
      const hours = yield* readClosedBars(closes, coin, "1h", days * 24 + 1)
      const dates = yield* Effect.catchTag(
        readClosedBars(closes, coin, "1d", days + 1),
        "NoData",
        () => Effect.succeed({ ...hours, candles: [] })
      )
      const statistics = [
        ...groupReturns(hours.candles, "1h", 24, toHour),
        ...groupReturns(dates.candles, "1d", 7, toWeekday)
      ].map(computeStatistics)
      const pAdjusted = adjustPValues(statistics.map(({ p }) => p))
      const rows = statistics.map(({ p: _, ...row }, i) => ({ ...row, p_adjusted: pAdjusted[i]! }))
      const significant = pAdjusted.filter((p) => p !== null && p < significanceLevel).length
      const notes = [
        ...barNotes(coin, hours),
        significant === 0
          ? "No bucket differs significantly from chance, adjusted for 31 tests."
          : `About ${100 * significanceLevel} % of the ${significant} significant buckets are expected to be chance.`
      ]
      const minCount = Math.min(...rows.map(({ n }) => n))
      if (minCount < minReturns) notes.push(`The smallest bucket has only ${minCount} returns: request more days.`)
      return {
        coin,
        days,
        by_hour: rows.slice(0, 24).map((row, bucket) => ({ bucket, ...row })),
        by_weekday: rows.slice(24).map((row, i) => ({ bucket: weekdays[i]!, ...row })),
        significant,
        notes,
        as_of: formatInstant(hours.end),
        source: sourceText(hours, dates)
      }
    })
  })
)

import { tStatistic } from "@tapeline/quant/performance"
import { benjaminiHochberg, studentTwoSided } from "@tapeline/quant/probability"
import { Effect } from "effect"
import { type Close, readClosedBars } from "../../analysis/signals/closedBars.ts"
import { closesByHour } from "../../analysis/signals/closesByHour.ts"
import { barNotes } from "../../analysis/stale.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { sourceOf } from "../../market/provenance.ts"
import { durationMs, type Timeframe } from "../../market/timeframe.ts"
import { getSeasonality, weekdays } from "./getSeasonality.ts"

const hourOf = (time: number): number => new Date(time).getUTCHours()
/** From 0 (Monday) to 6 (Sunday). */
const weekdayOf = (time: number): number => (new Date(time).getUTCDay() + 6) % 7

/** A bucket is significant if its p-value is below this level. */
const level = 0.05
/** Buckets with fewer returns get a warning. */
const few = 20

/** Groups returns between adjacent candles, in percent, by the bucket of the later candle. */
const returnsBy = (
  candles: ReadonlyArray<Close>,
  tf: Timeframe,
  count: number,
  bucketOf: (time: number) => number
): ReadonlyArray<ReadonlyArray<number>> => {
  const buckets = Array.from({ length: count }, (): Array<number> => [])
  for (const [i, { close, time }] of candles.entries()) {
    const before = candles[i - 1]
    if (before === undefined || time - before.time !== durationMs[tf]) continue
    buckets[bucketOf(time)]!.push(100 * (close / before.close - 1))
  }
  return buckets
}

const statisticsOf = (returns: ReadonlyArray<number>) => {
  const n = returns.length
  const t = tStatistic(returns)
  return {
    mean_return_pct: n === 0 ? null : returns.reduce((sum, one) => sum + one, 0) / n,
    up_pct: n === 0 ? null : (100 * returns.filter((one) => one > 0).length) / n,
    n,
    t_stat: t,
    p: t === null ? null : studentTwoSided(t, n - 1)
  }
}

/** Adjusts the known p-values for multiple testing, by Benjamini-Hochberg. */
const adjusted = (p: ReadonlyArray<number | null>): ReadonlyArray<number | null> => {
  const there = benjaminiHochberg(p.flatMap((one) => one ?? []))
  let next = 0
  return p.map((one) => one === null ? null : there[next++]!)
}

export const handler = handlerOf(
  getSeasonality,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    return Effect.fnUntraced(function*({ coin, days }) {
      const closes = yield* closesByHour(prices, coin, days + 1)
      const hours = yield* readClosedBars(closes, coin, "1h", days * 24 + 1)
      const dates = yield* Effect.catchTag(
        readClosedBars(closes, coin, "1d", days + 1),
        "NoData",
        () => Effect.succeed({ ...hours, candles: [] })
      )
      const found = [
        ...returnsBy(hours.candles, "1h", 24, hourOf),
        ...returnsBy(dates.candles, "1d", 7, weekdayOf)
      ].map(statisticsOf)
      const pAdjusted = adjusted(found.map(({ p }) => p))
      const rows = found.map(({ p: _, ...row }, i) => ({ ...row, p_adjusted: pAdjusted[i]! }))
      const significant = pAdjusted.filter((p) => p !== null && p < level).length
      const notes = [
        ...barNotes(coin, hours),
        significant === 0
          ? "No bucket differs from chance, all 31 looks counted."
          : `Of ${significant} significant buckets about ${100 * level} % are expected to be chance.`
      ]
      const least = Math.min(...rows.map(({ n }) => n))
      if (least < few) notes.push(`The smallest bucket has ${least} returns only: more days tell more.`)
      return {
        coin,
        days,
        by_hour: rows.slice(0, 24).map((row, bucket) => ({ bucket, ...row })),
        by_weekday: rows.slice(24).map((row, i) => ({ bucket: weekdays[i]!, ...row })),
        significant,
        notes,
        as_of: instant(hours.end),
        source: sourceOf(hours, dates)
      }
    })
  })
)

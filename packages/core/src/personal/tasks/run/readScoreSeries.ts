import { Effect } from "effect"
import type { DerivedError } from "../../../analysis/signals/derivedError.ts"
import type { DerivedStore } from "../../../analysis/signals/DerivedStore.ts"
import { runAsOf } from "../../../engine/tool/asOf.ts"
import { points } from "../../../engine/tool/rounding.ts"
import { hourMs } from "../../../market/timeframe.ts"
import type { WatchSpec } from "../task.ts"
import { listMinuteEnds, type Minutes, noDetails, type SeriesByKey, seriesKey } from "./minuteSeries.ts"

/** The score of each coin in an hour, or null for a coin without a score. */
type Scores = ReadonlyMap<string, number | null>

const maxCachedHours = 26

/**
 * Creates the reader of minute values for watches on scores. Each value equals the result of get_score at the end of
 * the minute. A score is cached for the hour to which it applies. If the score's data lags behind the hour, the score
 * is read again in each minute.
 */
export const makeScoreReader = (derived: DerivedStore["Service"]) => {
  const cache = new Map<number, Map<string, number | null>>()

  const readScoresAt = Effect.fnUntraced(function*(coins: ReadonlyArray<string>, at: number): Effect.fn.Return<
    Scores,
    DerivedError
  > {
    const hour = Math.floor(at / hourMs) * hourMs
    const cached = cache.get(hour) ?? new Map<string, number | null>()
    const missing = coins.filter((coin) => !cached.has(coin))
    const scores = new Map<string, number | null>(missing.map((coin) => [coin, null]))
    const laggingCoins = new Set<string>()
    const recordScore = (coin: string, score: number, time: number) => {
      if (!scores.has(coin)) return
      scores.set(coin, points(score))
      if (time < hour) laggingCoins.add(coin)
    }
    const [onlyCoin] = missing
    if (missing.length > 1) {
      const { value } = yield* runAsOf(derived.scores, at)
      for (const { coin, hour: { time }, score } of value) recordScore(coin, score, time)
    } else if (onlyCoin !== undefined) {
      const reading = yield* runAsOf(derived.score(onlyCoin), at).pipe(
        Effect.catchTags({ UnknownSymbol: () => Effect.succeed(null), NoData: () => Effect.succeed(null) })
      )
      if (reading !== null) recordScore(onlyCoin, reading.value.score, reading.value.hour.time)
    }
    // If another coin has a score for the hour, the hour is complete, and a coin without a score is cached as having
    // none.
    const isHourComplete = [...scores].some(([coin, score]) => score !== null && !laggingCoins.has(coin))
    const cacheable = [...scores].filter(([coin, score]) => score === null ? isHourComplete : !laggingCoins.has(coin))
    cache.set(hour, new Map([...cached, ...cacheable]))
    for (const expiredHour of [...cache.keys()].slice(0, Math.max(0, cache.size - maxCachedHours))) {
      cache.delete(expiredHour)
    }
    return new Map([...cached, ...scores])
  })

  return Effect.fnUntraced(function*(
    specs: ReadonlyArray<WatchSpec>,
    minutes: Minutes
  ): Effect.fn.Return<SeriesByKey, DerivedError> {
    const coins = [...new Set(specs.map(({ symbol }) => symbol))]
    const byHour = new Map<number, Scores>()
    // The score of an hour does not change, so it is read at the newest of the hour's minutes.
    for (const end of listMinuteEnds(minutes).toReversed()) {
      const hour = Math.floor(end / hourMs)
      if (!byHour.has(hour)) byHour.set(hour, yield* readScoresAt(coins, end))
    }
    return new Map(specs.map((spec) => [seriesKey(spec), {
      knownUntil: minutes.until,
      valueAt: (end: number) => byHour.get(Math.floor(end / hourMs))?.get(spec.symbol) ?? null,
      detailsAt: noDetails
    }]))
  })
}

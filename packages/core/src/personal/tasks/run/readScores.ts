import { Effect } from "effect"
import type { DerivedError } from "../../../analysis/signals/derivedError.ts"
import type { DerivedStore } from "../../../analysis/signals/DerivedStore.ts"
import { asOfThen } from "../../../engine/tool/past.ts"
import { points } from "../../../engine/tool/rounding.ts"
import { hourMs } from "../../../market/timeframe.ts"
import type { WatchSpec } from "../spec.ts"
import { endsIn, type Minutes, nothingMore, type SeriesByKey, seriesKey } from "./series.ts"

/** The score of each coin in an hour. Null if the coin has no score. */
type Scores = ReadonlyMap<string, number | null>

/** The number of hours that are cached, so that each score is derived once. */
const hoursKept = 26

/**
 * Creates the reader for watches on scores. The value of a minute is the result of get_score at its end. A score is
 * valid for an hour and is read once. It is read again in the next minute only while its data lag behind the hour.
 */
export const makeReadScores = (derived: DerivedStore["Service"]) => {
  const known = new Map<number, Map<string, number | null>>()

  const scoresOf = Effect.fnUntraced(function*(coins: ReadonlyArray<string>, at: number): Effect.fn.Return<
    Scores,
    DerivedError
  > {
    const hour = Math.floor(at / hourMs) * hourMs
    const before = known.get(hour) ?? new Map<string, number | null>()
    const missing = coins.filter((coin) => !before.has(coin))
    const found = new Map<string, number | null>(missing.map((coin) => [coin, null]))
    const lags = new Set<string>()
    const tell = (coin: string, score: number, time: number) => {
      if (!found.has(coin)) return
      found.set(coin, points(score))
      if (time < hour) lags.add(coin)
    }
    const [only] = missing
    if (missing.length > 1) {
      const { value } = yield* asOfThen(derived.scores, at)
      for (const { coin, hour: { time }, score } of value) tell(coin, score, time)
    } else if (only !== undefined) {
      const one = yield* asOfThen(derived.score(only), at).pipe(
        Effect.catchTags({ UnknownSymbol: () => Effect.succeed(null), NoData: () => Effect.succeed(null) })
      )
      if (one !== null) tell(only, one.value.score, one.value.hour.time)
    }
    // If other coins have a score for the hour, a coin without one is cached as having none.
    const stands = [...found].some(([coin, score]) => score !== null && !lags.has(coin))
    const kept = [...found].filter(([coin, score]) => score === null ? stands : !lags.has(coin))
    known.set(hour, new Map([...before, ...kept]))
    for (const old of [...known.keys()].slice(0, Math.max(0, known.size - hoursKept))) known.delete(old)
    return new Map([...before, ...found])
  })

  return Effect.fnUntraced(function*(
    specs: ReadonlyArray<WatchSpec>,
    minutes: Minutes
  ): Effect.fn.Return<SeriesByKey, DerivedError> {
    const coins = [...new Set(specs.map(({ symbol }) => symbol))]
    const byHour = new Map<number, Scores>()
    // The newest minute of an hour decides for the hour's earlier minutes, because the score is the same within an
    // hour.
    for (const end of endsIn(minutes).toReversed()) {
      const hour = Math.floor(end / hourMs)
      if (!byHour.has(hour)) byHour.set(hour, yield* scoresOf(coins, end))
    }
    return new Map(specs.map((spec) => [seriesKey(spec), {
      knownUntil: minutes.until,
      valueAt: (end: number) => byHour.get(Math.floor(end / hourMs))?.get(spec.symbol) ?? null,
      detailsAt: nothingMore
    }]))
  })
}

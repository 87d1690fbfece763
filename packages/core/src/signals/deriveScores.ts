import { Clock, Effect } from "effect"
import { NoData } from "../market/errors.ts"
import { mapReading, type Reading, reading, sourcesOf } from "../market/reading.ts"
import { hourMs } from "../market/timeframe.ts"
import {
  coinsSince,
  concurrency,
  type Derivation,
  lagMs,
  lastFull,
  requireScored,
  requireTrading
} from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { scoreRecords, type SeriesRecord } from "./remembered/records.ts"
import { hoursOf, type ScoredHour, type ScorePoint } from "./score.ts"

const unscored = (coin: string) =>
  new NoData({ subject: `${coin} score`, reason: { key: "none_scored", params: { coin } } })

const hasScore = (hour: ScoredHour): hour is ScorePoint => hour.score !== null

/** Scores by the hour. */
export const deriveScores = ({ derivatives, oneByOne, prices, scored }: Derivation) => {
  const hoursIn = Effect.fnUntraced(function*(coin: string, from: number, to: number, record?: SeriesRecord) {
    const rows = yield* scored(coin, from, to, record)
    const hours = hoursOf(rows)
    return reading(hours, rows.sources, hours.at(-1)?.time ?? to)
  })

  /** The newest scored hour at or before `hour`. Earlier ones are looked at only when it is not stored yet. */
  const newest = Effect.fnUntraced(function*(
    coin: string,
    hour: number,
    record?: SeriesRecord
  ): Effect.fn.Return<Reading<ScorePoint> | undefined, DerivedError> {
    let found = yield* hoursIn(coin, hour - hourMs, hour, record)
    if (found.value.length === 0) found = yield* hoursIn(coin, hour - lagMs, hour - hourMs, record)
    const last = found.value.at(-1)
    return last === undefined || !hasScore(last) ? undefined : mapReading(found, () => last)
  })

  const score = Effect.fnUntraced(function*(coin: string) {
    yield* requireTrading(prices, coin)
    const last = yield* newest(coin, yield* lastFull(hourMs))
    return last === undefined
      ? yield* unscored(coin)
      : mapReading(last, (hour) => ({ coin, score: hour.score, hour }))
  })

  const scores = Effect.gen(function*() {
    const hour = yield* lastFull(hourMs)
    const coins = yield* coinsSince(prices, yield* Clock.currentTimeMillis)
    const record = yield* scoreRecords({ derivatives, prices }, coins.map(({ coin }) => coin))
    const found = yield* Effect.forEach(
      coins,
      ({ coin }) =>
        Effect.map(
          oneByOne(newest(coin, hour, record(coin))),
          (last) => last === undefined ? [] : [mapReading(last, (hour) => ({ coin, score: hour.score, hour }))]
        ),
      { concurrency }
    )
    const all = found.flat()
    return reading(
      all.map(({ value }) => value),
      sourcesOf(all),
      all.length === 0 ? hour : Math.min(...all.map(({ asOf }) => asOf))
    )
  })

  const scoreHistory = Effect.fnUntraced(function*({ coin, hours }: { readonly coin: string; readonly hours: number }) {
    yield* requireScored(prices, coin)
    const to = yield* lastFull(hourMs)
    const points = mapReading(yield* hoursIn(coin, to - hours * hourMs, to), (all) => all.filter(hasScore))
    return points.value.length === 0 ? yield* unscored(coin) : points
  })

  return { score, scores, scoreHistory }
}

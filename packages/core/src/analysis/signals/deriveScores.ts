import { Clock, Effect } from "effect"
import { NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import { mapReading, type Reading, reading, sourcesOf } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import {
  coinsSince,
  concurrency,
  type Derivation,
  lastFull,
  requireScored,
  requireTrading,
  unrecorded
} from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { lagMs } from "./lag.ts"
import { scoreRecords, type SeriesRecord } from "./remembered/records.ts"
import { hoursOf, type ScoredHour, type ScorePoint } from "./score.ts"

const unscored = (coin: string) =>
  new NoData({ subject: `${coin} score`, reason: { key: "none_scored", params: { coin } } })

const hasScore = (hour: ScoredHour): hour is ScorePoint => hour.score !== null

/** Derives hourly scores. */
export const deriveScores = ({ derivatives, oneByOne, prices, scored }: Derivation) => {
  const hoursIn = Effect.fnUntraced(function*(coin: string, from: number, to: number, record?: SeriesRecord) {
    const rows = yield* scored(coin, from, to, record)
    const hours = hoursOf(rows)
    return reading(hours, rows.sources, hours.at(-1)?.time ?? to)
  })

  /** Returns the newest scored hour at or before `hour`. Reads earlier hours only if `hour` is not stored yet. */
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

  /** If hours since the listing are missing, the cause is an outage of recording. */
  const whyNone = ({ coin, listedAt }: Coin, hours: ReadonlyArray<ScoredHour>, to: number) =>
    hours.length === 0 && listedAt <= to - hourMs ? unrecorded(coin, "score") : unscored(coin)

  const score = Effect.fnUntraced(function*(coin: string) {
    const facts = yield* requireTrading(prices, coin)
    const to = yield* lastFull(hourMs)
    const last = yield* newest(coin, to)
    return last === undefined
      ? yield* whyNone(facts, (yield* hoursIn(coin, to - lagMs, to)).value, to)
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
    const facts = yield* requireScored(prices, coin)
    const to = yield* lastFull(hourMs)
    const all = yield* hoursIn(coin, to - hours * hourMs, to)
    const points = mapReading(all, (found) => found.filter(hasScore))
    return points.value.length === 0 ? yield* whyNone(facts, all.value, to) : points
  })

  return { score, scores, scoreHistory }
}

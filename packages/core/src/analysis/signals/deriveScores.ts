import { Clock, Effect } from "effect"
import { NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import { makeReading, mapReading, type Reading, sourcesOf } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { scoreRecords, type SeriesRecord } from "./dayCache/seriesRecords.ts"
import {
  coinConcurrency,
  type Derivation,
  getLastFull,
  listCoinsSince,
  makeUnrecordedError,
  requireScored,
  requireTrading
} from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { maxLagMs } from "./readings.ts"
import { decodeHours, type ScoredHour, type ScorePoint } from "./score.ts"

const makeNoScoreError = (coin: string) =>
  new NoData({ subject: `${coin} score`, reason: { key: "none_scored", params: { coin } } })

const hasScore = (hour: ScoredHour): hour is ScorePoint => hour.score !== null

export const makeScoreReaders = ({ derivatives, runAfterYield, prices, readScores }: Derivation) => {
  const readHours = Effect.fnUntraced(function*(coin: string, from: number, to: number, record?: SeriesRecord) {
    const rows = yield* readScores(coin, from, to, record)
    const hours = decodeHours(rows)
    return makeReading(hours, rows.sources, hours.at(-1)?.time ?? to)
  })

  /** Returns the newest scored hour at or before `hour`. Earlier hours are read only if `hour` is not stored yet. */
  const readNewest = Effect.fnUntraced(function*(
    coin: string,
    hour: number,
    record?: SeriesRecord
  ): Effect.fn.Return<Reading<ScorePoint> | undefined, DerivedError> {
    let found = yield* readHours(coin, hour - hourMs, hour, record)
    if (found.value.length === 0) found = yield* readHours(coin, hour - maxLagMs, hour - hourMs, record)
    const last = found.value.at(-1)
    return last === undefined || !hasScore(last) ? undefined : mapReading(found, () => last)
  })

  /**
   * Creates the error for a coin without a score. A listed coin without recorded hours gets an error about missing
   * recordings.
   */
  const explainMissingScore = ({ coin, listedAt }: Coin, hours: ReadonlyArray<ScoredHour>, to: number) =>
    hours.length === 0 && listedAt <= to - hourMs ? makeUnrecordedError(coin, "score") : makeNoScoreError(coin)

  const score = Effect.fnUntraced(function*(coin: string) {
    const facts = yield* requireTrading(prices, coin)
    const to = yield* getLastFull(hourMs)
    const last = yield* readNewest(coin, to)
    return last === undefined
      ? yield* explainMissingScore(facts, (yield* readHours(coin, to - maxLagMs, to)).value, to)
      : mapReading(last, (hour) => ({ coin, score: hour.score, hour }))
  })

  const scores = Effect.gen(function*() {
    const hour = yield* getLastFull(hourMs)
    const coins = yield* listCoinsSince(prices, yield* Clock.currentTimeMillis)
    const record = yield* scoreRecords({ derivatives, prices }, coins.map(({ coin }) => coin))
    const found = yield* Effect.forEach(
      coins,
      ({ coin }) =>
        Effect.map(
          runAfterYield(readNewest(coin, hour, record(coin))),
          (last) => last === undefined ? [] : [mapReading(last, (hour) => ({ coin, score: hour.score, hour }))]
        ),
      { concurrency: coinConcurrency }
    )
    const all = found.flat()
    return makeReading(
      all.map(({ value }) => value),
      sourcesOf(all),
      all.length === 0 ? hour : Math.min(...all.map(({ asOf }) => asOf))
    )
  })

  const scoreHistory = Effect.fnUntraced(function*({ coin, hours }: { readonly coin: string; readonly hours: number }) {
    const facts = yield* requireScored(prices, coin)
    const to = yield* getLastFull(hourMs)
    const all = yield* readHours(coin, to - hours * hourMs, to)
    const points = mapReading(all, (found) => found.filter(hasScore))
    return points.value.length === 0 ? yield* explainMissingScore(facts, all.value, to) : points
  })

  return { score, scores, scoreHistory }
}

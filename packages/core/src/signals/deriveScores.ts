import { Clock, Effect } from "effect"
import { NoData } from "../market/errors.ts"
import { mapReading, type Reading, reading, sourcesOf } from "../market/reading.ts"
import { dayMs, hourMs } from "../market/timeframe.ts"
import { BoundedCache } from "./BoundedCache.ts"
import { closedOnly } from "./columns.ts"
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
import { type PriceDivergence, recentDivergences } from "./divergence.ts"
import { orEmpty } from "./readings.ts"
import { type ScoredHour, type ScorePoint, warmUpHours } from "./score.ts"

const divergenceReadings = 128

const unscored = (coin: string) =>
  new NoData({ subject: `${coin} score`, reason: { key: "none_scored", params: { coin } } })

const hasScore = (hour: ScoredHour): hour is ScorePoint => hour.score !== null

/** Scores by the hour, and the divergences that stand beside them. */
export const deriveScores = ({ oneByOne, prices, scored }: Derivation) => {
  const divergencesSeen = new BoundedCache<Reading<ReadonlyArray<PriceDivergence>>>(divergenceReadings)

  /** The newest scored hour at or before `hour`. Earlier ones are looked at only when it is not stored yet. */
  const newest = Effect.fnUntraced(function*(
    coin: string,
    hour: number
  ): Effect.fn.Return<Reading<ScorePoint> | undefined, DerivedError> {
    let found = yield* scored(coin, hour - hourMs, hour)
    if (found.value.length === 0) found = yield* scored(coin, hour - lagMs, hour - hourMs)
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
    const found = yield* Effect.forEach(
      coins,
      ({ coin }) =>
        Effect.map(
          oneByOne(newest(coin, hour)),
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
    const points = mapReading(yield* scored(coin, to - hours * hourMs, to), (all) => all.filter(hasScore))
    return points.value.length === 0 ? yield* unscored(coin) : points
  })

  const divergences = Effect.fnUntraced(function*(coin: string) {
    yield* requireTrading(prices, coin)
    const to = yield* lastFull(hourMs)
    const key = `${coin}:${to}`
    const remembered = divergencesSeen.get(key)
    if (remembered !== undefined) return remembered
    // From the same bar for a whole UTC day, as scores are.
    const from = Math.floor((to - hourMs) / dayMs) * dayMs - warmUpHours * hourMs
    const candles = yield* orEmpty(prices.candleRange({ coin, timeframe: "1h", from, to }))
    const closed = closedOnly(candles.value)
    const end = closed.length === 0 ? to : closed[closed.length - 1]!.time + hourMs
    const found = reading(recentDivergences(closed), candles.sources, end)
    if (end === to && closed.length > 0) divergencesSeen.set(key, found)
    return found
  })

  return { score, scores, scoreHistory, divergences }
}

import { Effect } from "effect"
import type { Compute } from "../../engine/compute/Compute.ts"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { PerpetualPoint } from "../../market/derivative.ts"
import type { MarketError } from "../../market/errors.ts"
import { dayMs, hourMs, minuteMs } from "../../market/timeframe.ts"
import { averagesFrom } from "./averages.ts"
import { closedOnly } from "./columns.ts"
import type { DerivedError } from "./derivedError.ts"
import { fundingSampleMs } from "./funding.ts"
import type { makeOneByOne } from "./oneByOne.ts"
import { orEmpty, orNoPoints } from "./readings.ts"
import { readByDay } from "./remembered/readByDay.ts"
import { scoreRecord } from "./remembered/records.ts"
import type { Remembering } from "./remembered/Shelf.ts"
import { runLong } from "./runLong.ts"
import { positionMs, positionTime, type ScoredMarket, scoreLayout } from "./score.ts"
import { scoreDaysJob, scoreDaysOf } from "./scoreDays.ts"

/**
 * Creates the reader of scores by coin and hour. The averages of each UTC day have a fixed start, so an hour's score
 * does not depend on the requested hours.
 *
 * @returns a function that reads a coin's hours that close in `(from, to]`, as rows in `scoreLayout`. Both are full
 * hours, and `to` is not in the future.
 */
export const makeHourlyScores = (
  { derivatives, prices }: {
    readonly prices: CoinPrices["Service"]
    readonly derivatives: CoinDerivatives["Service"]
  },
  compute: typeof Compute["Service"],
  oneByOne: ReturnType<typeof makeOneByOne>,
  remembering: Remembering
) => {
  /**
   * Reads the perpetual at the times that the hours in `(from, to]` use: the last position time, and the one a day
   * before.
   */
  const readPerpetual = Effect.fnUntraced(function*(
    coin: string,
    from: number,
    to: number
  ): Effect.fn.Return<ReadonlyArray<PerpetualPoint>, MarketError> {
    const first = positionTime(from + hourMs)
    const last = positionTime(to)
    const between = (since: number, until: number) =>
      oneByOne(orNoPoints(derivatives.perpetualHistory({ coin, from: since, to: until + 1, stepMs: positionMs })))
    // For a few hours, reading everything between the two times would be most of the work.
    const parts = last - first >= dayMs - positionMs
      ? [yield* between(first - dayMs, last)]
      : [yield* between(first - dayMs, last - dayMs), yield* between(first, last)]
    return parts.flatMap(({ value }) => value.points)
  })

  const read = Effect.fnUntraced(function*(
    coin: string,
    from: number,
    to: number
  ): Effect.fn.Return<ScoredMarket, MarketError> {
    const range = { coin, timeframe: "1h", from: averagesFrom(from + hourMs), to } as const
    const candles = yield* oneByOne(orEmpty(prices.candleRange(range)))
    const found = { candles: closedOnly(candles.value), perpetual: [], fundingPrints: [] }
    if (candles.value.length === 0) return found
    const perpetual = yield* readPerpetual(coin, from, to)
    const prints = yield* oneByOne(orEmpty(derivatives.fundingPrints({
      coin,
      from: positionTime(from) - fundingSampleMs - dayMs,
      to: to + minuteMs
    })))
    return { ...found, perpetual, fundingPrints: prints.value }
  })

  return readByDay<DerivedError>({
    layout: scoreLayout,
    record: (coin) => scoreRecord({ derivatives, prices }, coin),
    compute: Effect.fnUntraced(function*(coin, from, to) {
      const market = yield* read(coin, from, to)
      return (yield* runLong(compute, scoreDaysJob, scoreDaysOf(market, from, to))).values
    })
  }, remembering)
}

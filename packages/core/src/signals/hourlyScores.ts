import { Effect } from "effect"
import type { Compute } from "../compute/Compute.ts"
import type { CoinDerivatives } from "../market/CoinDerivatives.ts"
import type { CoinPrices } from "../market/CoinPrices.ts"
import type { PerpetualPoint } from "../market/derivative.ts"
import type { MarketError } from "../market/errors.ts"
import { type Reading, reading, sourcesOf } from "../market/reading.ts"
import { dayMs, hourMs, minuteMs } from "../market/timeframe.ts"
import { dayOfClose, readByHour } from "./byHour.ts"
import { closedOnly, firstFrom } from "./columns.ts"
import type { DerivedError } from "./derivedError.ts"
import { fundingSampleMs, isOverdue, paymentsOf } from "./funding.ts"
import type { makeOneByOne } from "./oneByOne.ts"
import { orEmpty, orNoPoints } from "./readings.ts"
import { runLong } from "./runLong.ts"
import { hoursOf, positionMs, positionTime, type ScoredHour, type ScoredMarket, warmUpHours } from "./score.ts"
import { scoreDaysJob, scoreDaysOf } from "./scoreDays.ts"

/** Coin-days remembered: forty coins over the 93 days that hit rates look at, and room for more. */
const capacity = 4_096

/**
 * The scores of every coin by the hour. The averages of each UTC day start `warmUpHours` before its midnight, so that
 * an hour's score does not depend on the hours asked for.
 *
 * @returns reads the hours of a coin whose closes lie in `(from, to]`, both full hours, `to` not in the future.
 */
export const makeHourlyScores = (
  { derivatives, prices }: {
    readonly prices: CoinPrices["Service"]
    readonly derivatives: CoinDerivatives["Service"]
  },
  compute: typeof Compute["Service"],
  oneByOne: ReturnType<typeof makeOneByOne>
) => {
  /**
   * The perpetual at the instants that the hours in `(from, to]` look at: the last one, and the one a day before it.
   */
  const readPerpetual = Effect.fnUntraced(function*(
    coin: string,
    from: number,
    to: number
  ): Effect.fn.Return<Reading<ReadonlyArray<PerpetualPoint>>, MarketError> {
    const first = positionTime(from + hourMs)
    const last = positionTime(to)
    const between = (since: number, until: number) =>
      oneByOne(orNoPoints(derivatives.perpetualHistory({ coin, from: since, to: until + 1, stepMs: positionMs })))
    // For a few hours, reading what lies between the two instants would be most of the work.
    const parts = last - first >= dayMs - positionMs
      ? [yield* between(first - dayMs, last)]
      : [yield* between(first - dayMs, last - dayMs), yield* between(first, last)]
    return reading(parts.flatMap(({ value }) => value.points), sourcesOf(parts), last)
  })

  const read = Effect.fnUntraced(function*(
    coin: string,
    from: number,
    to: number
  ): Effect.fn.Return<Reading<ScoredMarket>, MarketError> {
    const since = dayOfClose(from + hourMs) - warmUpHours * hourMs
    const candles = yield* oneByOne(orEmpty(prices.candleRange({ coin, timeframe: "1h", from: since, to })))
    const found = { candles: closedOnly(candles.value), perpetual: [], fundingPrints: [] }
    if (candles.value.length === 0) return reading(found, candles.sources, to)
    const perpetual = yield* readPerpetual(coin, from, to)
    const prints = yield* oneByOne(orEmpty(derivatives.fundingPrints({
      coin,
      from: positionTime(from) - fundingSampleMs - dayMs,
      to: to + minuteMs
    })))
    return reading(
      { ...found, perpetual: perpetual.value, fundingPrints: prints.value },
      sourcesOf([candles, perpetual, prints]),
      to
    )
  })

  return readByHour<ScoredHour, DerivedError>(
    capacity,
    Effect.fnUntraced(function*(coin, from, to) {
      const { sources, value: all } = yield* read(coin, from, to)
      const { candles, perpetual } = all
      const payments = paymentsOf(all.fundingPrints)
      const settled = (time: number): boolean =>
        payments.length === 0 ||
        (!isOverdue(payments, time) &&
          perpetual[firstFrom(perpetual, positionTime(time))]?.time === positionTime(time))
      const table = yield* runLong(compute, scoreDaysJob, scoreDaysOf(all, from, to))
      return { hours: hoursOf(table, candles).map((value) => ({ value, whole: settled(value.time) })), sources }
    })
  )
}

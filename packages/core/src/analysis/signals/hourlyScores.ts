import { Effect } from "effect"
import type { Compute } from "../../engine/compute/Compute.ts"
import type { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import type { CoinPrices } from "../../market/CoinPrices.ts"
import type { PerpetualPoint } from "../../market/derivative.ts"
import type { MarketError } from "../../market/errors.ts"
import { dayMs, hourMs, minuteMs } from "../../market/timeframe.ts"
import { getAveragesStart } from "./averages.ts"
import { filterClosed } from "./candleColumns.ts"
import { makeCachedReader } from "./dayCache/cachedReads.ts"
import type { DayCaches } from "./dayCache/SeriesCache.ts"
import { scoreRecord } from "./dayCache/seriesRecords.ts"
import type { DerivedError } from "./derivedError.ts"
import { fundingSampleMs } from "./funding.ts"
import { orEmptyList, orEmptySeries } from "./readings.ts"
import { type makeYieldingRunner, runInWorkerIfLong } from "./scheduling.ts"
import { getPositionTime, positionIntervalMs, type ScoredMarket, scoreLayout } from "./score.ts"
import { makeScoreDaysInput, scoreDaysJob } from "./scoreDays.ts"

/**
 * Creates the reader of scores by coin and hour. The averages of each UTC day have a fixed start, so an hour's score
 * does not depend on the requested hours.
 *
 * @returns a function that reads a coin's hours that close in `(from, to]`, both full hours and not in the future, as
 * rows in `scoreLayout`.
 */
export const makeHourlyScores = (
  { derivatives, prices }: {
    readonly prices: CoinPrices["Service"]
    readonly derivatives: CoinDerivatives["Service"]
  },
  compute: typeof Compute["Service"],
  runAfterYield: ReturnType<typeof makeYieldingRunner>,
  dayCaches: DayCaches
) => {
  /**
   * Reads the perpetual at the times that `getPositionTime` returns for the hours in `(from, to]`, and one day before
   * these times.
   */
  const readPerpetual = Effect.fnUntraced(function*(
    coin: string,
    from: number,
    to: number
  ): Effect.fn.Return<ReadonlyArray<PerpetualPoint>, MarketError> {
    const first = getPositionTime(from + hourMs)
    const last = getPositionTime(to)
    const readBetween = (since: number, until: number) =>
      runAfterYield(
        orEmptySeries(derivatives.perpetualHistory({ coin, from: since, to: until + 1, stepMs: positionIntervalMs }))
      )
    // For a few hours, two short reads are cheaper than one read that also covers the time between them.
    const parts = last - first >= dayMs - positionIntervalMs
      ? [yield* readBetween(first - dayMs, last)]
      : [yield* readBetween(first - dayMs, last - dayMs), yield* readBetween(first, last)]
    return parts.flatMap(({ value }) => value.points)
  })

  const readMarket = Effect.fnUntraced(function*(
    coin: string,
    from: number,
    to: number
  ): Effect.fn.Return<ScoredMarket, MarketError> {
    const range = { coin, timeframe: "1h", from: getAveragesStart(from + hourMs), to } as const
    const candles = yield* runAfterYield(orEmptyList(prices.candleRange(range)))
    const found = { candles: filterClosed(candles.value), perpetual: [], fundingPayments: [] }
    if (candles.value.length === 0) return found
    const perpetual = yield* readPerpetual(coin, from, to)
    const payments = yield* runAfterYield(orEmptyList(derivatives.fundingPayments({
      coin,
      from: getPositionTime(from) - fundingSampleMs - dayMs,
      to: to + minuteMs
    })))
    return { ...found, perpetual, fundingPayments: payments.value }
  })

  return makeCachedReader<DerivedError>({
    layout: scoreLayout,
    record: (coin) => scoreRecord({ derivatives, prices }, coin),
    compute: Effect.fnUntraced(function*(coin, from, to) {
      const market = yield* readMarket(coin, from, to)
      return (yield* runInWorkerIfLong(compute, scoreDaysJob, makeScoreDaysInput(market, from, to))).values
    })
  }, dayCaches)
}

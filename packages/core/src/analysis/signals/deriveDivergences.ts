import { Effect } from "effect"
import { mapReading } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getAveragesStart } from "./averages.ts"
import { readClosedHours } from "./closedHours.ts"
import { makeNewestReadingCache } from "./dayCache/cachedReads.ts"
import { scoreRecord } from "./dayCache/seriesRecords.ts"
import { type Derivation, getLastFull, requireTrading } from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { type Divergences, getComparedSince, recentDivergences } from "./divergence.ts"

export const makeDivergenceReader = ({ derivatives, prices }: Derivation) => {
  const compute = Effect.fnUntraced(function*(coin: string, to: number) {
    return mapReading(
      yield* readClosedHours(prices, coin, to, getAveragesStart),
      (candles) => ({ divergences: recentDivergences(candles), comparedSince: getComparedSince(candles) })
    )
  })

  const readNewest = makeNewestReadingCache<Divergences, DerivedError>()
  return Effect.fnUntraced(function*(coin: string) {
    yield* requireTrading(prices, coin)
    const to = yield* getLastFull(hourMs)
    return yield* readNewest(coin, to, scoreRecord({ derivatives, prices }, coin), compute(coin, to))
  })
}

import { Effect } from "effect"
import { NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import { makeReading, mapReading, sourcesOf } from "../../market/reading.ts"
import { hourMs, minuteMs } from "../../market/timeframe.ts"
import { readClosedHours } from "./closedHours.ts"
import { type Coil, coilHours, computeFuel, findCorridor } from "./coil.ts"
import { makeNewestReadingCache } from "./dayCache/cachedReads.ts"
import { scoreRecord } from "./dayCache/seriesRecords.ts"
import { type Derivation, getLastFull, makeUnrecordedError, requireTrading } from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { fundingSampleMs } from "./funding.ts"
import { maxLagMs, orEmptyList, orEmptySeries } from "./readings.ts"

export const makeCoilReader = ({ derivatives, prices }: Derivation) => {
  const compute = Effect.fnUntraced(function*({ coin, listedAt }: Coin, to: number) {
    const candles = yield* readClosedHours(prices, coin, to, (close) => close - coilHours * hourMs)
    if (candles.value.length > 0 && to - candles.asOf >= maxLagMs) return yield* makeUnrecordedError(coin, "coil")
    const corridor = findCorridor(candles.value)
    if (corridor === null) {
      const hours = Math.min(coilHours, Math.floor((candles.asOf - listedAt) / hourMs))
      if (candles.value.length < hours) return yield* makeUnrecordedError(coin, "coil")
      return yield* new NoData({ subject: `${coin} coil`, reason: { key: "none_squeezed", params: { coin } } })
    }
    const perpetualAt = (time: number) =>
      Effect.map(
        orEmptySeries(derivatives.perpetualHistory({ coin, from: time, to: time + 1, stepMs: hourMs })),
        (series) => mapReading(series, ({ points }) => points[0])
      )
    const point = yield* perpetualAt(corridor.time)
    const earlier = yield* perpetualAt(corridor.corridor.since)
    const prints = yield* orEmptyList(derivatives.fundingPayments({
      coin,
      from: corridor.time - fundingSampleMs,
      to: corridor.time + minuteMs
    }))
    const coil: Coil = { ...corridor, fuel: computeFuel(point.value, earlier.value, prints.value) }
    return makeReading(coil, sourcesOf([candles, point, earlier, prints]), corridor.time)
  })

  const readNewest = makeNewestReadingCache<Coil, DerivedError>()
  return Effect.fnUntraced(function*(coin: string) {
    const facts = yield* requireTrading(prices, coin)
    const to = yield* getLastFull(hourMs)
    return yield* readNewest(coin, to, scoreRecord({ derivatives, prices }, coin), compute(facts, to))
  })
}

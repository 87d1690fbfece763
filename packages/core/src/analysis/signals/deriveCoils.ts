import { Effect } from "effect"
import { NoData } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import { mapReading, reading, sourcesOf } from "../../market/reading.ts"
import { hourMs, minuteMs } from "../../market/timeframe.ts"
import { closedHours } from "./closedHours.ts"
import { type Coil, coilHours, corridorOf, fuelOf } from "./coil.ts"
import { type Derivation, lastFull, requireTrading, unrecorded } from "./derivation.ts"
import type { DerivedError } from "./derivedError.ts"
import { fundingSampleMs } from "./funding.ts"
import { lagMs } from "./lag.ts"
import { orEmpty, orNoPoints } from "./readings.ts"
import { scoreRecord } from "./remembered/records.ts"
import { rememberNewest } from "./remembered/rememberNewest.ts"

/** Derives coils at the last closed hour. */
export const deriveCoils = ({ derivatives, prices }: Derivation) => {
  const compute = Effect.fnUntraced(function*({ coin, listedAt }: Coin, to: number) {
    const candles = yield* closedHours(prices, coin, to, (close) => close - coilHours * hourMs)
    if (candles.value.length > 0 && to - candles.asOf >= lagMs) return yield* unrecorded(coin, "coil")
    const corridor = corridorOf(candles.value)
    if (corridor === null) {
      const hours = Math.min(coilHours, Math.floor((candles.asOf - listedAt) / hourMs))
      if (candles.value.length < hours) return yield* unrecorded(coin, "coil")
      return yield* new NoData({ subject: `${coin} coil`, reason: { key: "none_squeezed", params: { coin } } })
    }
    const perpetualAt = (time: number) =>
      Effect.map(
        orNoPoints(derivatives.perpetualHistory({ coin, from: time, to: time + 1, stepMs: hourMs })),
        (series) => mapReading(series, ({ points }) => points[0])
      )
    const point = yield* perpetualAt(corridor.time)
    const earlier = yield* perpetualAt(corridor.corridor.since)
    const prints = yield* orEmpty(derivatives.fundingPrints({
      coin,
      from: corridor.time - fundingSampleMs,
      to: corridor.time + minuteMs
    }))
    const coil: Coil = { ...corridor, fuel: fuelOf(point.value, earlier.value, prints.value) }
    return reading(coil, sourcesOf([candles, point, earlier, prints]), corridor.time)
  })

  const newest = rememberNewest<Coil, DerivedError>()
  return Effect.fnUntraced(function*(coin: string) {
    const facts = yield* requireTrading(prices, coin)
    const to = yield* lastFull(hourMs)
    return yield* newest(coin, to, scoreRecord({ derivatives, prices }, coin), compute(facts, to))
  })
}

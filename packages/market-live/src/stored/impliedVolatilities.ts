import { dayMs, hourMs, ImpliedVolatilities, type IvMethod, type IvPoint, NoData } from "@tapeline/core/market"
import { MarketStore, pointsKinds, type PointsRead } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { findListedCoin, noneRecordedError } from "./coins.ts"
import { inParallel, makeStoredReading, withReadErrors } from "./storeReads.ts"

type Store = MarketStore["Service"]

const kind = pointsKinds.impliedVolatilities
const methods: ReadonlyArray<IvMethod> = ["atm_interpolated", "index"]

export const volatilityKey = (coin: string, method: IvMethod, maturityDays: number): string =>
  `${coin}:${method}:${maturityDays}`

/** Returns the error for a coin without recorded options, or without the requested volatility series. */
const noVolatilityError = Effect.fnUntraced(function*(store: Store, coin: string) {
  const all = yield* withReadErrors(store.records({ kind }))
  const listed = [...new Set(Array.from(all.keys(), (key) => key.slice(0, key.indexOf(":"))))].sort()
  if (listed.length === 0 || listed.includes(coin)) return yield* noneRecordedError(coin, "implied volatility")
  return yield* new NoData({
    subject: `${coin} implied volatility`,
    reason: { key: "none_with_options", params: { coin, listed: listed.join(", ") } }
  })
})

/**
 * Returns one value per day for the last `days` days, without days that have no value. Each daily value is the newest
 * value of the hour that ends at the current time of day.
 */
const sampleDaily = ({ points }: PointsRead<"ivPct">, days: number, now: number) => {
  const found: Array<{ readonly point: IvPoint; readonly source: string }> = []
  let next = 0
  for (let day = days - 1; day >= 0; day--) {
    const time = now - day * dayMs
    while (next < points.length && points[next]!.time <= time) next++
    const newest = points[next - 1]
    if (newest === undefined || newest.ivPct === null || newest.time <= time - hourMs) continue
    found.push({ point: { time: newest.time, ivPct: newest.ivPct }, source: newest.source })
  }
  return found
}

/** Implements `ImpliedVolatilities` with hourly values from the market store. */
export const storedImpliedVolatilities: Layer.Layer<ImpliedVolatilities, never, MarketStore> = Layer.effect(
  ImpliedVolatilities,
  Effect.map(MarketStore, (store) => ({
    history: Effect.fnUntraced(function*({ coin: name, days, maturityDays, method: named }) {
      const at = yield* Clock.currentTimeMillis
      const requestedMethods = named === undefined ? methods : [named]
      const subjects = requestedMethods.map((method) => volatilityKey(name, method, maturityDays))
      const [{ now }, all] = yield* inParallel(
        findListedCoin(store, name),
        withReadErrors(store.points({ kind, subjects, from: at - days * dayMs, to: at + 1 }))
      )
      const series = requestedMethods.flatMap((method, i) => {
        const read = all.get(subjects[i]!)
        const points = read === undefined ? [] : sampleDaily(read, days, now)
        return read === undefined || points.length === 0 ? [] : [{ method, since: read.record.since, points }]
      })
      // If both calculation methods have data, the method with the longer history is used.
      const [first] = series.sort((a, b) => a.points[0]!.point.time - b.points[0]!.point.time)
      if (first === undefined) return yield* noVolatilityError(store, name)
      const { method, points, since } = first
      return makeStoredReading(
        { method, maturityDays, since, points: points.map(({ point }) => point) },
        points.map(({ source }) => source),
        points.at(-1)!.point.time
      )
    })
  }))
)

import { ExchangeRates } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { asked, readingOf } from "./asking.ts"
import { noneRecorded } from "./facts.ts"
import { heldRates, holdsMs, recordedInstants } from "./rates.ts"

/** `ExchangeRates` over the service's own store. */
export const storedExchangeRates: Layer.Layer<ExchangeRates, never, MarketStore> = Layer.effect(
  ExchangeRates,
  Effect.map(MarketStore, (store) => ({
    rate: Effect.fnUntraced(function*({ pair, time: wanted }) {
      const now = yield* Clock.currentTimeMillis
      const time = Math.min(wanted ?? now, now)
      const query = { kind: pointsKinds.fxRates, subjects: [pair], at: time, withinMs: holdsMs[pair] }
      const point = (yield* asked(store.latest(query))).get(pair)?.point ?? null
      if (point === null || point.rate === null) return yield* noneRecorded(pair, "rate")
      return readingOf({ time, quotedAt: point.time, pair, rate: point.rate }, [point.source], point.time)
    }),
    history: Effect.fnUntraced(function*(query) {
      const now = yield* Clock.currentTimeMillis
      const { at, gaps } = yield* heldRates(store, query.pair, query, now)
      const rates = recordedInstants(query, gaps, now).flatMap((time) => at(time) ?? [])
      const last = rates.at(-1)
      if (last === undefined) return yield* noneRecorded(query.pair, "rates")
      const points = rates.map(({ source: _, ...rate }) => rate)
      return readingOf({ points, gaps }, rates.map(({ source }) => source), last.quotedAt)
    })
  }))
)

import { ExchangeRates } from "@tapeline/core/market"
import { MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { Clock, Effect, Layer } from "effect"
import { noneRecordedError } from "./coins.ts"
import { rateValidityMs, readRateHistory, recordedInstants } from "./rateHistory.ts"
import { makeStoredReading, withReadErrors } from "./storeReads.ts"

/** Implements `ExchangeRates` with data from the market store. */
export const storedExchangeRates: Layer.Layer<ExchangeRates, never, MarketStore> = Layer.effect(
  ExchangeRates,
  Effect.map(MarketStore, (store) => ({
    rate: Effect.fnUntraced(function*({ pair, time: wanted }) {
      const now = yield* Clock.currentTimeMillis
      const time = Math.min(wanted ?? now, now)
      const query = { kind: pointsKinds.fxRates, subjects: [pair], at: time, withinMs: rateValidityMs[pair] }
      const point = (yield* withReadErrors(store.latest(query))).get(pair)?.point ?? null
      if (point === null || point.rate === null) return yield* noneRecordedError(pair, "rate")
      return makeStoredReading({ time, quotedAt: point.time, pair, rate: point.rate }, [point.source], point.time)
    }),
    history: Effect.fnUntraced(function*(query) {
      const now = yield* Clock.currentTimeMillis
      const { rateAt, gaps } = yield* readRateHistory(store, query.pair, query, now)
      const rates = recordedInstants(query, gaps, now).flatMap((time) => rateAt(time) ?? [])
      const last = rates.at(-1)
      if (last === undefined) return yield* noneRecordedError(query.pair, "rates")
      const points = rates.map(({ source: _, ...rate }) => rate)
      return makeStoredReading({ points, gaps }, rates.map(({ source }) => source), last.quotedAt)
    })
  }))
)

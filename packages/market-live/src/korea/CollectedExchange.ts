import { type Interval, type KrwExchange, maxPriceAgeMs, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { completeUntil } from "../collect/completeUntil.ts"
import type { SourceResponse } from "../source/index.ts"
import type { ForeignPriceSource } from "./ForeignPriceSource.ts"
import type { KrwSource } from "./KrwSource.ts"

/** A Korean exchange whose markets are collected, and the dependencies of its collectors. */
export interface CollectedExchange {
  readonly exchange: KrwExchange
  readonly source: KrwSource
  readonly foreignPrices: ForeignPriceSource
  readonly store: MarketStore["Service"]
  readonly backfillDays: number
}

export const fiveMinutesMs = 5 * minuteMs

export const maxDelayMs = minuteMs

/**
 * The maximum length of a requested interval. The response must also contain the hour before the requested interval.
 */
export const maxIntervalMs = 180 * fiveMinutesMs

export interface PastPrices {
  readonly prices: ReadonlyArray<{ readonly time: number; readonly price: number }>
  readonly until: number
}

/**
 * Fetches the price of a coin at each five-minute time in an interval; without a newer trade, a price remains valid for
 * an hour.
 */
export const fetchPastKrwPrices = (
  source: KrwSource,
  coin: string,
  { from, to }: Interval
): Effect.Effect<PastPrices, SourceUnavailable> =>
  Effect.map(
    source.candles({ coin, length: "5m", from: from - fiveMinutesMs - maxPriceAgeMs, to: to - fiveMinutesMs }),
    (answer) => {
      // A delisted market has no data.
      if (answer.value === null || answer.value.completeFrom > from - fiveMinutesMs) return { prices: [], until: from }
      const closes = answer.value.candles.filter(({ closed }) => closed)
      const until = pricesCompleteUntil(answer, closes.map(({ time }) => time), { from, to })
      const prices: Array<PastPrices["prices"][number]> = []
      let next = 0
      for (let time = Math.ceil(from / fiveMinutesMs) * fiveMinutesMs; time < until; time += fiveMinutesMs) {
        while (next < closes.length && closes[next]!.time + fiveMinutesMs <= time) next++
        const last = closes[next - 1]
        if (last !== undefined && last.time + fiveMinutesMs > time - maxPriceAgeMs) {
          prices.push({
            time,
            price: last.close
          })
        }
      }
      return { prices, until }
    }
  )

/**
 * Returns the time up to which prices are complete. The price at a time is known when the candle that ends at that time
 * is complete.
 */
const pricesCompleteUntil = (
  answer: SourceResponse<unknown>,
  times: ReadonlyArray<number>,
  { from, to }: Interval
): number => {
  const candles = { from: from - fiveMinutesMs, to: to - fiveMinutesMs }
  const inside = times.filter((time) => time >= candles.from)
  return completeUntil(candles, { answer, times: inside, maxBuckets: Infinity, stepMs: fiveMinutesMs }) + fiveMinutesMs
}

import { type Interval, type KrwExchange, minuteMs, priceLagMs, type SourceUnavailable } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { Answer } from "../../source/index.ts"
import type { KrwSource } from "../../sources/korea/types.ts"
import { toldUntil } from "../toldUntil.ts"
import type { PricesAbroad } from "./PricesAbroad.ts"

/** An exchange whose markets are collected, and the dependencies of its collectors. */
export interface CollectedExchange {
  readonly exchange: KrwExchange
  readonly source: KrwSource
  readonly abroad: PricesAbroad
  readonly store: MarketStore["Service"]
  /** How many days of prices are backfilled. */
  readonly days: number
}

/** The interval at which prices are recorded. */
export const fineMs = 5 * minuteMs

/** The delay after which a response no longer counts for an instant. */
export const lateMs = minuteMs

/** The longest interval of one response, without the hour before it. */
export const longestMs = 180 * fineMs

/** Prices at instants, and the time up to which they are complete. */
export interface PastPrices {
  readonly prices: ReadonlyArray<{ readonly time: number; readonly price: number }>
  readonly until: number
}

/**
 * The last traded price at each instant of the grid in an interval. An interval without a trade has no candle. The last
 * price then holds for at most an hour.
 */
export const pastPrices = (
  source: KrwSource,
  coin: string,
  { from, to }: Interval
): Effect.Effect<PastPrices, SourceUnavailable> =>
  Effect.map(
    source.candles({ coin, length: "5m", from: from - fineMs - priceLagMs, to: to - fineMs }),
    (answer) => {
      // A delisted market has no data.
      if (answer.value === null || answer.value.wholeFrom > from - fineMs) return { prices: [], until: from }
      const closes = answer.value.candles.filter(({ closed }) => closed)
      const until = untilOf(answer, closes.map(({ time }) => time), { from, to })
      const prices: Array<PastPrices["prices"][number]> = []
      let next = 0
      for (let time = Math.ceil(from / fineMs) * fineMs; time < until; time += fineMs) {
        while (next < closes.length && closes[next]!.time + fineMs <= time) next++
        const last = closes[next - 1]
        if (last !== undefined && last.time + fineMs > time - priceLagMs) prices.push({ time, price: last.close })
      }
      return { prices, until }
    }
  )

/** The price of an instant is known once the candle before it is complete, and holds until the next instant. */
const untilOf = (answer: Answer<unknown>, times: ReadonlyArray<number>, { from, to }: Interval): number => {
  const candles = { from: from - fineMs, to: to - fineMs }
  const inside = times.filter((time) => time >= candles.from)
  return toldUntil(candles, { answer, times: inside, most: Infinity, stepMs: fineMs }) + fineMs
}

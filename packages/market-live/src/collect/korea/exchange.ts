import { type Interval, type KrwExchange, minuteMs, priceLagMs, type SourceUnavailable } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import type { Answer } from "../../source/index.ts"
import type { KrwSource } from "../../sources/korea/types.ts"
import { toldUntil } from "../toldUntil.ts"
import type { PricesAbroad } from "./PricesAbroad.ts"

/** An exchange whose markets are collected, and what that takes. */
export interface CollectedExchange {
  readonly exchange: KrwExchange
  readonly source: KrwSource
  readonly abroad: PricesAbroad
  readonly store: MarketStore["Service"]
  /** How far back prices are recorded from the beginning on. */
  readonly days: number
}

/** Prices are recorded every five minutes. */
export const fineMs = 5 * minuteMs

/** So late an instant is not that instant any more. */
export const lateMs = minuteMs

/** As many instants as one answer holds, beside the hour before them. */
export const longestMs = 180 * fineMs

/** Prices at instants, and until when they are all. */
export interface PastPrices {
  readonly prices: ReadonlyArray<{ readonly time: number; readonly price: number }>
  readonly until: number
}

/**
 * What was paid last at each instant of the grid in an interval. A length without a trade has no candle, and the price
 * stands, for an hour at most: after that it is none.
 */
export const pastPrices = (
  source: KrwSource,
  coin: string,
  { from, to }: Interval
): Effect.Effect<PastPrices, SourceUnavailable> =>
  Effect.map(
    source.candles({ coin, length: "5m", from: from - fineMs - priceLagMs, to: to - fineMs }),
    (answer) => {
      // One that is not listed any more tells nothing.
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

/** An instant is told once the candle that ends with it is, and stands until the next one. */
const untilOf = (answer: Answer<unknown>, times: ReadonlyArray<number>, { from, to }: Interval): number => {
  const candles = { from: from - fineMs, to: to - fineMs }
  const inside = times.filter((time) => time >= candles.from)
  return toldUntil(candles, { answer, times: inside, most: Infinity, stepMs: fineMs }) + fineMs
}

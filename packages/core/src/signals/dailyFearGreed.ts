import { Clock, Effect } from "effect"
import { type MarketError, NoData } from "../market/errors.ts"
import type { Coin } from "../market/instrument.ts"
import type { MarketStore } from "../market/MarketStore.ts"
import { dayMs } from "../market/timeframe.ts"
import { BoundedCache } from "./BoundedCache.ts"
import { type FearGreedDay, fearGreedDays, fearGreedWarmUpDays } from "./fearGreed.ts"
import { orEmpty } from "./hourlyScores.ts"
import type { makeOneByOne } from "./oneByOne.ts"

/** Days remembered. */
const capacity = 512

/** Coins read at the same time. */
const concurrency = 8

/**
 * The fear and greed index by the UTC day.
 *
 * @returns reads the last so many days, the newest as of the last 00:00 UTC.
 */
export const makeDailyFearGreed = (
  market: MarketStore["Service"],
  scorable: Effect.Effect<ReadonlyArray<Coin>, MarketError>,
  oneByOne: ReturnType<typeof makeOneByOne>
) => {
  const seen = new BoundedCache<FearGreedDay>(capacity)
  return Effect.fnUntraced(function*(days: number) {
    const to = Math.floor((yield* Clock.currentTimeMillis) / dayMs) * dayMs
    const wanted = Array.from({ length: days }, (_, i) => to - (days - 1 - i) * dayMs)
    const missing = wanted.filter((time) => seen.get(String(time)) === undefined)
    const computed = new Map<number, FearGreedDay>()
    if (missing.length > 0) {
      // A value is that of the day that closed, so its candle opened a day earlier.
      const firstOpen = missing[0]! - dayMs
      const range = { timeframe: "1d", from: firstOpen - fearGreedWarmUpDays * dayMs, to } as const
      const btc = yield* oneByOne(orEmpty(market.candleRange({ coin: "BTC", ...range })))
      const coins = (yield* scorable).filter(({ coin }) => coin !== "BTC")
      const others = yield* Effect.forEach(
        coins,
        ({ coin }) => oneByOne(orEmpty(market.candleRange({ coin, ...range, from: firstOpen - 31 * dayMs }))),
        { concurrency }
      )
      const fundingPrints = yield* orEmpty(
        market.fundingPrints({ coin: "BTC", count: 99 + 3 * (days + 1), until: to })
      )
      const social = yield* orEmpty(market.socialActivity({ coin: "BTC", from: firstOpen, to, stepMs: dayMs }))
      // The newest day may still lack the candle of a coin; then it may change.
      const whole = [btc, ...others].every((candles) =>
        candles.length === 0 || candles[candles.length - 1]!.time === to - dayMs
      )
      for (const day of fearGreedDays({ btc, others, fundingPrints, social }, firstOpen)) {
        computed.set(day.time, day)
        if (whole || day.time < to) seen.set(String(day.time), day)
      }
    }
    const found = wanted.flatMap((time) => seen.get(String(time)) ?? computed.get(time) ?? [])
    return found.length === 0
      ? yield* new NoData({ subject: "fear and greed", reason: { key: "none_fear_greed" } })
      : found
  })
}

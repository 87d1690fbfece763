import { Effect } from "effect"
import { NoData } from "../market/errors.ts"
import { mapReading, type Reading, reading, sourcesOf } from "../market/reading.ts"
import type { SocialFeed } from "../market/SocialFeed.ts"
import { dayMs, minuteMs } from "../market/timeframe.ts"
import { BoundedCache } from "./BoundedCache.ts"
import { closedOnly } from "./columns.ts"
import { coinsSince, concurrency, type Derivation, lastFull } from "./derivation.ts"
import { type FearGreedDay, fearGreedDays, fearGreedWarmUpDays } from "./fearGreed.ts"
import { orEmpty, orNoPoints } from "./readings.ts"

const fearGreedReadings = 512
/** Days of candles that the others' breadth and returns look back on, and of BTC's funding. */
const othersDays = 31
const fundingDays = 34

/**
 * The fear and greed index by the UTC day.
 *
 * @returns reads the last so many days, the newest as of the last 00:00 UTC.
 */
export const makeDailyFearGreed = ({ derivatives, oneByOne, prices }: Derivation, social: SocialFeed["Service"]) => {
  const seen = new BoundedCache<Reading<FearGreedDay>>(fearGreedReadings)

  /** Computes the days that closed in `(firstOpen, to]`, and remembers those that may not change any more. */
  const compute = Effect.fnUntraced(function*(firstOpen: number, to: number) {
    const computed = new Map<number, Reading<FearGreedDay>>()
    const range = { timeframe: "1d", from: firstOpen - fearGreedWarmUpDays * dayMs, to } as const
    const btc = yield* oneByOne(orEmpty(prices.candleRange({ coin: "BTC", ...range })))
    const coins = (yield* coinsSince(prices, firstOpen)).filter(({ coin }) => coin !== "BTC")
    const others = yield* Effect.forEach(
      coins,
      ({ coin }) => oneByOne(orEmpty(prices.candleRange({ coin, ...range, from: firstOpen - othersDays * dayMs }))),
      { concurrency }
    )
    const prints = yield* orEmpty(derivatives.fundingPrints({
      coin: "BTC",
      from: firstOpen - fundingDays * dayMs,
      to: to + minuteMs
    }))
    const posts = yield* orNoPoints(social.activity({ coin: "BTC", from: firstOpen, to, stepMs: dayMs }))
    const market = {
      btc: closedOnly(btc.value),
      others: others.map(({ value }) => closedOnly(value)),
      fundingPrints: prints.value,
      social: posts.value.points
    }
    // The newest day may still lack the candle of a coin that trades; then it may change.
    const whole = [
      { candles: market.btc, ends: null },
      ...coins.map(({ delistedAt }, i) => ({
        candles: market.others[i]!,
        ends: delistedAt
      }))
    ].every(({ candles, ends }) =>
      candles.length === 0 || (ends !== null && ends <= to) || candles[candles.length - 1]!.time === to - dayMs
    )
    const sources = sourcesOf([btc, ...others, prints, posts])
    for (const day of fearGreedDays(market, firstOpen)) {
      const read = reading(day, sources, day.time)
      computed.set(day.time, read)
      if (whole || day.time < to) seen.set(String(day.time), read)
    }
    return computed
  })

  return Effect.fnUntraced(function*(days: number) {
    const to = yield* lastFull(dayMs)
    const wanted = Array.from({ length: days }, (_, i) => to - (days - 1 - i) * dayMs)
    const missing = wanted.filter((time) => seen.get(String(time)) === undefined)
    // A value is that of the day that closed, so its candle opened a day earlier.
    const computed = missing.length === 0 ? undefined : yield* compute(missing[0]! - dayMs, to)
    const found = wanted.flatMap((time) => seen.get(String(time)) ?? computed?.get(time) ?? [])
    const last = found.at(-1)
    return last === undefined
      ? yield* new NoData({ subject: "fear and greed", reason: { key: "none_fear_greed" } })
      : mapReading({ ...last, sources: sourcesOf(found) }, () => found.map(({ value }) => value))
  })
}

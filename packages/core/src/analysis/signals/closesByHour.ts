import { Clock, Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import { bucketStart, dayMs, hourMs, type Timeframe } from "../../market/timeframe.ts"
import type { BarSource, Close } from "./closedBars.ts"
import { firstFrom } from "./columns.ts"
import { orEmpty } from "./readings.ts"

/**
 * Computes daily closes from hourly closes, oldest first. A day is included if all of its hours are present, within the
 * coin's listing period. Its close is that of its last hour.
 */
const daysOf = (
  hours: ReadonlyArray<Close>,
  { delistedAt, listedAt }: Pick<Coin, "delistedAt" | "listedAt">
): ReadonlyArray<Close> => {
  const [begun, ended] = [bucketStart("1h", listedAt), delistedAt ?? Infinity]
  const days: Array<Close> = []
  for (let i = 0; i < hours.length;) {
    const time = bucketStart("1d", hours[i]!.time)
    // At least one hour, even if a broken source reports inconsistent times.
    let next = i + 1
    while (next < hours.length && bucketStart("1d", hours[next]!.time) === time) next++
    const first = Math.max(time, begun)
    const whole = Math.ceil((Math.min(time + dayMs, ended) - first) / hourMs)
    const last = hours[next - 1]!
    if (hours[i]!.time === first && next - i === whole) days.push({ time, close: last.close, closed: last.closed })
    i = next
  }
  return days
}

/**
 * Returns a source of a coin's closed hourly and daily closes over the last `days` days, from one read of its hours. A
 * coin's rows are scattered among those of all coins, so a second read for its days would double the cost. Other
 * queries go to `prices`.
 */
export const closesByHour = Effect.fnUntraced(function*(
  prices: BarSource<Close>,
  coin: string,
  days: number
): Effect.fn.Return<BarSource<Close>, MarketError> {
  const now = yield* Clock.currentTimeMillis
  const facts = yield* prices.coin(coin)
  const from = bucketStart("1d", Math.min(facts.value.delistedAt ?? Infinity, now)) - days * dayMs
  const hours = yield* orEmpty(prices.candleRange({ coin, timeframe: "1h", from, to: bucketStart("1h", now) }))
  const closes: { readonly [T in Timeframe]?: ReadonlyArray<Close> } = {
    "1h": hours.value,
    "1d": daysOf(hours.value, facts.value)
  }
  return {
    coin: (asked) => asked === coin ? Effect.succeed(facts) : prices.coin(asked),
    candleRange: (query) => {
      const all = closes[query.timeframe]
      const isRead = query.coin === coin && query.from >= from && query.to <= bucketStart(query.timeframe, now)
      if (all === undefined || !isRead) return prices.candleRange(query)
      return Effect.succeed({ ...hours, value: all.slice(firstFrom(all, query.from), firstFrom(all, query.to)) })
    }
  }
})

import { Clock, Effect } from "effect"
import type { MarketError } from "../../market/errors.ts"
import type { Coin } from "../../market/instrument.ts"
import { bucketStart, dayMs, hourMs, type Timeframe } from "../../market/timeframe.ts"
import { findFirstIndex } from "./candleColumns.ts"
import type { BarSource, ClosePoint } from "./closedBars.ts"
import { orEmptyList } from "./readings.ts"

/**
 * Computes daily closes from hourly closes. A day is omitted if one of its hours is missing. Hours before the listing
 * and after the delisting are not required.
 */
const toDailyCloses = (
  hours: ReadonlyArray<ClosePoint>,
  { delistedAt, listedAt }: Pick<Coin, "delistedAt" | "listedAt">
): ReadonlyArray<ClosePoint> => {
  const [listingStart, listingEnd] = [bucketStart("1h", listedAt), delistedAt ?? Infinity]
  const days: Array<ClosePoint> = []
  for (let i = 0; i < hours.length;) {
    const time = bucketStart("1d", hours[i]!.time)
    // A day takes at least one hour, so that the loop ends even if a broken source reports inconsistent times.
    let nextDay = i + 1
    while (nextDay < hours.length && bucketStart("1d", hours[nextDay]!.time) === time) nextDay++
    const first = Math.max(time, listingStart)
    const expectedHours = Math.ceil((Math.min(time + dayMs, listingEnd) - first) / hourMs)
    const last = hours[nextDay - 1]!
    if (hours[i]!.time === first && nextDay - i === expectedHours) {
      days.push({ time, close: last.close, closed: last.closed })
    }
    i = nextDay
  }
  return days
}

/**
 * Reads a coin's hourly closes of the last `days` days. Returns a source of hourly and daily closes. Daily closes are
 * computed from hourly closes to avoid a second read. The returned source passes all other reads on to `prices`.
 */
export const readClosesByHour = Effect.fnUntraced(function*(
  prices: BarSource<ClosePoint>,
  coin: string,
  days: number
): Effect.fn.Return<BarSource<ClosePoint>, MarketError> {
  const now = yield* Clock.currentTimeMillis
  const facts = yield* prices.coin(coin)
  const from = bucketStart("1d", Math.min(facts.value.delistedAt ?? Infinity, now)) - days * dayMs
  const hours = yield* orEmptyList(prices.candleRange({ coin, timeframe: "1h", from, to: bucketStart("1h", now) }))
  const closes: { readonly [T in Timeframe]?: ReadonlyArray<ClosePoint> } = {
    "1h": hours.value,
    "1d": toDailyCloses(hours.value, facts.value)
  }
  return {
    coin: (requested) => requested === coin ? Effect.succeed(facts) : prices.coin(requested),
    candleRange: (query) => {
      const all = closes[query.timeframe]
      const isInRange = query.coin === coin && query.from >= from && query.to <= bucketStart(query.timeframe, now)
      if (all === undefined || !isInRange) return prices.candleRange(query)
      return Effect.succeed({
        ...hours,
        value: all.slice(findFirstIndex(all, query.from), findFirstIndex(all, query.to))
      })
    }
  }
})

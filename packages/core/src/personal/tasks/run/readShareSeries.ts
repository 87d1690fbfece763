import { Effect } from "effect"
import type { MarketError } from "../../../market/errors.ts"
import type { EquityCountry } from "../../../market/instrument.ts"
import type { StoredEquities } from "../../../market/StoredEquities.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { WatchSpec } from "../task.ts"
import { makeGapSeries, moveWindowMs, type PriceAt } from "./gapSeries.ts"
import {
  listMinuteEnds,
  type Minutes,
  type MinuteSeries,
  noDetails,
  type SeriesByKey,
  seriesKey
} from "./minuteSeries.ts"

/**
 * The maximum age of the last trade for a current price of a share. A share with an older trade has no current price,
 * for example while the market is closed.
 */
const maxTradeAgeMs = 5 * minuteMs

type Prices = ReadonlyMap<string, number>

const maxCachedMinutes = 2 * (moveWindowMs / minuteMs)

/** Creates the reader for watches on shares. For each minute, all shares of a country are read together once. */
export const makeShareReader = (equities: StoredEquities["Service"]) => {
  const cache = new Map<EquityCountry, Map<number, Prices>>([["US", new Map()], ["KR", new Map()]])

  const readPricesAt = Effect.fnUntraced(function*(country: EquityCountry, end: number) {
    const cachedMinutes = cache.get(country)!
    const cachedPrices = cachedMinutes.get(end)
    if (cachedPrices !== undefined) return cachedPrices
    const { value } = yield* equities.pricesAt({ country, time: end })
    const prices: Prices = new Map(
      value.flatMap(({ price, symbol, time }) => time > end - maxTradeAgeMs ? [[symbol, price] as const] : [])
    )
    cachedMinutes.set(end, prices)
    for (
      const expiredMinute of [...cachedMinutes.keys()].slice(0, Math.max(0, cachedMinutes.size - maxCachedMinutes))
    ) cachedMinutes.delete(expiredMinute)
    return prices
  })

  return Effect.fnUntraced(function*(
    country: EquityCountry,
    specs: ReadonlyArray<WatchSpec>,
    { after, until }: Minutes
  ): Effect.fn.Return<SeriesByKey, MarketError> {
    const lookbackMs = specs.some(({ metric }) => metric === "gap") ? moveWindowMs : 0
    const minutes = new Map<number, Prices>()
    for (const end of listMinuteEnds({ after: after - lookbackMs, until })) {
      minutes.set(end, yield* readPricesAt(country, end))
    }
    const priceAt = (symbol: string): PriceAt => (end) => minutes.get(end)?.get(symbol) ?? null
    const makeSeries = ({ metric, symbol }: WatchSpec): MinuteSeries =>
      metric === "gap"
        ? makeGapSeries(new Map([[symbol, priceAt(symbol)]]), until)
        : { knownUntil: until, valueAt: priceAt(symbol), detailsAt: noDetails }
    return new Map(specs.map((spec) => [seriesKey(spec), makeSeries(spec)]))
  })
}

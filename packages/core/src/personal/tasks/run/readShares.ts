import { Effect } from "effect"
import type { MarketError } from "../../../market/errors.ts"
import type { EquityCountry } from "../../../market/instrument.ts"
import type { StoredEquities } from "../../../market/StoredEquities.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { WatchSpec } from "../spec.ts"
import { gapSeries, moveMs, type PriceAt } from "./moves.ts"
import { endsIn, type Minutes, type MinuteSeries, nothingMore, type SeriesByKey, seriesKey } from "./series.ts"

/**
 * The period in which a trade counts as the price of a share. Without a recent trade, as outside regular sessions, the
 * share has no price.
 */
const tradeCountsMs = 5 * minuteMs

/** The prices of shares that traded recently, by symbol. */
type Prices = ReadonlyMap<string, number>

/** The number of minutes that are cached per country, so that each is read once. */
const kept = 2 * (moveMs / minuteMs)

/** Creates the reader for watches on shares. For each minute, it reads all shares of a country once and caches them. */
export const makeReadShares = (equities: StoredEquities["Service"]) => {
  const known = new Map<EquityCountry, Map<number, Prices>>([["US", new Map()], ["KR", new Map()]])

  const pricesAt = Effect.fnUntraced(function*(country: EquityCountry, end: number) {
    const before = known.get(country)!
    const found = before.get(end)
    if (found !== undefined) return found
    const { value } = yield* equities.pricesAt({ country, time: end })
    const prices: Prices = new Map(
      value.flatMap(({ price, symbol, time }) => time > end - tradeCountsMs ? [[symbol, price] as const] : [])
    )
    before.set(end, prices)
    for (const old of [...before.keys()].slice(0, Math.max(0, before.size - kept))) before.delete(old)
    return prices
  })

  return Effect.fnUntraced(function*(
    country: EquityCountry,
    specs: ReadonlyArray<WatchSpec>,
    { after, until }: Minutes
  ): Effect.fn.Return<SeriesByKey, MarketError> {
    const reach = specs.some(({ metric }) => metric === "gap") ? moveMs : 0
    const minutes = new Map<number, Prices>()
    for (const end of endsIn({ after: after - reach, until })) minutes.set(end, yield* pricesAt(country, end))
    const priceAt = (symbol: string): PriceAt => (end) => minutes.get(end)?.get(symbol) ?? null
    const series = ({ metric, symbol }: WatchSpec): MinuteSeries =>
      metric === "gap"
        ? gapSeries(new Map([[symbol, priceAt(symbol)]]), until)
        : { knownUntil: until, valueAt: priceAt(symbol), detailsAt: nothingMore }
    return new Map(specs.map((spec) => [seriesKey(spec), series(spec)]))
  })
}

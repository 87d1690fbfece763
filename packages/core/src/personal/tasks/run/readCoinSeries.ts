import { Effect } from "effect"
import { computeSessionVwap, countSessionBars, vwapTimeframe } from "../../../analysis/signals/sessionVwap.ts"
import { amount, level, percent } from "../../../engine/tool/rounding.ts"
import type { Candle } from "../../../market/candle.ts"
import type { ClosedMinutes } from "../../../market/coin.ts"
import type { CoinPrices } from "../../../market/CoinPrices.ts"
import type { MarketError } from "../../../market/errors.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { WatchSpec } from "../task.ts"
import { makeGapSeries, moveWindowMs, type PriceAt } from "./gapSeries.ts"
import {
  listMinuteEnds,
  type Minutes,
  type MinuteSeries,
  noDetails,
  type SeriesByKey,
  seriesKey,
  type SeriesRequest
} from "./minuteSeries.ts"

/** The maximum time that a watch on all coins waits for a coin with missing minutes. */
const maxCoinLagMs = 5 * minuteMs

const noMinutes: ClosedMinutes = { knownUntil: Infinity, points: [] }

const makePriceLookup = ({ points }: ClosedMinutes): PriceAt => {
  const prices = new Map(points.map(({ price, time }) => [time, price]))
  return (end) => prices.get(end) ?? null
}

/**
 * Returns, for each coin, the minutes for which the `vwap_cross` watches need a VWAP. Coins without known minutes are
 * omitted.
 */
const selectVwapMinutes = (
  crossingRequests: ReadonlyArray<SeriesRequest>,
  minutesOfCoin: (coin: string) => ClosedMinutes | undefined
): ReadonlyMap<string, Minutes> => {
  const minutesByCoin = new Map<string, Minutes>()
  for (const { after, spec: { symbol } } of crossingRequests) {
    const minutes = minutesOfCoin(symbol)
    if (minutes === undefined) continue
    const earliestAfter = minutesByCoin.get(symbol)?.after ?? after
    minutesByCoin.set(symbol, { after: Math.min(earliestAfter, after), until: minutes.knownUntil })
  }
  return minutesByCoin
}

/** Returns the VWAP of the UTC day at the end of each minute by coin, equal to the result of get_vwap. */
const readVwaps = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  minutes: ReadonlyMap<string, Minutes>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyMap<number, number>>, MarketError> {
  const vwapsByCoin = new Map<string, Map<number, number>>(Array.from(minutes.keys(), (coin) => [coin, new Map()]))
  const ends = new Set([...minutes.values()].flatMap(listMinuteEnds))
  for (const end of ends) {
    const coins = [...minutes].flatMap(([coin, { after, until }]) => end > after && end <= until ? [coin] : [])
    const bars = countSessionBars("day", end)
    const { value } = yield* prices.candlesByCoin({ coins, timeframe: vwapTimeframe.day, bars, until: end })
    value.forEach((candles: ReadonlyArray<Candle>, coin) => {
      const session = computeSessionVwap(candles, "day", end)
      // Before the first trade of the day, there is no VWAP, so nothing can cross it.
      if (session !== null && session.volume > 0) vwapsByCoin.get(coin)?.set(end, level(session.vwap))
    })
  }
  return vwapsByCoin
})

const makeVwapSeries = (priceAt: PriceAt, vwaps: ReadonlyMap<number, number>, knownUntil: number): MinuteSeries => ({
  knownUntil,
  valueAt: (end) => {
    const [price, vwap] = [priceAt(end), vwaps.get(end)]
    return price === null || vwap === undefined ? null : price - vwap
  },
  detailsAt: (end) => {
    const [price, vwap] = [priceAt(end), vwaps.get(end)]
    return price === null || vwap === undefined
      ? {}
      : { price: amount(price), vwap, distance_pct: percent(100 * (price / vwap - 1)) }
  }
})

/** Returns the coins that trade now. A `gap` watch on `*` covers all coins that trade now. */
const listTradingCoins = (prices: CoinPrices["Service"]) =>
  Effect.map(prices.coins, ({ value }) => value.flatMap(({ coin, delistedAt }) => delistedAt === null ? [coin] : []))

const filterByMetric = (specs: ReadonlyArray<WatchSpec>, metric: WatchSpec["metric"]) =>
  specs.filter((spec) => spec.metric === metric)

/** Reads the series of watches on coin prices, with the minutes of all coins in one read. */
export const readCoinSeries = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  specs: ReadonlyArray<WatchSpec>,
  minutes: Minutes,
  crossingRequests: ReadonlyArray<SeriesRequest>
): Effect.fn.Return<SeriesByKey, MarketError> {
  const gaps = filterByMetric(specs, "gap")
  const tradingCoins = gaps.some(({ symbol }) => symbol === "*") ? yield* listTradingCoins(prices) : []
  const namedCoins = specs.flatMap(({ symbol }) => symbol === "*" ? [] : [symbol])
  const { value } = yield* prices.minutes({
    coins: [...new Set([...namedCoins, ...tradingCoins])],
    after: minutes.after - (gaps.length === 0 ? 0 : moveWindowMs),
    until: minutes.until
  })
  const vwaps = yield* readVwaps(prices, selectVwapMinutes(crossingRequests, (coin) => value.get(coin)))
  const minutesOfCoin = (coin: string): ClosedMinutes => value.get(coin) ?? noMinutes
  const priceLookups = new Map([...value].map(([coin, closedMinutes]) => [coin, makePriceLookup(closedMinutes)]))
  const priceLookupOf = (coin: string): PriceAt => priceLookups.get(coin) ?? (() => null)
  const makeSeries = (spec: WatchSpec): MinuteSeries => {
    const { knownUntil } = minutesOfCoin(spec.symbol)
    switch (spec.metric) {
      case "gap": {
        if (spec.symbol !== "*") return makeGapSeries(new Map([[spec.symbol, priceLookupOf(spec.symbol)]]), knownUntil)
        const knownUntils = tradingCoins.flatMap((coin) => value.get(coin)?.knownUntil ?? [])
        // A coin without data for minutes does not delay the other coins.
        const commonKnownUntil = Math.max(Math.min(...knownUntils), minutes.until - maxCoinLagMs)
        return makeGapSeries(
          new Map(tradingCoins.map((coin) => [coin, priceLookupOf(coin)])),
          Math.min(commonKnownUntil, Math.max(...knownUntils))
        )
      }
      case "vwap_cross":
        return makeVwapSeries(priceLookupOf(spec.symbol), vwaps.get(spec.symbol) ?? new Map(), knownUntil)
      default:
        return { knownUntil, valueAt: priceLookupOf(spec.symbol), detailsAt: noDetails }
    }
  }
  return new Map(specs.map((spec) => [seriesKey(spec), makeSeries(spec)]))
})

import { Effect } from "effect"
import { barsOfSession, vwapOfSession, vwapTimeframe } from "../../../analysis/signals/sessionVwap.ts"
import { amount, level, percent } from "../../../engine/tool/rounding.ts"
import type { Candle } from "../../../market/candle.ts"
import type { ClosedMinutes } from "../../../market/coin.ts"
import type { CoinPrices } from "../../../market/CoinPrices.ts"
import type { MarketError } from "../../../market/errors.ts"
import { minuteMs } from "../../../market/timeframe.ts"
import type { WatchSpec } from "../spec.ts"
import { gapSeries, moveMs, type PriceAt } from "./moves.ts"
import {
  endsIn,
  type Minutes,
  type MinuteSeries,
  nothingMore,
  type SeriesByKey,
  seriesKey,
  type Wanted
} from "./series.ts"

/** The maximum wait of a series of all coins for a coin whose minutes are missing. */
const waitedForMs = 5 * minuteMs

const unknown: ClosedMinutes = { knownUntil: Infinity, points: [] }

const priceAtOf = ({ points }: ClosedMinutes): PriceAt => {
  const prices = new Map(points.map(({ price, time }) => [time, price]))
  return (end) => prices.get(end) ?? null
}

/** The minutes of each coin for which crossings need a VWAP. Omits coins without known minutes. */
const crossed = (
  crossing: ReadonlyArray<Wanted>,
  of: (coin: string) => ClosedMinutes | undefined
): ReadonlyMap<string, Minutes> => {
  const found = new Map<string, Minutes>()
  for (const { after, spec: { symbol } } of crossing) {
    const minutes = of(symbol)
    if (minutes === undefined) continue
    const before = found.get(symbol)?.after ?? after
    found.set(symbol, { after: Math.min(before, after), until: minutes.knownUntil })
  }
  return found
}

/** Returns the VWAP of the UTC day at the end of each minute, by coin: the result of get_vwap at that time. */
const readVwaps = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  minutes: ReadonlyMap<string, Minutes>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyMap<number, number>>, MarketError> {
  const found = new Map<string, Map<number, number>>(Array.from(minutes.keys(), (coin) => [coin, new Map()]))
  const ends = new Set([...minutes.values()].flatMap(endsIn))
  for (const end of ends) {
    const coins = [...minutes].flatMap(([coin, { after, until }]) => end > after && end <= until ? [coin] : [])
    const bars = barsOfSession("day", end)
    const { value } = yield* prices.candlesByCoin({ coins, timeframe: vwapTimeframe.day, bars, until: end })
    value.forEach((candles: ReadonlyArray<Candle>, coin) => {
      const session = vwapOfSession(candles, "day", end)
      // Before the first trade of the day there is no VWAP, so nothing can cross it.
      if (session !== null && session.volume > 0) found.get(coin)?.set(end, level(session.vwap))
    })
  }
  return found
})

const vwapSeries = (priceAt: PriceAt, vwaps: ReadonlyMap<number, number>, knownUntil: number): MinuteSeries => ({
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

/** The coins that trade, which a gap of all coins covers. */
const trading = (prices: CoinPrices["Service"]) =>
  Effect.map(prices.coins, ({ value }) => value.flatMap(({ coin, delistedAt }) => delistedAt === null ? [coin] : []))

const ofMetric = (specs: ReadonlyArray<WatchSpec>, metric: WatchSpec["metric"]) =>
  specs.filter((spec) => spec.metric === metric)

/**
 * Reads the series of watches on coin prices. Reads the minutes of all coins at once, and, for each minute of a
 * `vwap_cross`, the candles of its VWAP.
 */
export const readCoinSeries = Effect.fnUntraced(function*(
  prices: CoinPrices["Service"],
  specs: ReadonlyArray<WatchSpec>,
  minutes: Minutes,
  crossing: ReadonlyArray<Wanted>
): Effect.fn.Return<SeriesByKey, MarketError> {
  const gaps = ofMetric(specs, "gap")
  const all = gaps.some(({ symbol }) => symbol === "*") ? yield* trading(prices) : []
  const named = specs.flatMap(({ symbol }) => symbol === "*" ? [] : [symbol])
  const { value } = yield* prices.minutes({
    coins: [...new Set([...named, ...all])],
    after: minutes.after - (gaps.length === 0 ? 0 : moveMs),
    until: minutes.until
  })
  const vwaps = yield* readVwaps(prices, crossed(crossing, (coin) => value.get(coin)))
  const of = (coin: string): ClosedMinutes => value.get(coin) ?? unknown
  const priceAts = new Map([...value].map(([coin, one]) => [coin, priceAtOf(one)]))
  const priceAt = (coin: string): PriceAt => priceAts.get(coin) ?? (() => null)
  const series = (spec: WatchSpec): MinuteSeries => {
    const { knownUntil } = of(spec.symbol)
    switch (spec.metric) {
      case "gap": {
        if (spec.symbol !== "*") return gapSeries(new Map([[spec.symbol, priceAt(spec.symbol)]]), knownUntil)
        const marks = all.flatMap((coin) => value.get(coin)?.knownUntil ?? [])
        // A coin that is silent for minutes does not delay the others.
        const whole = Math.max(Math.min(...marks), minutes.until - waitedForMs)
        return gapSeries(new Map(all.map((coin) => [coin, priceAt(coin)])), Math.min(whole, Math.max(...marks)))
      }
      case "vwap_cross":
        return vwapSeries(priceAt(spec.symbol), vwaps.get(spec.symbol) ?? new Map(), knownUntil)
      default:
        return { knownUntil, valueAt: priceAt(spec.symbol), detailsAt: nothingMore }
    }
  }
  return new Map(specs.map((spec) => [seriesKey(spec), series(spec)]))
})

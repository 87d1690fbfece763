/** Prices of coins outside Korea, for comparison with prices in Korea. */
import { type Interval, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Effect } from "effect"
import { VenueFailover } from "../collect/VenueFailover.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"

const fiveMinutesMs = 5 * minuteMs

/** Prices, and their source as rows name it. */
export interface ForeignPrices<K> {
  readonly source: string
  readonly prices: ReadonlyMap<K, number>
}

/** A source of coin prices in USDT. */
export interface ForeignPriceSource {
  /** The present prices, by coin. */
  readonly current: Effect.Effect<ForeignPrices<string>, SourceUnavailable>
  /** The prices of a coin at instants of five minutes in an interval, by instant. Empty if the coin is not quoted. */
  readonly past: (coin: string, interval: Interval) => Effect.Effect<ForeignPrices<number>, SourceUnavailable>
}

/** The maximum number of symbols in one request. A longer address would exceed the limit of some intermediary. */
const maxSymbolsPerRequest = 100

/** The cache time: two exchanges in Korea request the same prices within seconds. */
const cacheMs = 15_000

const quote = "USDT"

/** Splits an interval into parts that one response of a venue can hold. */
const splitInterval = ({ from, to }: Interval, maxCandles: number): ReadonlyArray<Interval> => {
  const parts: Array<Interval> = []
  for (let at = from; at < to; at += maxCandles * fiveMinutesMs) {
    parts.push({ from: at, to: Math.min(to, at + maxCandles * fiveMinutesMs) })
  }
  return parts
}

const fetchCurrentPrices = (venue: SpotVenue) =>
  Effect.gen(function*() {
    const { rows: markets } = yield* venue.markets
    const pages = Arr.chunksOf(markets.filter(({ isTrading }) => isTrading), maxSymbolsPerRequest)
    const answers = yield* Effect.forEach(pages, (page) => venue.tickers(page), { concurrency: 2 })
    return new Map(answers.flat().map(({ coin, price }) => [coin, price] as const))
  })

const fetchPastPrices = (venue: SpotVenue, coin: string, { from, to }: Interval) =>
  Effect.gen(function*() {
    const prices = new Map<number, number>()
    for (const part of splitInterval({ from: from - fiveMinutesMs, to: to - fiveMinutesMs }, venue.maxCandles)) {
      const { value } = yield* venue.candles({ symbol: venue.symbolOf(coin), interval: "5m", ...part })
      if (value === null) return null
      for (const { close, closed, time } of value) if (closed) prices.set(time + fiveMinutesMs, close)
    }
    return prices
  })

/** Prices from the spot markets of venues. Each coin uses the first venue that serves and lists it. */
export const makeForeignPriceSource = (
  venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>]
): Effect.Effect<ForeignPriceSource> => {
  const failover = new VenueFailover(venues)
  const defaultSource = venues[0].name
  const toForeignPrices = <K>(
    answer: { readonly venue: SpotVenue; readonly value: ReadonlyMap<K, number> } | null
  ): ForeignPrices<K> =>
    answer === null ? { source: defaultSource, prices: new Map() } : { source: answer.venue.name, prices: answer.value }
  const current = Effect.map(failover.request("now", fetchCurrentPrices), toForeignPrices)
  return Effect.map(Effect.cachedWithTTL(current, cacheMs), (cachedCurrent): ForeignPriceSource => ({
    current: cachedCurrent,
    past: (coin, interval) =>
      Effect.map(failover.request(coin, (venue) => fetchPastPrices(venue, coin, interval)), toForeignPrices)
  }))
}

/** The plausible range of a dollar's price in won, including the premiums of fresh listings. */
const krwPerUsdRange = { min: 300, max: 6_000 }

/**
 * The price of a coin abroad. Null if the price is unknown, or if the implied exchange rate shows another coin with the
 * same name. A USDT costs one USDT.
 */
export const plausibleForeignPrice = (coin: string, krwPrice: number, price: number | undefined): number | null => {
  if (coin === quote) return 1
  if (price === undefined || price <= 0) return null
  const impliedKrwPerUsd = krwPrice / price
  return impliedKrwPerUsd >= krwPerUsdRange.min && impliedKrwPerUsd <= krwPerUsdRange.max ? price : null
}

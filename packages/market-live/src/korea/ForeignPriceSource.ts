/** Provides coin prices outside Korea, for comparison with Korean prices. */
import { type Interval, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Effect } from "effect"
import { VenueFailover } from "../collect/VenueFailover.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"

const fiveMinutesMs = 5 * minuteMs

export interface ForeignPrices<K> {
  readonly source: string
  readonly prices: ReadonlyMap<K, number>
}

/** A source of coin prices in USDT. */
export interface ForeignPriceSource {
  readonly current: Effect.Effect<ForeignPrices<string>, SourceUnavailable>
  /**
   * Fetches a coin's prices at the five-minute times of an interval. The result is empty if no venue lists the coin.
   */
  readonly past: (coin: string, interval: Interval) => Effect.Effect<ForeignPrices<number>, SourceUnavailable>
}

/** The maximum number of symbols in one request, because more symbols would make the URL too long for some proxies. */
const maxSymbolsPerRequest = 100

/** The cache duration of foreign prices. The collectors of two exchanges request equal prices within seconds. */
const cacheMs = 15_000

const quote = "USDT"

const splitInterval = ({ from, to }: Interval, maxCandles: number): ReadonlyArray<Interval> => {
  const parts: Array<Interval> = []
  for (let at = from; at < to; at += maxCandles * fiveMinutesMs) {
    parts.push({ from: at, to: Math.min(to, at + maxCandles * fiveMinutesMs) })
  }
  return parts
}

const fetchCurrentPrices = Effect.fnUntraced(function*(venue: SpotVenue) {
  const { rows: markets } = yield* venue.markets
  const pages = Arr.chunksOf(markets.filter(({ isTrading }) => isTrading), maxSymbolsPerRequest)
  const answers = yield* Effect.forEach(pages, (page) => venue.tickers(page), { concurrency: 2 })
  return new Map(answers.flat().map(({ coin, price }) => [coin, price] as const))
})

const fetchPastPrices = Effect.fnUntraced(function*(venue: SpotVenue, coin: string, { from, to }: Interval) {
  const prices = new Map<number, number>()
  for (const part of splitInterval({ from: from - fiveMinutesMs, to: to - fiveMinutesMs }, venue.maxCandles)) {
    const { value } = yield* venue.candles({ symbol: venue.symbolOf(coin), interval: "5m", ...part })
    if (value === null) return null
    for (const { close, closed, time } of value) if (closed) prices.set(time + fiveMinutesMs, close)
  }
  return prices
})

/** Returns a source of prices from spot markets, where each coin uses the first available venue that lists the coin. */
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

/** The plausible range of a dollar's price in won, including the premiums of newly listed coins. */
const krwPerUsdRange = { min: 300, max: 6_000 }

/**
 * Returns the foreign price of a coin in USDT. Returns null for an unknown price, and for a price that implies another
 * coin with the same symbol.
 */
export const plausibleForeignPrice = (coin: string, krwPrice: number, price: number | undefined): number | null => {
  if (coin === quote) return 1
  if (price === undefined || price <= 0) return null
  const impliedKrwPerUsd = krwPrice / price
  return impliedKrwPerUsd >= krwPerUsdRange.min && impliedKrwPerUsd <= krwPerUsdRange.max ? price : null
}

/** Prices of coins outside Korea, for comparison with prices in Korea. */
import { type Interval, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Effect } from "effect"
import type { SpotVenue } from "../spot/SpotVenue.ts"
import { VenueOrder } from "../VenueOrder.ts"

const fineMs = 5 * minuteMs

/** Prices, and their source as rows name it. */
export interface Abroad<K> {
  readonly source: string
  readonly prices: ReadonlyMap<K, number>
}

/** A source of coin prices in USDT. */
export interface PricesAbroad {
  /** The present prices, by coin. */
  readonly now: Effect.Effect<Abroad<string>, SourceUnavailable>
  /** The prices of a coin at instants of five minutes in an interval, by instant. Empty if the coin is not quoted. */
  readonly past: (coin: string, interval: Interval) => Effect.Effect<Abroad<number>, SourceUnavailable>
}

/** The maximum number of symbols in one request. A longer address would exceed the limit of some intermediary. */
const asked = 100

/** The cache time: two exchanges in Korea request the same prices within seconds. */
const keptMs = 15_000

const quote = "USDT"

/** Splits an interval into parts that one response of a venue can hold. */
const partsOf = ({ from, to }: Interval, most: number): ReadonlyArray<Interval> => {
  const parts: Array<Interval> = []
  for (let at = from; at < to; at += most * fineMs) parts.push({ from: at, to: Math.min(to, at + most * fineMs) })
  return parts
}

const pricesNow = (venue: SpotVenue) =>
  Effect.gen(function*() {
    const { rows: markets } = yield* venue.markets
    const pages = Arr.chunksOf(markets.filter(({ trades }) => trades), asked)
    const answers = yield* Effect.forEach(pages, (page) => venue.tickers(page), { concurrency: 2 })
    return new Map(answers.flat().map(({ coin, price }) => [coin, price] as const))
  })

const pricesThen = (venue: SpotVenue, coin: string, { from, to }: Interval) =>
  Effect.gen(function*() {
    const prices = new Map<number, number>()
    for (const part of partsOf({ from: from - fineMs, to: to - fineMs }, venue.most)) {
      const { value } = yield* venue.candles({ symbol: venue.symbolOf(coin), interval: "5m", ...part })
      if (value === null) return null
      for (const { close, closed, time } of value) if (closed) prices.set(time + fineMs, close)
    }
    return prices
  })

/** Prices from the spot markets of venues. Each coin uses the first venue that serves and lists it. */
export const venuesAbroad = (
  venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>]
): Effect.Effect<PricesAbroad> => {
  const order = new VenueOrder(venues)
  const nobody = venues[0].name
  const told = <K>(
    answer: { readonly venue: SpotVenue; readonly value: ReadonlyMap<K, number> } | null
  ): Abroad<K> =>
    answer === null ? { source: nobody, prices: new Map() } : { source: answer.venue.name, prices: answer.value }
  const now = Effect.map(order.ask("now", pricesNow), told)
  return Effect.map(Effect.cachedWithTTL(now, keptMs), (kept): PricesAbroad => ({
    now: kept,
    past: (coin, interval) => Effect.map(order.ask(coin, (venue) => pricesThen(venue, coin, interval)), told)
  }))
}

/** The plausible range of a dollar's price in won, including the premiums of fresh listings. */
const wonPerDollar = { least: 300, most: 6_000 }

/**
 * The price of a coin abroad. Null if the price is unknown, or if the implied exchange rate shows another coin with the
 * same name. A USDT costs one USDT.
 */
export const abroadOf = (coin: string, krwPrice: number, price: number | undefined): number | null => {
  if (coin === quote) return 1
  if (price === undefined || price <= 0) return null
  const won = krwPrice / price
  return won >= wonPerDollar.least && won <= wonPerDollar.most ? price : null
}

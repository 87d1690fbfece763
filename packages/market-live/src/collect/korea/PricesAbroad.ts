/** What coins cost abroad, for who tells what they cost in Korea. */
import { type Interval, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Effect } from "effect"
import type { SpotVenue } from "../spot/SpotVenue.ts"
import { VenueOrder } from "../VenueOrder.ts"

const fineMs = 5 * minuteMs

/** What coins cost, and whom that is told by, as rows name it. */
export interface Abroad<K> {
  readonly source: string
  readonly prices: ReadonlyMap<K, number>
}

/** Who quotes coins against USDT. */
export interface PricesAbroad {
  /** What every coin costs now, by coin. */
  readonly now: Effect.Effect<Abroad<string>, SourceUnavailable>
  /** What a coin cost at the instants of five minutes in an interval, by instant; none of one that is not quoted. */
  readonly past: (coin: string, interval: Interval) => Effect.Effect<Abroad<number>, SourceUnavailable>
}

/** Symbols that are asked for at once: more make an address that is longer than some way there takes. */
const asked = 100

/** Two exchanges in Korea ask for the same prices within seconds. */
const keptMs = 15_000

const quote = "USDT"

/** Parts of an interval that one answer of a venue holds. */
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

/** The spot markets of venues, each coin by the first that serves and has it. */
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

/** A dollar has cost no less and no more won than that for long, premiums of fresh listings included. */
const wonPerDollar = { least: 300, most: 6_000 }

/**
 * What a coin costs abroad where that is the same coin: two that have one name do not cost the same. A USDT costs a
 * USDT.
 */
export const abroadOf = (coin: string, krwPrice: number, price: number | undefined): number | null => {
  if (coin === quote) return 1
  if (price === undefined || price <= 0) return null
  const won = krwPrice / price
  return won >= wonPerDollar.least && won <= wonPerDollar.most ? price : null
}

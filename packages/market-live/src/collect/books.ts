/** Spot order books of coins, each from the first venue that serves. */
import { minuteMs, type OrderBook, type SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Effect } from "effect"
import type { Answer } from "../source/index.ts"
import type { BinanceSpot } from "../sources/binance/spot.ts"
import type { OkxMarket } from "../sources/okx/market.ts"
import type { SpotMarket } from "../sources/spotMarket.ts"
import { orderBookDocument } from "../stored/documents.ts"
import type { Collector } from "./collector.ts"
import { type ListedCoins, listedOf, remembering } from "./listed.ts"
import type { TrackedCoin } from "./trackedCoins.ts"
import { VenueOrder } from "./VenueOrder.ts"

const quote = "USDT"

/** A venue with order books that reach one percent of the price on either side, if they have that many levels. */
export interface BookVenue {
  /** The name in rows and results. */
  readonly name: string
  /** The markets of coins that trade on the venue. */
  readonly markets: Effect.Effect<ListedCoins<SpotMarket>, SourceUnavailable>
  /** Returns null if the market does not exist. */
  readonly book: (symbol: string) => Effect.Effect<OrderBook | null, SourceUnavailable>
}

const marketsOf = (
  ask: Effect.Effect<Answer<ReadonlyArray<SpotMarket>>, SourceUnavailable>
): BookVenue["markets"] =>
  Effect.map(remembering(ask), ({ rows, unread }) => ({
    unread,
    all: new Map(rows.filter(({ trades }) => trades).map((market) => [market.coin, market]))
  }))

export const binanceBookVenue = (spot: BinanceSpot["Service"]): BookVenue => ({
  name: "binance",
  markets: marketsOf(spot.markets(quote)),
  book: (symbol) => Effect.map(spot.orderBook(symbol), ({ value }) => value)
})

export const okxBookVenue = (market: OkxMarket["Service"]): BookVenue => ({
  name: "okx",
  markets: marketsOf(market.spotMarkets(quote)),
  book: (symbol) => Effect.map(market.orderBook(symbol), ({ value }) => value)
})

/** Collects the order book of each coin every minute, with one request per coin. */
export const bookCollector = (
  venues: readonly [BookVenue, ...ReadonlyArray<BookVenue>],
  coins: ReadonlyArray<TrackedCoin>
): Collector => {
  const order = new VenueOrder(venues)
  const bookOf = (coin: string) => (venue: BookVenue) =>
    Effect.gen(function*() {
      const [market] = (yield* listedOf(venue.name, yield* venue.markets, [coin])) ?? []
      return market === undefined ? null : yield* venue.book(market.symbol)
    })
  return {
    _tag: "documents",
    source: venues[0].name,
    name: "orderBooks",
    kind: orderBookDocument.kind,
    everyMs: minuteMs,
    offsetMs: 20_000,
    ask: Effect.gen(function*() {
      const books = yield* Effect.forEach(
        coins,
        ({ coin: key }) =>
          Effect.result(Effect.map(order.ask(`book:${key}`, bookOf(key)), (told) => {
            if (told === null) return []
            const { time, ...book } = told.value
            return [orderBookDocument.rowOf({ key, time, source: told.venue.name }, book)]
          })),
        { concurrency: 4 }
      )
      const [told, faults] = [Arr.getSuccesses(books), Arr.getFailures(books)]
      return told.length === 0 && faults[0] !== undefined ? yield* faults[0] : { documents: told.flat(), faults }
    })
  }
}

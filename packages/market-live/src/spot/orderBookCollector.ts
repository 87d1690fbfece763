import { minuteMs, type OrderBook, type SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Effect } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import type { Collector } from "../collect/collector.ts"
import { findListed, type MarketsByCoin, rememberMarkets } from "../collect/marketLists.ts"
import { VenueFailover } from "../collect/VenueFailover.ts"
import type { SourceResponse } from "../source/index.ts"
import { orderBookDocument } from "../stored/documents.ts"
import type { SpotMarket } from "../venues/contracts.ts"

/** A venue whose order books reach 1 % from the mid price on each side, if enough levels exist. */
export interface OrderBookVenue {
  readonly name: string
  /** Lists the tradable markets of the venue, by coin. */
  readonly markets: Effect.Effect<MarketsByCoin<SpotMarket>, SourceUnavailable>
  /** Fetches the order book of a market, or null if the market does not exist. */
  readonly book: (symbol: string) => Effect.Effect<OrderBook | null, SourceUnavailable>
}

export const tradingMarketsByCoin = (
  fetch: Effect.Effect<SourceResponse<ReadonlyArray<SpotMarket>>, SourceUnavailable>
): OrderBookVenue["markets"] =>
  Effect.map(rememberMarkets(fetch), ({ rows, unreadable }) => ({
    unreadable,
    all: new Map(rows.filter(({ isTrading }) => isTrading).map((market) => [market.coin, market]))
  }))

/** Returns the collector of each coin's order book, with one request per coin every minute. */
export const makeOrderBookCollector = (
  venues: readonly [OrderBookVenue, ...ReadonlyArray<OrderBookVenue>],
  coins: ReadonlyArray<TrackedCoin>
): Collector => {
  const failover = new VenueFailover(venues)
  const fetchBookOf = (coin: string) =>
    Effect.fnUntraced(function*(venue: OrderBookVenue) {
      const [market] = (yield* findListed(venue.name, yield* venue.markets, [coin])) ?? []
      return market === undefined ? null : yield* venue.book(market.symbol)
    })
  return {
    _tag: "documents",
    source: venues[0].name,
    name: "orderBooks",
    kind: orderBookDocument.kind,
    everyMs: minuteMs,
    offsetMs: 20_000,
    fetch: Effect.gen(function*() {
      const books = yield* Effect.forEach(
        coins,
        ({ coin: key }) =>
          Effect.result(Effect.map(failover.request(`book:${key}`, fetchBookOf(key)), (result) => {
            if (result === null) return []
            const { time, ...book } = result.value
            return [orderBookDocument.encodeRow({ key, time, source: result.venue.name }, book)]
          })),
        { concurrency: 4 }
      )
      const [documents, faults] = [Arr.getSuccesses(books), Arr.getFailures(books)]
      return documents.length === 0 && faults[0] !== undefined
        ? yield* faults[0]
        : { documents: documents.flat(), faults }
    })
  }
}

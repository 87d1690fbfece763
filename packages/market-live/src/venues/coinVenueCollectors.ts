import { Array as Arr } from "effect"
import { type TrackedCoin, trackedCoins } from "../coins/trackedCoins.ts"
import type { Collector } from "../collect/collector.ts"
import { perpetualCollectors } from "../perpetuals/perpetualCollectors.ts"
import { makeOrderBookCollector } from "../spot/orderBookCollector.ts"
import { type SpotBackfillDays, spotCollectors } from "../spot/spotCollectors.ts"
import type { CoinVenue } from "./CoinVenue.ts"

export interface CoinVenueCollectorsOptions extends Partial<SpotBackfillDays> {
  readonly coins?: ReadonlyArray<TrackedCoin>
  /** The number of past days to backfill for perpetuals and taker flow. */
  readonly derivativeDays?: number
}

/**
 * Returns all collectors of coin exchanges, where spot markets, order books and perpetuals use the first available
 * exchange.
 */
export const coinVenueCollectors = (
  venues: Arr.NonEmptyReadonlyArray<CoinVenue>,
  { candleDays = 400, coins = trackedCoins, derivativeDays = 29, includeFacts = true, priceDays = 7 }:
    CoinVenueCollectorsOptions = {}
): ReadonlyArray<Collector> => {
  const orderBooks = venues.flatMap((venue) => venue.orderBooks ?? [])
  const perpetuals = venues.flatMap((venue) => venue.perpetuals ?? [])
  return [
    ...spotCollectors(Arr.map(venues, ({ spot }) => spot), coins, { candleDays, priceDays, includeFacts }),
    ...(Arr.isReadonlyArrayNonEmpty(orderBooks) ? [makeOrderBookCollector(orderBooks, coins)] : []),
    ...(Arr.isReadonlyArrayNonEmpty(perpetuals) ? perpetualCollectors(perpetuals, { derivativeDays }) : []),
    ...venues.flatMap(({ collectors }) => collectors)
  ]
}

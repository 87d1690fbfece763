import { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { Bithumb } from "../bithumb/Bithumb.ts"
import type { Collector } from "../collect/collector.ts"
import { EcbRates } from "../ecb/EcbRates.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"
import { Upbit } from "../upbit/Upbit.ts"
import type { CollectedExchange } from "./CollectedExchange.ts"
import { makeForeignPriceSource } from "./ForeignPriceSource.ts"
import { makeKrwListingsCollector } from "./listingsCollector.ts"
import { makeKrwMarketsCollector } from "./marketsCollector.ts"
import { makeEcbRatesCollector, makeUsdtRatesCollector } from "./ratesCollectors.ts"
import { makeKrwTickersCollector } from "./tickersCollector.ts"

export interface KrwCollectorsOptions {
  /** The numbers of past days to backfill: of won prices, and of the USDT price in won. */
  readonly krwDays?: number
  readonly usdtDays?: number
  /** The venues of foreign prices, in order of preference. */
  readonly venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>]
}

/** Returns the collectors of won markets, listings and the USDT price in won, for both Korean exchanges. */
export const krwCollectors = (
  { krwDays = 31, usdtDays = 40, venues }: KrwCollectorsOptions
): Effect.Effect<ReadonlyArray<Collector>, never, Upbit | Bithumb | MarketStore> =>
  Effect.gen(function*() {
    const shared = {
      store: yield* MarketStore,
      foreignPrices: yield* makeForeignPriceSource(venues),
      backfillDays: krwDays
    }
    const upbit: CollectedExchange = { ...shared, exchange: "upbit", source: yield* Upbit }
    const bithumb: CollectedExchange = { ...shared, exchange: "bithumb", source: yield* Bithumb }
    return [
      ...[upbit, bithumb].flatMap((
        venue
      ) => [makeKrwMarketsCollector(venue), makeKrwTickersCollector(venue), makeKrwListingsCollector(venue)]),
      makeUsdtRatesCollector(upbit, bithumb, { backfillDays: usdtDays })
    ]
  })

/** Returns the collector of the ECB's price of a dollar in won, with one rate per working day. */
export const ecbCollectors = (
  { ecbDays = 400 }: { readonly ecbDays?: number } = {}
): Effect.Effect<ReadonlyArray<Collector>, never, EcbRates> =>
  Effect.map(EcbRates, (rates) => [makeEcbRatesCollector(rates, { backfillDays: ecbDays })])

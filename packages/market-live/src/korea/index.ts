/** Collectors of markets against the won and of exchange rates. */
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
  /** How many days of won prices, and of the price of USDT in won, are backfilled. */
  readonly krwDays?: number
  readonly usdtDays?: number
  /** The venues with prices abroad, preferred first. */
  readonly venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>]
}

/**
 * The collectors of markets, listings and USDT for both exchanges. A premium is ranked among those of the last 30 days.
 */
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

/** The collector of the ECB's rate of a dollar in won, one rate per working day. */
export const ecbCollectors = (
  { ecbDays = 400 }: { readonly ecbDays?: number } = {}
): Effect.Effect<ReadonlyArray<Collector>, never, EcbRates> =>
  Effect.map(EcbRates, (rates) => [makeEcbRatesCollector(rates, { backfillDays: ecbDays })])

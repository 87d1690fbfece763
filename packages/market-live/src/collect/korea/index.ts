/** Collectors of markets against the won and of exchange rates. */
import { MarketStore } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { EcbRates } from "../../sources/ecb/EcbRates.ts"
import { Bithumb } from "../../sources/korea/Bithumb.ts"
import { Upbit } from "../../sources/korea/Upbit.ts"
import type { Collector } from "../collector.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"
import type { CollectedExchange } from "./exchange.ts"
import { krwListings } from "./listings.ts"
import { krwMarkets } from "./markets.ts"
import { venuesAbroad } from "./PricesAbroad.ts"
import { ecbReferenceRates, usdtRates } from "./rates.ts"
import { krwTickers } from "./tickers.ts"

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
    const both = {
      store: yield* MarketStore,
      abroad: yield* venuesAbroad(venues),
      days: krwDays
    }
    const upbit: CollectedExchange = { ...both, exchange: "upbit", source: yield* Upbit }
    const bithumb: CollectedExchange = { ...both, exchange: "bithumb", source: yield* Bithumb }
    return [
      ...[upbit, bithumb].flatMap((of) => [krwMarkets(of), krwTickers(of), krwListings(of)]),
      usdtRates(upbit, bithumb, { days: usdtDays })
    ]
  })

/** The collector of the ECB's rate of a dollar in won, one rate per working day. */
export const ecbCollectors = (
  { ecbDays = 400 }: { readonly ecbDays?: number } = {}
): Effect.Effect<ReadonlyArray<Collector>, never, EcbRates> =>
  Effect.map(EcbRates, (rates) => [ecbReferenceRates(rates, { days: ecbDays })])

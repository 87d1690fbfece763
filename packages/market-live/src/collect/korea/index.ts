/** What is collected of markets against the won and of exchange rates. */
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
  /** How far back prices in won, and what a USDT costs in it, are recorded from the beginning on. */
  readonly krwDays?: number
  readonly usdtDays?: number
  /** Who tells what coins cost abroad, in their order. */
  readonly venues: readonly [SpotVenue, ...ReadonlyArray<SpotVenue>]
}

/** Markets, listings and USDT of both exchanges. A premium is ranked among those of the last thirty days. */
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

/** What a dollar costs in won by the European Central Bank, one rate a working day. */
export const ecbCollectors = (
  { ecbDays = 400 }: { readonly ecbDays?: number } = {}
): Effect.Effect<ReadonlyArray<Collector>, never, EcbRates> =>
  Effect.map(EcbRates, (rates) => [ecbReferenceRates(rates, { days: ecbDays })])

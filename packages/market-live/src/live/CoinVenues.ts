import { Array as Arr, Context, Effect, Layer } from "effect"
import { binance } from "../binance/venue.ts"
import { bybit } from "../bybit/venue.ts"
import { trackedCoins } from "../coins/trackedCoins.ts"
import { okx } from "../okx/venue.ts"
import type { DerivativesVenues } from "../stored/index.ts"
import type { CoinVenue, CoinVenueDefinition } from "../venues/CoinVenue.ts"
import { liveRetryPolicy, type LiveSettings } from "./LiveSettings.ts"

/** All coin exchanges, in order of preference. */
export const coinVenues: Arr.NonEmptyReadonlyArray<CoinVenueDefinition> = [binance, bybit, okx]

const namesOf = (venues: ReadonlyArray<CoinVenueDefinition>) => venues.map(({ name }) => name)

/** The coin exchanges with derivatives, and those that publish every liquidation. */
export const derivativesVenues: DerivativesVenues = {
  venues: namesOf(coinVenues.filter(({ sources }) => sources.perpetuals !== undefined)),
  completeTapes: namesOf(coinVenues.filter(({ hasEveryLiquidation }) => hasEveryLiquidation))
}

/** Returns the sources of one kind of data of coin exchanges, in order of preference. */
export const coinVenueSources = (kind: keyof CoinVenueDefinition["sources"]): Arr.NonEmptyReadonlyArray<string> => {
  const sources = coinVenues.flatMap((venue) => venue.sources[kind] ?? [])
  if (!Arr.isReadonlyArrayNonEmpty(sources)) throw new Error(`no coin exchange has a source of ${kind}`)
  return sources
}

/** The coin exchanges in use, in the order of `coinVenues`. */
export class CoinVenues
  extends Context.Service<CoinVenues, Arr.NonEmptyReadonlyArray<CoinVenue>>()("@tapeline/market-live/CoinVenues")
{
  static readonly layer = ({ coins = trackedCoins, reconnectPolicy = {}, retryPolicy = {}, urls = {} }: LiveSettings) =>
    Layer.effect(
      CoinVenues,
      Effect.forEach(
        coinVenues,
        ({ make }) => make({ coins, reconnectPolicy, urls, retryPolicy: { ...liveRetryPolicy, ...retryPolicy } })
      )
    )
}

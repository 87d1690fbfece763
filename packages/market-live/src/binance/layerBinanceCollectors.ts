import type { MarketStore } from "@tapeline/core/market/store"
import { Effect, Layer } from "effect"
import { type TrackedCoin, trackedCoins } from "../coins/trackedCoins.ts"
import type { Collector } from "../collect/collector.ts"
import { type CollectOptions, layerCollectors } from "../collect/layerCollectors.ts"
import type { MarketHealth } from "../collect/MarketHealth.ts"
import { binancePerpetualVenue, perpetualCollectors, type PerpetualVenue } from "../perpetuals/index.ts"
import { type ReconnectPolicy, type RetryPolicy, SourceHealth } from "../source/index.ts"
import { binanceSpotVenue, type SpotBackfillDays, spotCollectors, type SpotVenue } from "../spot/index.ts"
import { binanceOrderBookVenue, makeOrderBookCollector, type OrderBookVenue } from "../spot/orderBookCollector.ts"
import { makeBinanceDerivativesCollectors } from "./derivativesCollectors.ts"
import { binanceLiquidationsCollector } from "./liquidationsCollector.ts"
import { BinancePerpetuals, layerBinancePerpetuals } from "./perpetuals.ts"
import { perpetualsByCoin } from "./perpetualVenue.ts"
import { BinanceSpot, layerBinanceSpot } from "./spot.ts"

export interface BinanceCollectorsOptions extends CollectOptions, Partial<SpotBackfillDays> {
  /** The base URLs of Binance's spot, futures and stream hosts. Each base URL defaults to Binance's public host. */
  readonly spotUrl?: string
  readonly futuresUrl?: string
  readonly streamsUrl?: string
  readonly coins?: ReadonlyArray<TrackedCoin>
  /** The number of past days to backfill for perpetuals and taker flow. */
  readonly derivativeDays?: number
  readonly retryPolicy?: Partial<RetryPolicy>
  readonly reconnectPolicy?: Partial<ReconnectPolicy>
}

type CollectorOptions = Pick<
  BinanceCollectorsOptions,
  "coins" | "derivativeDays" | "reconnectPolicy" | "streamsUrl" | keyof SpotBackfillDays
>

interface ReplacementVenues {
  readonly spot?: ReadonlyArray<SpotVenue>
  readonly books?: ReadonlyArray<OrderBookVenue>
  readonly perpetuals?: ReadonlyArray<PerpetualVenue>
}

/**
 * Returns all collectors of Binance.
 *
 * @param replacements the replacement venues for spot markets, order books and perpetuals, in order of preference.
 */
export const binanceCollectors = (
  options: CollectorOptions,
  replacements: ReplacementVenues = {}
): Effect.Effect<ReadonlyArray<Collector>, never, BinanceSpot | BinancePerpetuals | SourceHealth> => {
  const { candleDays = 400, coins = trackedCoins, derivativeDays = 29, includeFacts = true, priceDays = 7 } = options
  const { reconnectPolicy = {}, streamsUrl } = options
  return Effect.gen(function*() {
    const [spot, futures, health] = yield* Effect.all([BinanceSpot, BinancePerpetuals, SourceHealth])
    const perpetuals = perpetualsByCoin(futures, coins)
    const streams = { ...(streamsUrl === undefined ? {} : { baseUrl: streamsUrl }), reconnectPolicy }
    return [
      ...spotCollectors([binanceSpotVenue(spot), ...replacements.spot ?? []], coins, {
        candleDays,
        priceDays,
        includeFacts
      }),
      makeOrderBookCollector([binanceOrderBookVenue(spot), ...replacements.books ?? []], coins),
      ...perpetualCollectors(
        [binancePerpetualVenue(futures, coins), ...replacements.perpetuals ?? []],
        { derivativeDays }
      ),
      ...makeBinanceDerivativesCollectors(futures, perpetuals),
      binanceLiquidationsCollector(perpetuals, streams, health)
    ]
  })
}

/**
 * Runs all collectors of Binance until the layer's scope closes. The layer is ready immediately, even without a
 * network. Unavailable data is recorded as a gap, and `MarketHealth` reports unreachable sources.
 */
export const layerBinanceCollectors = (
  { futuresUrl, retryPolicy = {}, spotUrl, ...options }: BinanceCollectorsOptions = {}
): Layer.Layer<never, never, MarketStore | MarketHealth | SourceHealth> => {
  const baseUrlOption = (baseUrl: string | undefined) => baseUrl === undefined ? {} : { baseUrl }
  return Layer.unwrap(Effect.map(binanceCollectors(options), (all) => layerCollectors(all, options))).pipe(
    Layer.provide([
      layerBinanceSpot({ ...baseUrlOption(spotUrl), retryPolicy }),
      layerBinancePerpetuals({ ...baseUrlOption(futuresUrl), retryPolicy })
    ])
  )
}

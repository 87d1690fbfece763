import type { MarketStore } from "@tapeline/core/market/store"
import { Effect, Layer } from "effect"
import { type Patience, type SocketPatience, SourceHealth } from "../../source/index.ts"
import { BinancePerpetuals, layerBinancePerpetuals } from "../../sources/binance/perpetuals.ts"
import { BinanceSpot, layerBinanceSpot } from "../../sources/binance/spot.ts"
import { binanceBookVenue, bookCollector, type BookVenue } from "../books.ts"
import type { Collector } from "../collector.ts"
import { type CollectOptions, layerCollectors } from "../layerCollectors.ts"
import type { MarketHealth } from "../MarketHealth.ts"
import { binancePerpetualVenue, perpetualCollectors, type PerpetualVenue } from "../perpetuals/index.ts"
import { binanceSpotVenue, spotCollectors, type SpotDays, type SpotVenue } from "../spot/index.ts"
import { type TrackedCoin, trackedCoins } from "../trackedCoins.ts"
import { binanceDerivativesNow } from "./documents.ts"
import { binanceLiquidationsCollector } from "./liquidations.ts"
import { perpetualsOf } from "./perpetuals.ts"

export interface BinanceCollectorsOptions extends CollectOptions, Partial<SpotDays> {
  /** The base URLs of Binance's three hosts; the public ones by default. */
  readonly spotUrl?: string
  readonly futuresUrl?: string
  readonly streamsUrl?: string
  readonly coins?: ReadonlyArray<TrackedCoin>
  /** How many days of perpetuals and taker flow are backfilled. */
  readonly derivativeDays?: number
  readonly patience?: Partial<Patience>
  readonly socketPatience?: Partial<SocketPatience>
}

type Collects = Pick<
  BinanceCollectorsOptions,
  "coins" | "derivativeDays" | "socketPatience" | "streamsUrl" | keyof SpotDays
>

interface Otherwise {
  readonly spot?: ReadonlyArray<SpotVenue>
  readonly books?: ReadonlyArray<BookVenue>
  readonly perpetuals?: ReadonlyArray<PerpetualVenue>
}

/**
 * All collectors of Binance.
 *
 * @param otherwise the replacement venues of spot markets, order books and perpetuals, preferred first.
 */
export const binanceCollectors = (
  options: Collects,
  otherwise: Otherwise = {}
): Effect.Effect<ReadonlyArray<Collector>, never, BinanceSpot | BinancePerpetuals | SourceHealth> => {
  const { candleDays = 400, coins = trackedCoins, derivativeDays = 29, facts = true, priceDays = 7 } = options
  const { socketPatience = {}, streamsUrl } = options
  return Effect.gen(function*() {
    const [spot, futures, health] = yield* Effect.all([BinanceSpot, BinancePerpetuals, SourceHealth])
    const perpetuals = perpetualsOf(futures, coins)
    const streams = { ...(streamsUrl === undefined ? {} : { baseUrl: streamsUrl }), patience: socketPatience }
    return [
      ...spotCollectors([binanceSpotVenue(spot), ...otherwise.spot ?? []], coins, { candleDays, priceDays, facts }),
      bookCollector([binanceBookVenue(spot), ...otherwise.books ?? []], coins),
      ...perpetualCollectors(
        [binancePerpetualVenue(futures, coins), ...otherwise.perpetuals ?? []],
        { derivativeDays }
      ),
      ...binanceDerivativesNow(futures, perpetuals),
      binanceLiquidationsCollector(perpetuals, streams, health)
    ]
  })
}

/**
 * Runs all collectors of Binance for as long as the layer lives. The layer is ready immediately, with or without a
 * network. Unavailable data is a gap, and `MarketHealth` reports unreachable sources.
 */
export const layerBinanceCollectors = (
  { futuresUrl, patience = {}, spotUrl, ...options }: BinanceCollectorsOptions = {}
): Layer.Layer<never, never, MarketStore | MarketHealth | SourceHealth> => {
  const at = (baseUrl: string | undefined) => baseUrl === undefined ? {} : { baseUrl }
  return Layer.unwrap(Effect.map(binanceCollectors(options), (all) => layerCollectors(all, options))).pipe(
    Layer.provide([
      layerBinanceSpot({ ...at(spotUrl), patience }),
      layerBinancePerpetuals({ ...at(futuresUrl), patience })
    ])
  )
}

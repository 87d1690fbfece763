import type { Effect, Scope } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import type { Collector } from "../collect/collector.ts"
import type { PerpetualVenue } from "../perpetuals/PerpetualVenue.ts"
import type { ReconnectPolicy, RetryPolicy, SourceHealth } from "../source/index.ts"
import type { SourceUrls } from "../source/SourceUrls.ts"
import type { OrderBookVenue } from "../spot/orderBookCollector.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"

/** A coin exchange in use. An optional part is missing if the exchange does not provide its data. */
export interface CoinVenue {
  readonly spot: SpotVenue
  readonly orderBooks?: OrderBookVenue
  readonly perpetuals?: PerpetualVenue
  /** The collectors of data that no other exchange can replace: funding, open interest, dated futures, liquidations. */
  readonly collectors: ReadonlyArray<Collector>
}

export interface CoinVenueSettings {
  readonly coins: ReadonlyArray<TrackedCoin>
  readonly urls: SourceUrls
  readonly retryPolicy: Partial<RetryPolicy>
  readonly reconnectPolicy: Partial<ReconnectPolicy>
}

/** The definition of a coin exchange. `coinVenues` lists all definitions. */
export interface CoinVenueDefinition {
  /** The name of the exchange in rows and results. */
  readonly name: string
  /** The name in `SourceHealth` of the source of each kind of data, such as `binance/spot`. */
  readonly sources: Readonly<
    Record<"spot", string> & Partial<Record<"orderBooks" | "perpetuals" | "takerFlow", string>>
  >
  /** Whether the exchange publishes every liquidation, and not only a sample. */
  readonly hasEveryLiquidation: boolean
  /** Starts the sources of the exchange. All users of one `CoinVenue` share the rate limits of its sources. */
  readonly make: (settings: CoinVenueSettings) => Effect.Effect<CoinVenue, never, SourceHealth | Scope.Scope>
}

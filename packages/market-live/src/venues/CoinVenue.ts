import type { Effect, Scope } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import type { Collector } from "../collect/collector.ts"
import type { PerpetualVenue } from "../perpetuals/PerpetualVenue.ts"
import type { ReconnectPolicy, RetryPolicy, SourceHealth } from "../source/index.ts"
import type { SourceUrls } from "../source/SourceUrls.ts"
import type { OrderBookVenue } from "../spot/orderBookCollector.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"

/**
 * The data that a coin exchange provides. A field is missing if the exchange does not provide the data of the field.
 */
export interface CoinVenue {
  readonly spot: SpotVenue
  readonly orderBooks?: OrderBookVenue
  readonly perpetuals?: PerpetualVenue
  /**
   * The collectors of the data that each exchange has for itself: funding, open interest, dated futures and
   * liquidations.
   */
  readonly collectors: ReadonlyArray<Collector>
}

export interface CoinVenueSettings {
  readonly coins: ReadonlyArray<TrackedCoin>
  readonly urls: SourceUrls
  readonly retryPolicy: Partial<RetryPolicy>
  readonly reconnectPolicy: Partial<ReconnectPolicy>
}

export interface CoinVenueDefinition {
  readonly name: string
  /** For each kind of data, the name of its source in `SourceHealth`, such as `binance/spot`. */
  readonly sources: Readonly<
    Record<"spot", string> & Partial<Record<"orderBooks" | "perpetuals" | "takerFlow", string>>
  >
  /** Whether the exchange publishes every liquidation, and not only a sample. */
  readonly hasEveryLiquidation: boolean
  /**
   * Creates the adapters of the exchange. All users of one `CoinVenue` share the rate limits of the exchange's sources.
   */
  readonly make: (settings: CoinVenueSettings) => Effect.Effect<CoinVenue, never, SourceHealth | Scope.Scope>
}

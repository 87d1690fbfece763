import type { Effect, Scope } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import type { Collector } from "../collect/collector.ts"
import type { PerpetualVenue } from "../perpetuals/PerpetualVenue.ts"
import type { ReconnectPolicy, RetryPolicy, SourceHealth } from "../source/index.ts"
import type { SourceUrls } from "../source/SourceUrls.ts"
import type { OrderBookVenue } from "../spot/orderBookCollector.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"

/** A coin exchange in use. If the exchange does not provide some data, the field for the data is missing. */
export interface CoinVenue {
  readonly spot: SpotVenue
  readonly orderBooks?: OrderBookVenue
  readonly perpetuals?: PerpetualVenue
  /**
   * The collectors of data that exists per exchange: funding, open interest, dated futures and liquidations. No other
   * exchange can replace the data.
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
  /** Starts the sources of the exchange. All users of one `CoinVenue` share the rate limits of these sources. */
  readonly make: (settings: CoinVenueSettings) => Effect.Effect<CoinVenue, never, SourceHealth | Scope.Scope>
}

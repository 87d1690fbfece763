import type { Effect, Scope } from "effect"
import type { TrackedCoin } from "../coins/trackedCoins.ts"
import type { Collector } from "../collect/collector.ts"
import type { PerpetualVenue } from "../perpetuals/PerpetualVenue.ts"
import type { ReconnectPolicy, RetryPolicy, SourceHealth } from "../source/index.ts"
import type { SourceUrls } from "../source/SourceUrls.ts"
import type { OrderBookVenue } from "../spot/orderBookCollector.ts"
import type { SpotVenue } from "../spot/SpotVenue.ts"

/** A coin exchange in use, without the optional parts whose data the exchange does not provide. */
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

export interface CoinVenueDefinition {
  readonly name: string
  /** The name in `SourceHealth` of the source of each kind of data, such as `binance/spot`. */
  readonly sources: Readonly<
    Record<"spot", string> & Partial<Record<"orderBooks" | "perpetuals" | "takerFlow", string>>
  >
  /** Whether the exchange publishes every liquidation, and not only a sample. */
  readonly hasEveryLiquidation: boolean
  /** Starts the sources of the exchange, whose rate limits all users of one `CoinVenue` share. */
  readonly make: (settings: CoinVenueSettings) => Effect.Effect<CoinVenue, never, SourceHealth | Scope.Scope>
}

import type { MarketPorts } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Effect, Layer } from "effect"
import { layerCollectors, MarketHealth } from "../collect/index.ts"
import { SourceHealth } from "../source/index.ts"
import { layerSourceLog } from "./layerSourceLog.ts"
import { layerSourceMetrics } from "./layerSourceMetrics.ts"
import { layerSources } from "./layerSources.ts"
import { liveCollectors } from "./liveCollectors.ts"
import { layerLivePorts } from "./livePorts.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { reportNoNetwork } from "./reportNoNetwork.ts"
import { defaultRetention, layerRetention, limitToRetention } from "./retention.ts"

/**
 * Provides every market port from live sources, and runs the collectors until the layer's scope closes. The layer is
 * ready immediately, even without a network.
 */
export const layerLiveMarket = (
  settings: LiveSettings = {}
): Layer.Layer<MarketPorts | MarketHealth | SourceHealth, never, MarketStore> => {
  const retention = { ...defaultRetention, ...settings.retention }
  const layerCollecting = Layer.unwrap(
    Effect.map(
      liveCollectors(settings),
      (collectors) => layerCollectors(collectors.map(limitToRetention(retention)), settings.collect)
    )
  )
  const background = Layer.mergeAll(layerRetention(retention, settings.collect), layerSourceMetrics, layerSourceLog)
  return Layer.mergeAll(reportNoNetwork(layerLivePorts(settings)), layerCollecting, background).pipe(
    Layer.provide(layerSources(settings)),
    Layer.provideMerge(MarketHealth.layer),
    Layer.provideMerge(SourceHealth.layer)
  )
}

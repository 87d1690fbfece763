import type { MarketPorts } from "@tapeline/core/market"
import type { MarketStore } from "@tapeline/core/market/store"
import { Effect, Layer } from "effect"
import { layerCollectors, MarketHealth } from "../collect/index.ts"
import { SourceHealth } from "../source/index.ts"
import { liveCollectors } from "./collectors.ts"
import type { LiveSettings } from "./LiveSettings.ts"
import { livePorts } from "./ports.ts"
import { reportNoNetwork } from "./reportNoNetwork.ts"
import { defaultRetention, layerRetention, withinRetention } from "./retention.ts"
import { layerSourceMeasures } from "./sourceMeasures.ts"
import { layerSourceNews } from "./sourceNews.ts"
import { layerSources } from "./sources.ts"

/**
 * The market from live sources: the sources, their collectors for as long as the layer lives, and every port. The layer
 * is ready immediately, with or without a network. `MarketHealth` reports sources that cannot be reached.
 */
export const layerLiveMarket = (
  settings: LiveSettings = {}
): Layer.Layer<MarketPorts | MarketHealth | SourceHealth, never, MarketStore> => {
  const retention = { ...defaultRetention, ...settings.retention }
  const collecting = Layer.unwrap(
    Effect.map(
      liveCollectors(settings),
      (collectors) => layerCollectors(collectors.map(withinRetention(retention)), settings.collect)
    )
  )
  const beside = Layer.mergeAll(layerRetention(retention, settings.collect), layerSourceMeasures, layerSourceNews)
  return Layer.mergeAll(reportNoNetwork(livePorts(settings)), collecting, beside).pipe(
    Layer.provide(layerSources(settings)),
    Layer.provideMerge(MarketHealth.layer),
    Layer.provideMerge(SourceHealth.layer)
  )
}

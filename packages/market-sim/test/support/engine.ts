import { layerCharts } from "@tapeline/charts"
import { DerivedStore, type MarketPorts, Toolbox, tools } from "@tapeline/core"
import { layerNewsSearch } from "@tapeline/core/analysis"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { layerSandbox } from "@tapeline/sandbox"
import {
  MemoryArtifactStore,
  MemoryJournalStore,
  MemoryNotificationStore,
  MemoryState,
  MemoryTaskStore
} from "@tapeline/testing"
import { layerToolCaller } from "@tapeline/testing/toolCalls"
import { Layer } from "effect"

/** Provides tool calls without the engine's background work, because tests advance the clock from 1970 to 2026. */
export const layerEngineOver = (market: Layer.Layer<MarketPorts>, charts: Layer.Layer<never> = layerCharts) =>
  layerToolCaller(Toolbox.layer(tools)).pipe(
    Layer.provide(Layer.mergeAll(charts, MemoryArtifactStore)),
    Layer.provide(Layer.mergeAll(MemoryJournalStore, MemoryTaskStore, MemoryNotificationStore)),
    Layer.provide(MemoryState.layer),
    Layer.provideMerge(
      Layer.mergeAll(
        DerivedStore.layer,
        layerSandbox({ sandboxes: 2 }),
        Layer.provide(layerNewsSearch, LocalEmbeddings)
      )
    ),
    Layer.provideMerge(market)
  )

export * from "./collector.ts"
export { type CollectOptions, layerCollectors } from "./layerCollectors.ts"
export * from "./MarketHealth.ts"
export { type CollectPace, defaultCollectPace } from "./pacing.ts"

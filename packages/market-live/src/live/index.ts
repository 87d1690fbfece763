export { layerLiveMarket } from "./layerLiveMarket.ts"
export { livePatience, type LiveSettings, type SourceKeys, type SourceUrls } from "./LiveSettings.ts"
export { type Probed, probeSources } from "./probe.ts"
export { defaultRetention, type KindName, layerRetention, type Retention } from "./retention.ts"

export { layerLiveMarket } from "./layerLiveMarket.ts"
export { livePatience, type LiveSettings, type SourceUrls } from "./LiveSettings.ts"
export { defaultRetention, type KindName, layerRetention, type Retention } from "./retention.ts"

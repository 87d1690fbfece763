export { layerLiveMarket } from "./layerLiveMarket.ts"
export { livePatience, type LiveSettings, type SourceUrls } from "./LiveSettings.ts"

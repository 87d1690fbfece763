export { type BinanceCollectorsOptions, layerBinanceCollectors } from "./layerBinanceCollectors.ts"
export { binanceSpotCollectors } from "./spot.ts"

export { binanceCollectors, type BinanceCollectorsOptions, layerBinanceCollectors } from "./layerBinanceCollectors.ts"
export { binanceSpotCollectors } from "./spot.ts"

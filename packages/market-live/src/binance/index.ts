export { binanceCollectors, type BinanceCollectorsOptions, layerBinanceCollectors } from "./layerBinanceCollectors.ts"

export { binanceLiquidationsCollector } from "./liquidations.ts"
export { binancePerpetualCollectors, perpetualsOf } from "./perpetuals.ts"
export { binanceSpotCollectors } from "./spot.ts"

export * from "./source/index.ts"
export { type KlineInterval, klineMs } from "./sources/binance/klines.ts"
export * from "./sources/binance/spot.ts"

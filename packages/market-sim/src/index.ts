export * from "./coin/CoinMarket.ts"
export * from "./coin/coins.ts"
export * as SimMarket from "./SimMarket.ts"
export * from "./world.ts"

export * from "./coin/coinMarket.ts"
export * from "./coin/coins.ts"
export * as SimMarket from "./SimMarket.ts"
export * from "./world.ts"

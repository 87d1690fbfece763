export * as SimMarket from "./SimMarket.ts"
export * from "./coin-market.ts"
export * from "./coins.ts"
export * from "./world.ts"

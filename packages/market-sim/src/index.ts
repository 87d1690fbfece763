export * from "./coinMarket.ts"
export * from "./coins.ts"
export * as SimMarket from "./SimMarket.ts"
export * from "./world.ts"

export { bybitCollectors } from "./bybit.ts"
export { okxCollectors } from "./okx.ts"

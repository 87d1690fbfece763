export { bybitCollectors } from "../bybit/collectors.ts"
export { okxCollectors } from "../okx/collectors.ts"

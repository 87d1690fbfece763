export { binanceSpot } from "./binance/spot.ts"
export * from "./faults.ts"
export { HurriedClock } from "./HurriedClock.ts"
export { makeWireServer, type Speaks, type WireAnswer, type WireRequest, type WireServer } from "./WireServer.ts"

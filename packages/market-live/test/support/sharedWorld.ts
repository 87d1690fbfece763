import { makeWorld, SimMarket } from "@tapeline/market-sim"

/** The simulated world behind the fake sources, which all test files share, so that a worker computes a candle once. */
export const sharedWorld = makeWorld("deribit", 262_144)

export const sharedPorts = SimMarket.makePorts(sharedWorld)

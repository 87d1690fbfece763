import { makeWorld, SimMarket } from "@tapeline/market-sim"

/**
 * The simulated world behind the fake sources. All test files share one world, so that each candle is computed only
 * once per worker.
 */
export const sharedWorld = makeWorld("deribit", 262_144)

export const sharedPorts = SimMarket.makePorts(sharedWorld)

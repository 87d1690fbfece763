import { coinSpecs, makeWorld, SimMarket } from "@tapeline/market-sim"

const few = "BTC ETH SOL XRP DOGE LINK LTC UNI SHIB PEPE BNB OP USDT USDC".split(" ")

/** The ports of a simulated world of few coins: its fake sources list no coin that the tests do not read. */
export const portsOfFewCoins = (seed: string, names: ReadonlyArray<string> = few) =>
  SimMarket.portsOf(makeWorld(seed, undefined, coinSpecs.filter(({ coin }) => names.includes(coin))))

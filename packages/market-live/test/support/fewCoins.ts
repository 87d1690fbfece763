import { coinSpecs, makeWorld, SimMarket } from "@tapeline/market-sim"

/** Creates the ports of a simulated world with only the given coins, so that fake sources list no other coins. */
export const portsOfCoins = (names: ReadonlyArray<string>) =>
  SimMarket.makePorts(makeWorld("binance", undefined, coinSpecs.filter(({ coin }) => names.includes(coin))))

export const portsOfFewCoins = portsOfCoins(
  "BTC ETH SOL XRP DOGE LINK LTC UNI SHIB PEPE BNB OP USDT USDC".split(" ")
)

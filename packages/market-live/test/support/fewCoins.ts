import { coinSpecs, makeWorld, SimMarket } from "@tapeline/market-sim"

/** The ports of a simulated world of these coins: its fake sources list no coin that the tests do not read. */
export const portsOfCoins = (names: ReadonlyArray<string>) =>
  SimMarket.makePorts(makeWorld("binance", undefined, coinSpecs.filter(({ coin }) => names.includes(coin))))

/** The ports of a world of few coins, which test files share. */
export const portsOfFewCoins = portsOfCoins(
  "BTC ETH SOL XRP DOGE LINK LTC UNI SHIB PEPE BNB OP USDT USDC".split(" ")
)

import { coinSpecs, makeWorld, SimMarket } from "@tapeline/market-sim"

const names = "BTC ETH SOL XRP DOGE LINK LTC UNI SHIB PEPE BNB OP USDT USDC".split(" ")
const coins = coinSpecs.filter(({ coin }) => names.includes(coin))

/** The ports of a simulated world of few coins: its fake sources list no coin that the tests do not read. */
export const portsOfFewCoins = (seed: string) => SimMarket.portsOf(makeWorld(seed, undefined, coins))

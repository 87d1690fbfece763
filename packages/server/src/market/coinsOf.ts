import { defaultStocks, type LiveSettings, trackedCoins } from "@tapeline/market-live"
import type { LiveMarketSettings } from "./liveSettings.ts"

/**
 * The settings as the package knows them: a coin that it does not know by name is told by its symbol, and of a country
 * of which no stocks are named there are its own.
 */
export const coinsOf = ({ coinNames, stockNames, ...settings }: LiveMarketSettings): LiveSettings => {
  const live = { ...settings, stocks: { ...defaultStocks, ...stockNames } }
  if (coinNames === undefined) return live
  const known = new Map(trackedCoins.map((coin) => [coin.coin, coin]))
  return { ...live, coins: coinNames.map((coin) => known.get(coin) ?? { coin, name: coin, sector: "other" }) }
}

import { type LiveSettings, trackedCoins } from "@tapeline/market-live"
import type { LiveMarketSettings } from "./liveSettings.ts"

/** The settings as the package knows them: a coin that it does not know by name is told by its symbol. */
export const coinsOf = ({ coinNames, ...settings }: LiveMarketSettings): LiveSettings => {
  if (coinNames === undefined) return settings
  const known = new Map(trackedCoins.map((coin) => [coin.coin, coin]))
  return { ...settings, coins: coinNames.map((coin) => known.get(coin) ?? { coin, name: coin, sector: "other" }) }
}

import {
  defaultStocks,
  type LiveSettings,
  type NewsFeedSource,
  parseNewsFeeds,
  trackedCoins
} from "@tapeline/market-live"
import { Result } from "effect"
import type { LiveMarketSettings } from "./liveSettings.ts"

/** Reads the list of feeds. A problem of the whole list, such as a repeated name, stops the start. */
const parseFeeds = (list: string): ReadonlyArray<NewsFeedSource> =>
  Result.getOrThrowWith(parseNewsFeeds(list), (reason) => new Error(`TAPELINE_NEWS_FEEDS: ${reason}`))

/**
 * Converts the settings to those of `@tapeline/market-live`. A coin that the package does not know has its symbol as
 * its name. A country without named stocks has the package's default stocks.
 */
export const toLiveSettings = (
  { coinNames, feedList, stockNames, warnings: _, ...settings }: LiveMarketSettings
): LiveSettings => {
  const live = {
    ...settings,
    stocks: { ...defaultStocks, ...stockNames },
    ...(feedList === undefined ? {} : { newsFeeds: parseFeeds(feedList) })
  }
  if (coinNames === undefined) return live
  const coinsByName = new Map(trackedCoins.map((coin) => [coin.coin, coin]))
  return { ...live, coins: coinNames.map((coin) => coinsByName.get(coin) ?? { coin, name: coin, sector: "other" }) }
}

import { defaultStocks, type LiveSettings, newsFeedsOf, type NewsFeedSource, trackedCoins } from "@tapeline/market-live"
import { Result } from "effect"
import type { LiveMarketSettings } from "./liveSettings.ts"

/** Reads the list of feeds. A problem of the whole list, such as a repeated name, stops the start. */
const feedsOf = (list: string): ReadonlyArray<NewsFeedSource> =>
  Result.getOrThrowWith(newsFeedsOf(list), (reason) => new Error(`TAPELINE_NEWS_FEEDS: ${reason}`))

/**
 * Converts the settings to those of `@tapeline/market-live`. A coin that the package does not know has its symbol as
 * its name. A country without named stocks has the package's default stocks.
 */
export const coinsOf = (
  { coinNames, feedList, stockNames, unused: _, ...settings }: LiveMarketSettings
): LiveSettings => {
  const live = {
    ...settings,
    stocks: { ...defaultStocks, ...stockNames },
    ...(feedList === undefined ? {} : { newsFeeds: feedsOf(feedList) })
  }
  if (coinNames === undefined) return live
  const known = new Map(trackedCoins.map((coin) => [coin.coin, coin]))
  return { ...live, coins: coinNames.map((coin) => known.get(coin) ?? { coin, name: coin, sector: "other" }) }
}

import { defaultStocks, type LiveSettings, newsFeedsOf, type NewsFeedSource, trackedCoins } from "@tapeline/market-live"
import { Result } from "effect"
import type { LiveMarketSettings } from "./liveSettings.ts"

/** What is wrong with feeds as a whole, a name that is there twice, stops the start. */
const feedsOf = (list: string): ReadonlyArray<NewsFeedSource> =>
  Result.getOrThrowWith(newsFeedsOf(list), (reason) => new Error(`TAPELINE_NEWS_FEEDS: ${reason}`))

/**
 * The settings as the package knows them: a coin that it does not know by name is told by its symbol, and of a country
 * of which no stocks are named there are its own.
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

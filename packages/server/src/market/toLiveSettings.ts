import {
  defaultStocks,
  type LiveSettings,
  type NewsFeedSource,
  parseNewsFeeds,
  trackedCoins
} from "@tapeline/market-live"
import { Result } from "effect"
import type { LiveMarketSettings } from "./liveSettings.ts"

/** Parses the list of news feeds, and throws if the list is invalid, for example because of a duplicate name. */
const parseFeeds = (list: string): ReadonlyArray<NewsFeedSource> =>
  Result.getOrThrowWith(parseNewsFeeds(list), (reason) => new Error(`TAPELINE_NEWS_FEEDS: ${reason}`))

/**
 * Converts the server's market settings to the settings of `@tapeline/market-live`. The name of an unknown coin is its
 * symbol, and a country without configured stocks gets the default stocks.
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

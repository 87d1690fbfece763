import { Context } from "effect"
import type { Article } from "./news.ts"
import type { MarketRead } from "./reading.ts"
import type { Interval } from "./series.ts"

/** Published articles, as stored; what `CoinPrices` says of all stored market data holds here. */
export class NewsFeed extends Context.Service<NewsFeed, {
  /**
   * Articles, optionally only those about one coin or one equity symbol, at most `limit` (default 1,000); the newest
   * ones are kept. Empty when none is.
   */
  readonly articles: (
    query: { readonly coin?: string; readonly symbol?: string; readonly limit?: number } & Interval
  ) => MarketRead<ReadonlyArray<Article>>
}>()("@tapeline/core/market/NewsFeed") {}

import { Context } from "effect"
import type { Article } from "./news.ts"
import type { MarketRead } from "./reading.ts"
import type { Interval } from "./series.ts"

/** Stored news articles. `CoinPrices` documents the rules of stored market data. */
export class NewsFeed extends Context.Service<NewsFeed, {
  /**
   * Returns the newest articles in the interval, at most `limit` (default 1,000). `coin` or `symbol` selects articles
   * about one instrument.
   */
  readonly articles: (
    query: { readonly coin?: string; readonly symbol?: string; readonly limit?: number } & Interval
  ) => MarketRead<ReadonlyArray<Article>>
}>()("@tapeline/core/market/NewsFeed") {}

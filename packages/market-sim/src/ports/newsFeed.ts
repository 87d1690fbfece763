import { type Article, dayMs, NewsFeed, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { News } from "../news/articles.ts"
import type { World } from "../world.ts"
import { findListedCoin } from "./lookup.ts"
import { getNewestTime, simulatedReading } from "./source.ts"

const defaultLimit = 1_000
/** The time from which the simulated market has news articles. */
const firstArticleTime = Date.UTC(2020, 0, 3)

export const makeNewsFeed = (world: World): NewsFeed["Service"] => {
  const news = new News(world)
  return NewsFeed.of({
    articles: Effect.fnUntraced(function*({ coin, symbol, from, to, limit }) {
      const now = yield* Clock.currentTimeMillis
      if (coin !== undefined) yield* findListedCoin(world, coin)
      if (symbol !== undefined && world.equities.getStock(symbol) === undefined) {
        return yield* new UnknownSymbol({ symbol })
      }
      const first = Math.max(from, firstArticleTime)
      const end = Math.min(to, now + 1)
      const maxArticles = limit ?? defaultLimit
      let articles: ReadonlyArray<Article> = []
      for (let day = Math.floor((end - 1) / dayMs); (day + 1) * dayMs > first && articles.length < maxArticles; day--) {
        // The code lets other fibers run before it computes a day that is not cached.
        if (!news.hasCachedDay(day)) yield* Effect.yieldNow
        const query = {
          from: Math.max(first, day * dayMs),
          to: Math.min(end, (day + 1) * dayMs),
          limit: maxArticles - articles.length,
          coin,
          symbol
        }
        articles = [...news.getArticles(query), ...articles]
      }
      return simulatedReading(articles, getNewestTime(articles, now))
    })
  })
}

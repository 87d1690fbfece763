/**
 * Articles behind core's `NewsFeed`.
 */
import { NewsFeed, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { News } from "../news/articles.ts"
import type { World } from "../world.ts"
import { listedCoin } from "./lookup.ts"
import { newestOf, simulated } from "./source.ts"

const defaultLimit = 1_000
/** Nothing was published before the markets opened. */
const firstIssue = Date.UTC(2020, 0, 3)

/** `NewsFeed` of a world. */
export const newsFeed = (world: World): NewsFeed["Service"] => {
  const news = new News(world)
  return NewsFeed.of({
    articles: Effect.fnUntraced(function*({ coin, symbol, from, to, limit }) {
      const now = yield* Clock.currentTimeMillis
      if (coin !== undefined) yield* listedCoin(world, coin)
      if (symbol !== undefined && world.equities.stock(symbol) === undefined) {
        return yield* new UnknownSymbol({ symbol })
      }
      const articles = news.articles({
        from: Math.max(from, firstIssue),
        to: Math.min(to, now + 1),
        limit: limit ?? defaultLimit,
        coin,
        symbol
      })
      return simulated(articles, newestOf(articles, now))
    })
  })
}

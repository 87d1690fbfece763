/**
 * The part of `MarketStore` about news.
 */
import { type MarketStore, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { News } from "../news/articles.ts"
import type { World } from "../world.ts"
import { listedCoin } from "./lookup.ts"

const defaultLimit = 1_000
/** Nothing was published before the markets opened. */
const firstIssue = Date.UTC(2020, 0, 3)

export const newsPart = (world: World): Pick<MarketStore["Service"], "news"> => {
  const news = new News(world)
  return {
    news: Effect.fnUntraced(function*({ coin, symbol, from, to, limit }) {
      const now = yield* Clock.currentTimeMillis
      if (coin !== undefined) yield* listedCoin(world, coin)
      if (symbol !== undefined && world.equities.stock(symbol) === undefined) {
        return yield* new UnknownSymbol({ symbol })
      }
      return news.articles({
        from: Math.max(from, firstIssue),
        to: Math.min(to, now + 1),
        limit: limit ?? defaultLimit,
        coin,
        symbol
      })
    })
  }
}

/**
 * The part of `MarketStore` about social posts.
 */
import type { MarketStore } from "@tapeline/core/market"
import { Effect } from "effect"
import { Posts } from "../social/Posts.ts"
import type { World } from "../world.ts"
import { listedCoin, orNoData } from "./lookup.ts"
import { buckets } from "./steps.ts"

const defaultLimit = 1_000

export const socialPart = (world: World): Pick<MarketStore["Service"], "socialPosts" | "socialActivity"> => {
  const posts = new Posts(world)
  return {
    socialPosts: ({ coin, from, to, limit }) =>
      Effect.map(
        listedCoin(world, coin),
        ({ market, now }) => posts.posts(market, from, Math.min(to, now + 1), limit ?? defaultLimit)
      ),
    socialActivity: Effect.fnUntraced(function*(query) {
      const { market, now } = yield* listedCoin(world, query.coin)
      const from = Math.max(query.from, market.listedAt)
      const series = buckets({ ...query, from }, now).map((time) =>
        posts.activity(market, time, Math.min(time + query.stepMs, now + 1))
      )
      return yield* orNoData(series, query.coin, "social posts")
    })
  }
}

/** Implements core's `SocialFeed`. */
import { SocialFeed, type Stepped } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { Posts } from "../social/Posts.ts"
import type { World } from "../world.ts"
import { listedCoin, orNoData } from "./lookup.ts"
import { recordedOf } from "./recorded.ts"
import { newestOf, simulated } from "./source.ts"
import { buckets } from "./steps.ts"

const defaultLimit = 1_000

/** The `SocialFeed` port of a world. */
export const socialFeed = (world: World): SocialFeed["Service"] => {
  const posts = new Posts(world)
  const activityOf = (market: CoinMarket, query: Stepped, now: number) =>
    buckets({ ...query, from: Math.max(query.from, market.listedAt) }, now).map((time) =>
      posts.activity(market, time, Math.min(time + query.stepMs, now + 1))
    )
  return SocialFeed.of({
    posts: ({ coin, from, to, limit }) =>
      Effect.map(listedCoin(world, coin), ({ market, now }) => {
        const found = posts.posts(market, from, Math.min(to, now + 1), limit ?? defaultLimit)
        return simulated(found, newestOf(found, now))
      }),
    activity: Effect.fnUntraced(function*(query) {
      const { market, now } = yield* listedCoin(world, query.coin)
      const points = activityOf(market, query, now)
      yield* orNoData(points, query.coin, "social posts")
      return simulated({ points, gaps: [] }, Math.min(now, points.at(-1)!.time + query.stepMs))
    }),
    recorded: recordedOf(world),
    activityByCoin: (query) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const all = world.markets
          .filter(({ listedAt }) => listedAt <= now)
          .map((market) => ({ coin: market.spec.coin, points: activityOf(market, query, now), gaps: [] }))
          .filter(({ points }) => points.length > 0)
        const last = Math.max(...all.map(({ points }) => points.at(-1)!.time))
        return simulated(
          all.sort((a, b) => a.coin < b.coin ? -1 : 1),
          all.length === 0 ? now : Math.min(now, last + query.stepMs)
        )
      })
  })
}

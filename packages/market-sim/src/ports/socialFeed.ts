import { SocialFeed, type SteppedInterval } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { Posts } from "../social/Posts.ts"
import type { World } from "../world.ts"
import { findListedCoin, requireData } from "./lookup.ts"
import { getBuckets } from "./queryTimes.ts"
import { makeRecordedRead } from "./recorded.ts"
import { getNewestTime, simulatedReading } from "./source.ts"

const defaultLimit = 1_000

export const makeSocialFeed = (world: World): SocialFeed["Service"] => {
  const posts = new Posts(world)
  const getActivity = (market: CoinMarket, query: SteppedInterval, now: number) =>
    getBuckets({ ...query, from: Math.max(query.from, market.listedAt) }, now).map((time) =>
      posts.getActivity(market, time, Math.min(time + query.stepMs, now + 1))
    )
  return SocialFeed.of({
    posts: ({ coin, from, to, limit }) =>
      Effect.map(findListedCoin(world, coin), ({ market, now }) => {
        const found = posts.getPosts(market, from, Math.min(to, now + 1), limit ?? defaultLimit)
        return simulatedReading(found, getNewestTime(found, now))
      }),
    activity: Effect.fnUntraced(function*(query) {
      const { market, now } = yield* findListedCoin(world, query.coin)
      const points = getActivity(market, query, now)
      yield* requireData(points, query.coin, "social posts")
      return simulatedReading({ points, gaps: [] }, Math.min(now, points.at(-1)!.time + query.stepMs))
    }),
    watermarks: makeRecordedRead(world),
    activityByCoin: (query) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const all = world.markets
          .filter(({ listedAt }) => listedAt <= now)
          .map((market) => ({ coin: market.spec.coin, points: getActivity(market, query, now), gaps: [] }))
          .filter(({ points }) => points.length > 0)
        const last = Math.max(...all.map(({ points }) => points.at(-1)!.time))
        return simulatedReading(
          all.sort((a, b) => a.coin < b.coin ? -1 : 1),
          all.length === 0 ? now : Math.min(now, last + query.stepMs)
        )
      })
  })
}

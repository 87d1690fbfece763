import {
  type DexActivity,
  type Gap,
  type Interval,
  makeReading,
  mapReading,
  type MarketRead,
  minuteMs,
  type NewsFeed,
  type OnchainFlows,
  type OrderBooks,
  type Reading,
  type SocialFeed,
  type SocialPost,
  type SteppedInterval
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import {
  clipGaps,
  type DefectRules,
  degradeRecordedRead,
  isTouchedByGap,
  noDataError,
  readAsRecorded
} from "./defects.ts"

/** Returns the newest recorded events, with the time of the last event as `asOf`. */
const filterEvents = <A extends { readonly time: number }>(
  { asOf, sources, value }: Reading<ReadonlyArray<A>>,
  gaps: ReadonlyArray<Gap>,
  limit: number
): Reading<ReadonlyArray<A>> => {
  const remaining = value.filter(({ time }) => !isTouchedByGap(gaps, time, time + 1))
  return makeReading(remaining.slice(Math.max(0, remaining.length - limit)), sources, remaining.at(-1)?.time ?? asOf)
}

/** Removes buckets that are completely inside a gap. Computes buckets again that are partly inside a gap. */
const recountBuckets = Effect.fnUntraced(function*<A extends { readonly time: number }>(
  points: ReadonlyArray<A>,
  gaps: ReadonlyArray<Gap>,
  { stepMs }: SteppedInterval,
  recountBucket: (bucket: Interval) => Effect.Effect<A, Effect.Error<MarketRead<A>>>
) {
  const remaining: Array<A> = []
  for (const point of points) {
    const bucket = { from: point.time, to: point.time + stepMs }
    if (!isTouchedByGap(gaps, bucket.from, bucket.to)) remaining.push(point)
    else if (!gaps.some(({ from, to }) => from <= bucket.from && bucket.to <= to)) {
      remaining.push(yield* recountBucket(bucket))
    }
  }
  return remaining
})

/**
 * Returns a post without some of its facts. A post in a channel loses the facts about the channel's account. A post in
 * a forum loses its likes and reposts.
 */
const degradePost = (post: SocialPost): SocialPost => {
  switch (post.platform) {
    case "channel":
      return {
        ...post,
        account: { ...post.account, createdAt: null, followers: null, following: null, postCount: null }
      }
    case "forum":
      return { ...post, likes: null, reposts: null }
    default:
      return post
  }
}

export const degradeSocial = (feed: SocialFeed["Service"], defects: DefectRules): SocialFeed["Service"] => {
  const posts: SocialFeed["Service"]["posts"] = Effect.fnUntraced(function*({ limit = 1_000, ...query }) {
    const gaps = gapsOf(yield* Clock.currentTimeMillis)
    const all = yield* feed.posts({ ...query, limit: Number.MAX_SAFE_INTEGER })
    return mapReading(filterEvents(all, gaps, limit), (remaining) => remaining.map(degradePost))
  })
  const gapsOf = defects.gapsAt

  const countPosts = (time: number, posts: ReadonlyArray<SocialPost>) => {
    const sentiments = posts.flatMap(({ sentiment }) => sentiment ?? [])
    return {
      time,
      mentions: posts.length,
      authors: new Set(posts.map(({ account }) => account.handle)).size,
      sentiment: sentiments.length === 0 ? null : sentiments.reduce((sum, tone) => sum + tone, 0) / sentiments.length
    }
  }

  const activity: SocialFeed["Service"]["activity"] = Effect.fnUntraced(function*(query) {
    const gaps = gapsOf(yield* Clock.currentTimeMillis)
    const { asOf, sources, value } = yield* feed.activity(query)
    const points = yield* recountBuckets(value.points, gaps, query, (bucket) =>
      Effect.map(
        posts({ coin: query.coin, limit: Number.MAX_SAFE_INTEGER, ...bucket }),
        (posts) => countPosts(bucket.from, posts.value)
      ))
    if (points.length === 0) return yield* noDataError(query.coin)
    return makeReading(
      { points, gaps: clipGaps(gaps, query) },
      sources,
      Math.min(asOf, points.at(-1)!.time + query.stepMs)
    )
  })

  return {
    posts,
    activity,
    watermarks: degradeRecordedRead(defects, feed.watermarks),
    activityByCoin: Effect.fnUntraced(function*(query) {
      const all = yield* feed.activityByCoin(query)
      const coins = yield* Effect.forEach(all.value, ({ coin }) =>
        activity({ coin, ...query }).pipe(
          Effect.map(({ asOf, value }) => [{ asOf, one: { coin, ...value } }]),
          Effect.catchTag("NoData", () => Effect.succeed([]))
        ))
      const posts = coins.flat()
      const newest = posts.length === 0 ? all.asOf : Math.max(...posts.map(({ asOf }) => asOf))
      return makeReading(posts.map(({ one }) => one), all.sources, newest)
    })
  }
}

export const degradeNews = (feed: NewsFeed["Service"], defects: DefectRules): NewsFeed["Service"] => ({
  articles: Effect.fnUntraced(function*({ limit = 1_000, ...query }) {
    const gaps = defects.gapsAt(yield* Clock.currentTimeMillis)
    const all = yield* feed.articles({ ...query, limit: Number.MAX_SAFE_INTEGER })
    return mapReading(
      filterEvents(all, gaps, limit),
      (remaining) => remaining.map((article) => article.language === "ru" ? { ...article, sentiment: null } : article)
    )
  })
})

export const degradeBooks = (books: OrderBooks["Service"], defects: DefectRules): OrderBooks["Service"] => ({
  orderBook: (coin) => readAsRecorded(defects, books.orderBook(coin))
})

const fineMs = 5 * minuteMs

export const degradeOnchain = (flows: OnchainFlows["Service"], defects: DefectRules): OnchainFlows["Service"] => ({
  dexActivity: Effect.fnUntraced(function*(query) {
    const gaps = defects.gapsAt(yield* Clock.currentTimeMillis)
    const { asOf, sources, value } = yield* flows.dexActivity(query)
    const points = yield* recountBuckets(value.points, gaps, query, ({ from, to }) =>
      Effect.map(
        flows.dexActivity({ coin: query.coin, from, to, stepMs: fineMs }),
        (fineActivity): DexActivity =>
          fineActivity.value.points
            .filter(({ time }) => !isTouchedByGap(gaps, time, time + fineMs))
            .reduce((sum, { buyUsd, sellUsd, trades }) => ({
              time: from,
              buyUsd: sum.buyUsd + buyUsd,
              sellUsd: sum.sellUsd + sellUsd,
              trades: sum.trades + trades
            }), { time: from, buyUsd: 0, sellUsd: 0, trades: 0 })
      ))
    if (points.length === 0) return yield* noDataError(query.coin)
    const known = Math.min(asOf, points.at(-1)!.time + query.stepMs)
    return makeReading({ points, gaps: clipGaps(gaps, query), coverage: value.coverage }, sources, known)
  })
})

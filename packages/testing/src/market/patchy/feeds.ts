import {
  type DexActivity,
  type Gap,
  type Interval,
  mapReading,
  type MarketRead,
  minuteMs,
  type NewsFeed,
  type OnchainFlows,
  type OrderBooks,
  type Reading,
  reading,
  type SocialFeed,
  type SocialPost,
  type Stepped
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { asRecorded, nothingRecorded, type Patched, recordedLess, touched, within } from "./patches.ts"

/** The newest recorded events. The reading is as of the last one. */
const eventsLeft = <A extends { readonly time: number }>(
  { asOf, sources, value }: Reading<ReadonlyArray<A>>,
  gaps: ReadonlyArray<Gap>,
  limit: number
): Reading<ReadonlyArray<A>> => {
  const left = value.filter(({ time }) => !touched(gaps, time, time + 1))
  return reading(left.slice(Math.max(0, left.length - limit)), sources, left.at(-1)?.time ?? asOf)
}

/** Omits buckets that lie entirely in a gap, and recounts those that a gap touches from recorded data. */
const recount = Effect.fnUntraced(function*<A extends { readonly time: number }>(
  points: ReadonlyArray<A>,
  gaps: ReadonlyArray<Gap>,
  { stepMs }: Stepped,
  again: (bucket: Interval) => Effect.Effect<A, Effect.Error<MarketRead<A>>>
) {
  const left: Array<A> = []
  for (const point of points) {
    const bucket = { from: point.time, to: point.time + stepMs }
    if (!touched(gaps, bucket.from, bucket.to)) left.push(point)
    else if (!gaps.some(({ from, to }) => from <= bucket.from && bucket.to <= to)) left.push(yield* again(bucket))
  }
  return left
})

/** A post with the facts that its platform reports: channels have no accounts, and forums count no likes. */
const toldBy = (post: SocialPost): SocialPost => {
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

export const patchSocial = (feed: SocialFeed["Service"], patched: Patched): SocialFeed["Service"] => {
  const posts: SocialFeed["Service"]["posts"] = Effect.fnUntraced(function*({ limit = 1_000, ...query }) {
    const gaps = gapsOf(yield* Clock.currentTimeMillis)
    const all = yield* feed.posts({ ...query, limit: Number.MAX_SAFE_INTEGER })
    return mapReading(eventsLeft(all, gaps, limit), (left) => left.map(toldBy))
  })
  const gapsOf = patched.gapsAt

  const counted = (time: number, found: ReadonlyArray<SocialPost>) => {
    const tones = found.flatMap(({ sentiment }) => sentiment ?? [])
    return {
      time,
      mentions: found.length,
      authors: new Set(found.map(({ account }) => account.handle)).size,
      sentiment: tones.length === 0 ? null : tones.reduce((sum, tone) => sum + tone, 0) / tones.length
    }
  }

  const activity: SocialFeed["Service"]["activity"] = Effect.fnUntraced(function*(query) {
    const gaps = gapsOf(yield* Clock.currentTimeMillis)
    const { asOf, sources, value } = yield* feed.activity(query)
    const points = yield* recount(value.points, gaps, query, (bucket) =>
      Effect.map(
        posts({ coin: query.coin, limit: Number.MAX_SAFE_INTEGER, ...bucket }),
        (found) => counted(bucket.from, found.value)
      ))
    if (points.length === 0) return yield* nothingRecorded(query.coin)
    return reading({ points, gaps: within(gaps, query) }, sources, Math.min(asOf, points.at(-1)!.time + query.stepMs))
  })

  return {
    posts,
    activity,
    recorded: recordedLess(patched, feed.recorded),
    activityByCoin: Effect.fnUntraced(function*(query) {
      const all = yield* feed.activityByCoin(query)
      const coins = yield* Effect.forEach(all.value, ({ coin }) =>
        activity({ coin, ...query }).pipe(
          Effect.map(({ asOf, value }) => [{ asOf, one: { coin, ...value } }]),
          Effect.catchTag("NoData", () => Effect.succeed([]))
        ))
      const found = coins.flat()
      const newest = found.length === 0 ? all.asOf : Math.max(...found.map(({ asOf }) => asOf))
      return reading(found.map(({ one }) => one), all.sources, newest)
    })
  }
}

export const patchNews = (feed: NewsFeed["Service"], patched: Patched): NewsFeed["Service"] => ({
  articles: Effect.fnUntraced(function*({ limit = 1_000, ...query }) {
    const gaps = patched.gapsAt(yield* Clock.currentTimeMillis)
    const all = yield* feed.articles({ ...query, limit: Number.MAX_SAFE_INTEGER })
    return mapReading(
      eventsLeft(all, gaps, limit),
      (left) => left.map((article) => article.language === "ru" ? { ...article, sentiment: null } : article)
    )
  })
})

export const patchBooks = (books: OrderBooks["Service"], patched: Patched): OrderBooks["Service"] => ({
  orderBook: (coin) => asRecorded(patched, books.orderBook(coin))
})

const fineMs = 5 * minuteMs

export const patchOnchain = (flows: OnchainFlows["Service"], patched: Patched): OnchainFlows["Service"] => ({
  dexActivity: Effect.fnUntraced(function*(query) {
    const gaps = patched.gapsAt(yield* Clock.currentTimeMillis)
    const { asOf, sources, value } = yield* flows.dexActivity(query)
    const points = yield* recount(value.points, gaps, query, ({ from, to }) =>
      Effect.map(
        flows.dexActivity({ coin: query.coin, from, to, stepMs: fineMs }),
        (fine): DexActivity =>
          fine.value.points
            .filter(({ time }) => !touched(gaps, time, time + fineMs))
            .reduce((sum, { buyUsd, sellUsd, trades }) => ({
              time: from,
              buyUsd: sum.buyUsd + buyUsd,
              sellUsd: sum.sellUsd + sellUsd,
              trades: sum.trades + trades
            }), { time: from, buyUsd: 0, sellUsd: 0, trades: 0 })
      ))
    if (points.length === 0) return yield* nothingRecorded(query.coin)
    const known = Math.min(asOf, points.at(-1)!.time + query.stepMs)
    return reading({ points, gaps: within(gaps, query), coverage: value.coverage }, sources, known)
  })
})

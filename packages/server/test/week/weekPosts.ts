import { mapClock } from "@tapeline/core"
import { getTone } from "@tapeline/core/analysis"
import {
  type Interval,
  makeReading,
  NoData,
  type SocialActivity,
  SocialFeed,
  type SocialPost,
  type SteppedInterval
} from "@tapeline/core/market"
import { didOf, type FakeSocket, recordKeyOf, type SocketHandler } from "@tapeline/wire"
import { Clock, type Duration, Effect } from "effect"
import { readAt } from "./shiftedClock.ts"
import type { VirtualClock } from "./VirtualClock.ts"
import type { WeekMarket } from "./weekMarket.ts"
import { coinNamePatterns } from "./weekNews.ts"

type Feed = SocialFeed["Service"]

/** Serves a source on sockets. The clock advances only after each client has received all sent data. */
export const makeListeners = (clock: VirtualClock, listen: SocketHandler) => {
  const open = new Set<FakeSocket>()
  const listenAndTrack: SocketHandler = (request) => {
    const send = listen(request)
    return send === null ? null : (socket) => {
      open.add(socket)
      const socketClock = Object.assign(mapClock(clock, (now) => now), {
        sleep: (duration: Duration.Duration) =>
          Effect.andThen(socket.waitUntilRead, clock.whileIdle(clock.sleep(duration)))
      })
      return clock.whileWorking(Effect.provideService(send(socket), Clock.Clock, socketClock)).pipe(
        Effect.ensuring(Effect.sync(() => open.delete(socket)))
      )
    }
  }
  return { listenAndTrack, dropConnections: () => open.forEach((socket) => socket.terminate()) }
}

export const servedPosts = (sim: Feed, { end }: WeekMarket): Feed =>
  SocialFeed.of({ ...sim, posts: (query) => readAt((now) => Math.min(end, now))(sim.posts(query)) })

/** Converts a post to the form that the network publishes, without account details and sentiment. */
const toCollectedPost = (
  { account: { handle }, id, language, text, time }: SocialPost,
  coins: ReadonlyArray<string>
) => {
  const mentionIndex = (coin: string) => text.search(coinNamePatterns[coin]!)
  const did = didOf(handle)
  return {
    id: `at://${did}/app.bsky.feed.post/${recordKeyOf(id)}`,
    time,
    platform: "bluesky",
    account: { handle: did, createdAt: null, followers: null, following: null, postCount: null },
    coins: coins.filter((coin) => mentionIndex(coin) >= 0).sort((a, b) => mentionIndex(a) - mentionIndex(b)),
    text,
    language,
    likes: null,
    reposts: null,
    sentiment: getTone(text)
  } satisfies SocialPost
}

const toActivity = (time: number, posts: ReadonlyArray<SocialPost>): SocialActivity => {
  const tones = posts.flatMap(({ sentiment }) => sentiment === null ? [] : [sentiment])
  return {
    time,
    mentions: posts.length,
    authors: new Set(posts.map(({ account }) => account.handle)).size,
    sentiment: tones.length === 0 ? null : tones.reduce((sum, tone) => sum + tone, 0) / tones.length
  }
}

export const recordedPosts = (sim: Feed, market: WeekMarket): Feed => {
  const { end, postsBegin } = market
  const coins = market.coins.map(({ coin }) => coin)
  const collectedPosts = Effect.runSync(Effect.cached(Effect.gen(function*() {
    const query = { from: postsBegin, to: end + 1, limit: 1_000_000 }
    const read = yield* Effect.forEach(coins, (coin) => readAt(() => end)(sim.posts({ coin, ...query })))
    return read.flatMap(({ value }) => value.map((post) => toCollectedPost(post, coins))).sort((a, b) =>
      a.time - b.time
    )
  })))
  const postsBetween = ({ from, to }: Interval, now: number) =>
    Effect.map(collectedPosts, (posts) => posts.filter(({ time }) => time >= from && time < to && time <= now))
  const toSeries = (
    { from, stepMs, to }: SteppedInterval,
    coin: string,
    posts: ReadonlyArray<SocialPost>,
    now: number
  ) => {
    const coinPosts = Map.groupBy(
      posts.filter((post) => post.coins.includes(coin)),
      ({ time }) => Math.floor(time / stepMs) * stepMs
    )
    const first = Math.floor(Math.max(from, postsBegin) / stepMs) * stepMs
    const count = Math.max(0, Math.ceil((Math.min(to, now) - first) / stepMs))
    const points = Array.from({ length: count }, (_, i) => first + i * stepMs)
      .map((time) => toActivity(time, coinPosts.get(time) ?? []))
    return { points, gaps: from < postsBegin ? [{ from, to: Math.min(to, now, postsBegin) }] : [] }
  }
  const toWholeSteps = ({ from, stepMs, to }: SteppedInterval): Interval => ({
    from: Math.floor(from / stepMs) * stepMs,
    to: Math.ceil(to / stepMs) * stepMs
  })
  return SocialFeed.of({
    ...sim,
    posts: Effect.fnUntraced(function*({ coin, limit = 1_000, ...query }) {
      const now = yield* Clock.currentTimeMillis
      const coinPosts = (yield* postsBetween(query, now)).filter((post) => post.coins.includes(coin)).slice(-limit)
      return makeReading(coinPosts, "simulated", coinPosts.at(-1)?.time ?? now)
    }),
    activity: Effect.fnUntraced(function*({ coin, ...query }) {
      const now = yield* Clock.currentTimeMillis
      const series = toSeries(query, coin, yield* postsBetween(toWholeSteps(query), now), now)
      if (series.points.length === 0) {
        const reason = { key: "none_recorded", params: { symbol: coin } } as const
        return yield* new NoData({ subject: `${coin} posts`, reason })
      }
      return makeReading(series, "simulated", Math.min(now, series.points.at(-1)!.time + query.stepMs))
    }),
    activityByCoin: (query) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const posts = yield* Effect.orDie(postsBetween(toWholeSteps(query), now))
        const series = coins.toSorted().map((coin) => ({ coin, ...toSeries(query, coin, posts, now) }))
        return makeReading(series.filter(({ points }) => points.length > 0), "simulated", Math.min(now, query.to))
      })
  })
}

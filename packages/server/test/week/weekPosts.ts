import { toneOf } from "@tapeline/core/analysis"
import {
  type Interval,
  NoData,
  reading,
  type SocialActivity,
  SocialFeed,
  type SocialPost,
  type Stepped
} from "@tapeline/core/market"
import { didOf, type Listens, recordKeyOf, type WireSocket } from "@tapeline/wire"
import { Clock, Effect } from "effect"
import { asOf, clockOf } from "./reads.ts"
import type { VirtualClock } from "./VirtualClock.ts"
import type { WeekMarket } from "./weekMarket.ts"
import { spelled } from "./weekNews.ts"

type Feed = SocialFeed["Service"]

/**
 * Serves a source on sockets. Time does not advance until each listener has received everything that was sent. `drop`
 * closes all connections.
 */
export const listeners = (clock: VirtualClock, says: Listens) => {
  const open = new Set<WireSocket>()
  const listens: Listens = (request) => {
    const say = says(request)
    return say === null ? null : (socket) => {
      open.add(socket)
      const own = clockOf(
        clock,
        (now) => now,
        (duration) => Effect.andThen(socket.heard, clock.uncounted(clock.sleep(duration)))
      )
      return clock.counted(Effect.provideService(say(socket), Clock.Clock, own)).pipe(
        Effect.ensuring(Effect.sync(() => open.delete(socket)))
      )
    }
  }
  return { listens, drop: () => open.forEach((socket) => socket.drop()) }
}

/** Serves no posts after the end, although the network continues. */
export const postsOnWire = (sim: Feed, { end }: WeekMarket): Feed =>
  SocialFeed.of({ ...sim, posts: (query) => asOf((now) => Math.min(end, now))(sim.posts(query)) })

/**
 * A post as the network publishes it: without details of the account and without sentiment. Its coins are those that
 * its text names.
 */
const heard = ({ account: { handle }, id, language, text, time }: SocialPost, coins: ReadonlyArray<string>) => {
  const at = (coin: string) => text.search(spelled[coin]!)
  const did = didOf(handle)
  return {
    id: `at://${did}/app.bsky.feed.post/${recordKeyOf(id)}`,
    time,
    platform: "bluesky",
    account: { handle: did, createdAt: null, followers: null, following: null, postCount: null },
    coins: coins.filter((coin) => at(coin) >= 0).sort((a, b) => at(a) - at(b)),
    text,
    language,
    likes: null,
    reposts: null,
    sentiment: toneOf(text)
  } satisfies SocialPost
}

const counted = (time: number, posts: ReadonlyArray<SocialPost>): SocialActivity => {
  const tones = posts.flatMap(({ sentiment }) => sentiment === null ? [] : [sentiment])
  return {
    time,
    mentions: posts.length,
    authors: new Set(posts.map(({ account }) => account.handle)).size,
    sentiment: tones.length === 0 ? null : tones.reduce((sum, tone) => sum + tone, 0) / tones.length
  }
}

/** The posts that were received since the beginning of the record. */
export const postsAsHeard = (sim: Feed, market: WeekMarket): Feed => {
  const { end, postsBegin } = market
  const coins = market.coins.map(({ coin }) => coin)
  // Posts are computed once, however often they are read.
  const written = Effect.runSync(Effect.cached(Effect.gen(function*() {
    const query = { from: postsBegin, to: end + 1, limit: 1_000_000 }
    const read = yield* Effect.forEach(coins, (coin) => asOf(() => end)(sim.posts({ coin, ...query })))
    return read.flatMap(({ value }) => value.map((post) => heard(post, coins))).sort((a, b) => a.time - b.time)
  })))
  const all = ({ from, to }: Interval, now: number) =>
    Effect.map(written, (posts) => posts.filter(({ time }) => time >= from && time < to && time <= now))
  const told = ({ from, stepMs, to }: Stepped, coin: string, posts: ReadonlyArray<SocialPost>, now: number) => {
    const own = Map.groupBy(
      posts.filter((post) => post.coins.includes(coin)),
      ({ time }) => Math.floor(time / stepMs) * stepMs
    )
    const first = Math.floor(Math.max(from, postsBegin) / stepMs) * stepMs
    const count = Math.max(0, Math.ceil((Math.min(to, now) - first) / stepMs))
    const points = Array.from({ length: count }, (_, i) => first + i * stepMs)
      .map((time) => counted(time, own.get(time) ?? []))
    return { points, gaps: from < postsBegin ? [{ from, to: Math.min(to, now, postsBegin) }] : [] }
  }
  const whole = ({ from, stepMs, to }: Stepped): Interval => ({
    from: Math.floor(from / stepMs) * stepMs,
    to: Math.ceil(to / stepMs) * stepMs
  })
  return SocialFeed.of({
    ...sim,
    posts: Effect.fnUntraced(function*({ coin, limit = 1_000, ...query }) {
      const now = yield* Clock.currentTimeMillis
      const own = (yield* all(query, now)).filter((post) => post.coins.includes(coin)).slice(-limit)
      return reading(own, "simulated", own.at(-1)?.time ?? now)
    }),
    activity: Effect.fnUntraced(function*({ coin, ...query }) {
      const now = yield* Clock.currentTimeMillis
      const series = told(query, coin, yield* all(whole(query), now), now)
      if (series.points.length === 0) {
        const reason = { key: "none_recorded", params: { symbol: coin } } as const
        return yield* new NoData({ subject: `${coin} posts`, reason })
      }
      return reading(series, "simulated", Math.min(now, series.points.at(-1)!.time + query.stepMs))
    }),
    activityByCoin: (query) =>
      Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const posts = yield* Effect.orDie(all(whole(query), now))
        const series = coins.toSorted().map((coin) => ({ coin, ...told(query, coin, posts, now) }))
        return reading(series.filter(({ points }) => points.length > 0), "simulated", Math.min(now, query.to))
      })
  })
}

import { assert } from "@effect/vitest"
import { dayMs, hourMs, SocialFeed } from "@tapeline/core/market"
import { Effect } from "effect"
import { byName, gapsAreApart, isWritable, lieWithin, marketSuite, nobody, refused, told } from "../market/suite.ts"
import { orNothing, recordedChecks, type RecordedVenue } from "./recorded.ts"

/** What the suite is told of a venue. */
export interface SocialVenue extends RecordedVenue {
  /** A coin that people have posted about in the day before `now`. */
  readonly coin: string
}

/** What every `SocialFeed` promises, as tests. */
export const socialFeedContract = marketSuite<SocialFeed, SocialFeed["Service"], SocialVenue>(SocialFeed, [
  ...recordedChecks<SocialFeed["Service"], SocialVenue>(
    ({ recorded }) => recorded,
    ({ coin }) => [coin],
    (feed, coin, until, { now }) => {
      const to = Math.floor(until / hourMs) * hourMs
      return orNothing(told(feed.activity({ coin, from: now - 12 * hourMs, to, stepMs: hourMs })))
    }
  ),
  ["posts lie in the half-open interval; a limit keeps the newest", (feed, { coin, now }) =>
    Effect.gen(function*() {
      const interval = { from: now - 6 * hourMs, to: now + dayMs }
      const posts = yield* told(feed.posts({ coin, limit: 100_000, ...interval }))
      lieWithin(posts, interval, now, "events")
      isWritable(posts)
      assert.strictEqual(new Set(posts.map(({ id }) => id)).size, posts.length)
      for (const { account, coins, sentiment, text, time } of posts) {
        assert.include(coins, coin)
        assert.isAtMost(Math.abs(sentiment), 1)
        assert.notStrictEqual(text, "")
        assert.isAtMost(account.createdAt, time)
      }
      assert.deepStrictEqual(yield* told(feed.posts({ coin, limit: 2, ...interval })), posts.slice(-2))
    })],
  [
    "counts are those of the posts, and a bucket without posts is there",
    (feed, { coin, now }) =>
      Effect.gen(function*() {
        const query = { coin, stepMs: hourMs, from: Math.floor(now / hourMs - 6) * hourMs, to: now + dayMs }
        const { gaps, points } = yield* told(feed.activity(query))
        const posts = yield* told(feed.posts({ ...query, limit: 100_000 }))
        lieWithin(points, query, now)
        gapsAreApart(gaps, query)
        for (const { authors, mentions, sentiment, time } of points) {
          const own = posts.filter((post) => post.time >= time && post.time < time + hourMs)
          assert.strictEqual(mentions, own.length)
          assert.strictEqual(authors, new Set(own.map(({ account }) => account.handle)).size)
          assert.strictEqual(sentiment === null, own.length === 0)
          const mean = own.reduce((sum, post) => sum + post.sentiment, 0) / own.length
          if (sentiment !== null) assert.closeTo(sentiment, mean, 1e-9)
        }
        if (gaps.length === 0) assert.strictEqual(points.length, 7)
      })
  ],
  ["what is told of all coins at once is what is told of each", (feed, { coin, now }) =>
    Effect.gen(function*() {
      const query = { stepMs: dayMs, from: now - 2 * dayMs, to: now }
      const all = yield* told(feed.activityByCoin(query))
      byName(all.map((one) => one.coin))
      isWritable(all)
      assert.deepStrictEqual(all.find((one) => one.coin === coin), {
        coin,
        ...(yield* told(feed.activity({ coin, ...query })))
      })
    })],
  ["a coin that nobody lists has none", (feed, { now }) =>
    Effect.gen(function*() {
      const query = { coin: nobody, stepMs: hourMs, from: now - dayMs, to: now }
      assert.strictEqual(yield* refused(feed.posts(query)), "UnknownSymbol")
      assert.strictEqual(yield* refused(feed.activity(query)), "UnknownSymbol")
    })]
])

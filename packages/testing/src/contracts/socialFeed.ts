import { assert } from "@effect/vitest"
import { dayMs, type Gap, hourMs, type SocialActivity, SocialFeed, type SocialPost } from "@tapeline/core/market"
import { Effect } from "effect"
import { bucketsIn, holdsBucket, isOutage } from "../market/grid.ts"
import {
  asked,
  byName,
  checkOf,
  endOf,
  gapsAreApart,
  isWritable,
  type Known,
  lieWithin,
  marketSuite,
  newestOf,
  nobody,
  refused,
  told,
  toldOf
} from "../market/suite.ts"
import { backfillCheck, orNothing, recordedChecks, type RecordedVenue } from "./recorded.ts"

/** The venue facts that the suite needs. */
export interface SocialVenue extends RecordedVenue {
  /** A coin with posts in the day before `now`. */
  readonly coin: string
  /** An interval without records, as known at `now`; at least two hours, from a full hour. */
  readonly outage: Known<Gap>
}

/** The time to which counts by bucket are known. */
const counted = (points: ReadonlyArray<SocialActivity>, stepMs: number, now: number) => {
  const last = points.at(-1)
  return last === undefined ? asked(now) : endOf(last.time, last.time + stepMs, now)
}

const isPost = ({ account, id, likes, reposts, sentiment, text, time }: SocialPost): void => {
  assert.notInclude([text, id, account.handle], "")
  if (sentiment !== null) assert.isAtMost(Math.abs(sentiment), 1)
  if (account.createdAt !== null) assert.isAtMost(account.createdAt, time)
  for (const count of [likes, reposts, account.followers, account.following, account.postCount]) {
    if (count !== null) assert.isTrue(Number.isInteger(count) && count >= 0, `${count} is no count`)
  }
}

/** Counts before an instant. */
const contentOf = (feed: SocialFeed["Service"], coin: string, until: number, { now }: SocialVenue) => {
  const to = Math.floor(until / hourMs) * hourMs
  return orNothing(told(feed.activity({ coin, from: now - 12 * hourMs, to, stepMs: hourMs })))
}

/** The contract tests of `SocialFeed`. */
export const socialFeedContract = marketSuite<SocialFeed, SocialFeed["Service"], SocialVenue>(SocialFeed, [
  ...recordedChecks<SocialFeed["Service"], SocialVenue>(
    ({ recorded }) => recorded,
    ({ coin }) => [coin],
    contentOf
  ),
  ["posts lie in the half-open interval; a limit keeps the newest", (feed, { coin, now }) =>
    Effect.gen(function*() {
      const interval = { from: now - 6 * hourMs, to: now + dayMs }
      const posts = yield* toldOf(
        feed.posts({ coin, limit: 100_000, ...interval }),
        (all, now) => newestOf(all.map(({ time }) => time), now)
      )
      lieWithin(posts, interval, now, "events")
      isWritable(posts)
      assert.strictEqual(new Set(posts.map(({ id }) => id)).size, posts.length)
      for (const post of posts) {
        assert.include(post.coins, coin)
        isPost(post)
      }
      assert.deepStrictEqual(yield* told(feed.posts({ coin, limit: 2, ...interval })), posts.slice(-2))
    })],
  [
    "counts are those of the posts, and a bucket without posts is there",
    (feed, { coin, now }) =>
      Effect.gen(function*() {
        const query = { coin, stepMs: hourMs, from: Math.floor(now / hourMs - 6) * hourMs, to: now + dayMs }
        const { gaps, points } = yield* toldOf(
          feed.activity(query),
          ({ points }, now) => counted(points, query.stepMs, now)
        )
        const posts = yield* told(feed.posts({ ...query, limit: 100_000 }))
        lieWithin(points, query, now)
        gapsAreApart(gaps, query)
        for (const { authors, mentions, sentiment, time } of points) {
          const own = posts.filter((post) => post.time >= time && post.time < time + hourMs)
          assert.strictEqual(mentions, own.length)
          assert.strictEqual(authors, new Set(own.map(({ account }) => account.handle)).size)
          const tones = own.flatMap((post) => post.sentiment ?? [])
          assert.strictEqual(sentiment === null, tones.length === 0)
          const mean = tones.reduce((sum, tone) => sum + tone, 0) / tones.length
          if (sentiment !== null) assert.closeTo(sentiment, mean, 1e-9)
        }
        assert.deepStrictEqual(
          points.map(({ time }) => time).filter((time) => time + query.stepMs <= now),
          bucketsIn(query, now).filter((time) => !holdsBucket(gaps, time, query))
        )
      })
  ],
  ["what is told of all coins at once is what is told of each", (feed, { coin, now }) =>
    Effect.gen(function*() {
      const query = { stepMs: dayMs, from: now - 2 * dayMs, to: now }
      const all = yield* toldOf(
        feed.activityByCoin(query),
        (all, now) => counted(all.flatMap(({ points }) => points).sort((a, b) => a.time - b.time), query.stepMs, now)
      )
      byName(all.map((one) => one.coin))
      isWritable(all)
      assert.deepStrictEqual(all.find((one) => one.coin === coin), {
        coin,
        ...(yield* told(feed.activity({ coin, ...query })))
      })
    })],
  checkOf("an outage is no silence: it is a gap, with no bucket and no post", ({ outage }) => outage, (feed, outage, {
    coin
  }) =>
    Effect.gen(function*() {
      const query = { coin, stepMs: hourMs, from: outage.from - 2 * hourMs, to: outage.to + 2 * hourMs }
      const { gaps, points } = yield* told(feed.activity(query))
      assert.isAbove(points.length, 0)
      isOutage(outage, gaps, points.map(({ time }) => time))
      const { coin: _, ...ofAll } = query
      const one = (yield* told(feed.activityByCoin(ofAll))).find((one) => one.coin === coin)!
      isOutage(outage, one.gaps, one.points.map(({ time }) => time))
      assert.deepStrictEqual((yield* orNothing(told(feed.posts({ coin, ...outage })))) ?? [], [])
    })),
  ["a coin that nobody lists has none", (feed, { now }) =>
    Effect.gen(function*() {
      const query = { coin: nobody, stepMs: hourMs, from: now - dayMs, to: now }
      assert.strictEqual(yield* refused(feed.posts(query)), "UnknownSymbol")
      assert.strictEqual(yield* refused(feed.activity(query)), "UnknownSymbol")
    })],
  backfillCheck<SocialFeed["Service"], SocialVenue>(({ recorded }) => recorded, contentOf)
])

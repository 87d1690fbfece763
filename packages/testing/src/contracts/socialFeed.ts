import { assert } from "@effect/vitest"
import { dayMs, type Gap, hourMs, type SocialActivity, SocialFeed, type SocialPost } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertFiniteNumbers,
  assertSeparateGaps,
  assertSortedNames,
  assertWithin,
  type CaseOrWaiver,
  intervalEnd,
  makeWaivableCheck,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  readValue,
  requestInterval,
  unlistedName
} from "../market/marketSuite.ts"
import { assertOutage, getBuckets, isBucketInGap } from "../market/timeGrid.ts"
import { backfillCheck, nullIfNoData, recordedChecks, type RecordedVenue } from "./recordedChecks.ts"

/** The facts about a venue that the contract tests of `SocialFeed` need. */
export interface SocialVenue extends RecordedVenue {
  /** A coin with posts in the day before `now`. */
  readonly coin: string
  /** An outage of at least two hours that begins at a full hour. At `now`, the venue has no data for the outage. */
  readonly outage: CaseOrWaiver<Gap>
}

/** Returns the time until which the counted posts are complete. */
const activityKnownUntil = (points: ReadonlyArray<SocialActivity>, stepMs: number, now: number) => {
  const last = points.at(-1)
  return last === undefined ? requestInterval(now) : intervalEnd(last.time, last.time + stepMs, now)
}

const assertPost = ({ account, id, likes, reposts, sentiment, text, time }: SocialPost): void => {
  assert.notInclude([text, id, account.handle], "")
  if (sentiment !== null) assert.isAtMost(Math.abs(sentiment), 1)
  if (account.createdAt !== null) assert.isAtMost(account.createdAt, time)
  for (const count of [likes, reposts, account.followers, account.following, account.postCount]) {
    if (count !== null) assert.isTrue(Number.isInteger(count) && count >= 0, `${count} is not a count`)
  }
}

const readContent = (feed: SocialFeed["Service"], coin: string, until: number, { now }: SocialVenue) => {
  const to = Math.floor(until / hourMs) * hourMs
  return nullIfNoData(readValue(feed.activity({ coin, from: now - 12 * hourMs, to, stepMs: hourMs })))
}

/** Defines the contract tests of `SocialFeed`. */
export const socialFeedContract = marketSuite<SocialFeed, SocialFeed["Service"], SocialVenue>(SocialFeed, [
  ...recordedChecks<SocialFeed["Service"], SocialVenue>(
    ({ watermarks }) => watermarks,
    ({ coin }) => [coin],
    readContent
  ),
  [
    "posts are within the half-open interval, and a limit keeps the newest",
    (feed, { coin, now }) =>
      Effect.gen(function*() {
        const interval = { from: now - 6 * hourMs, to: now + dayMs }
        const posts = yield* readDatedValue(
          feed.posts({ coin, limit: 100_000, ...interval }),
          (all, now) => newestTime(all.map(({ time }) => time), now)
        )
        assertWithin(posts, interval, now, "events")
        assertFiniteNumbers(posts)
        assert.strictEqual(new Set(posts.map(({ id }) => id)).size, posts.length)
        for (const post of posts) {
          assert.include(post.coins, coin)
          assertPost(post)
        }
        assert.deepStrictEqual(yield* readValue(feed.posts({ coin, limit: 2, ...interval })), posts.slice(-2))
      })
  ],
  [
    "counts equal those of the posts, and buckets without posts are included",
    (feed, { coin, now }) =>
      Effect.gen(function*() {
        const query = { coin, stepMs: hourMs, from: Math.floor(now / hourMs - 6) * hourMs, to: now + dayMs }
        const { gaps, points } = yield* readDatedValue(
          feed.activity(query),
          ({ points }, now) => activityKnownUntil(points, query.stepMs, now)
        )
        const posts = yield* readValue(feed.posts({ ...query, limit: 100_000 }))
        assertWithin(points, query, now)
        assertSeparateGaps(gaps, query)
        for (const { authors, mentions, sentiment, time } of points) {
          const ownPosts = posts.filter((post) => post.time >= time && post.time < time + hourMs)
          assert.strictEqual(mentions, ownPosts.length)
          assert.strictEqual(authors, new Set(ownPosts.map(({ account }) => account.handle)).size)
          const sentiments = ownPosts.flatMap((post) => post.sentiment ?? [])
          assert.strictEqual(sentiment === null, sentiments.length === 0)
          const mean = sentiments.reduce((sum, sentiment) => sum + sentiment, 0) / sentiments.length
          if (sentiment !== null) assert.closeTo(sentiment, mean, 1e-9)
        }
        assert.deepStrictEqual(
          points.map(({ time }) => time).filter((time) => time + query.stepMs <= now),
          getBuckets(query, now).filter((time) => !isBucketInGap(gaps, time, query))
        )
      })
  ],
  ["activity of all coins equals the activity of each coin", (feed, { coin, now }) =>
    Effect.gen(function*() {
      const query = { stepMs: dayMs, from: now - 2 * dayMs, to: now }
      const all = yield* readDatedValue(
        feed.activityByCoin(query),
        (all, now) =>
          activityKnownUntil(all.flatMap(({ points }) => points).sort((a, b) => a.time - b.time), query.stepMs, now)
      )
      assertSortedNames(all.map((one) => one.coin))
      assertFiniteNumbers(all)
      assert.deepStrictEqual(all.find((one) => one.coin === coin), {
        coin,
        ...(yield* readValue(feed.activity({ coin, ...query })))
      })
    })],
  makeWaivableCheck(
    "an outage is a gap without buckets or posts, not a bucket of zero posts",
    ({ outage }) => outage,
    (feed, outage, {
      coin
    }) =>
      Effect.gen(function*() {
        const query = { coin, stepMs: hourMs, from: outage.from - 2 * hourMs, to: outage.to + 2 * hourMs }
        const { gaps, points } = yield* readValue(feed.activity(query))
        assert.isAbove(points.length, 0)
        assertOutage(outage, gaps, points.map(({ time }) => time))
        const { coin: _, ...queryOfAll } = query
        const one = (yield* readValue(feed.activityByCoin(queryOfAll))).find((one) => one.coin === coin)!
        assertOutage(outage, one.gaps, one.points.map(({ time }) => time))
        assert.deepStrictEqual((yield* nullIfNoData(readValue(feed.posts({ coin, ...outage })))) ?? [], [])
      })
  ),
  ["fails with UnknownSymbol for an unlisted coin", (feed, { now }) =>
    Effect.gen(function*() {
      const query = { coin: unlistedName, stepMs: hourMs, from: now - dayMs, to: now }
      assert.strictEqual(yield* readErrorTag(feed.posts(query)), "UnknownSymbol")
      assert.strictEqual(yield* readErrorTag(feed.activity(query)), "UnknownSymbol")
    })],
  backfillCheck<SocialFeed["Service"], SocialVenue>(({ watermarks }) => watermarks, readContent)
])

import { assert } from "@effect/vitest"
import { dayMs, NewsFeed } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  assertFiniteNumbers,
  assertWithin,
  marketSuite,
  newestTime,
  readDatedValue,
  readErrorTag,
  readValue,
  requestInterval,
  unlistedName,
  type VenueTime
} from "../market/marketSuite.ts"

/** The facts about a venue that the contract tests of `NewsFeed` need. */
export interface NewsVenue extends VenueTime {
  /** A coin with articles in the 30 days before `now`. */
  readonly coin: string
  /** An equity symbol with articles in the 30 days before `now`. */
  readonly symbol: string
}

/** Defines the contract tests of `NewsFeed`. */
export const newsFeedContract = marketSuite<NewsFeed, NewsFeed["Service"], NewsVenue>(NewsFeed, [
  [
    "articles are within the half-open interval, and a limit keeps the newest",
    (feed, { now }) =>
      Effect.gen(function*() {
        const interval = { from: now - 2 * dayMs, to: now + dayMs }
        const articles = yield* readDatedValue(
          feed.articles({ limit: 10_000, ...interval }),
          (all, now) => newestTime(all.map(({ time }) => time), now)
        )
        assertWithin(articles, interval, now, "events")
        assertFiniteNumbers(articles)
        assert.isAbove(articles.length, 2)
        assert.strictEqual(new Set(articles.map(({ id }) => id)).size, articles.length)
        for (const { sentiment, source, title, url } of articles) {
          if (sentiment !== null) assert.isAtMost(Math.abs(sentiment), 1)
          assert.notInclude([title, source], "")
          assert.match(url, /^https?:\/\//u)
        }
        assert.deepStrictEqual(yield* readValue(feed.articles({ limit: 2, ...interval })), articles.slice(-2))
      })
  ],
  [
    "articles about a coin or symbol are all articles that name it",
    (feed, { coin, now, symbol }) =>
      Effect.gen(function*() {
        const interval = { from: now - 30 * dayMs, to: now, limit: 100_000 }
        const all = yield* readValue(feed.articles(interval))
        assert.isTrue(all.some(({ coins }) => coins.includes(coin)))
        assert.isTrue(all.some(({ symbols }) => symbols.includes(symbol)))
        assert.deepStrictEqual(
          yield* readValue(feed.articles({ coin, ...interval })),
          all.filter(({ coins }) => coins.includes(coin))
        )
        assert.deepStrictEqual(
          yield* readValue(feed.articles({ symbol, ...interval })),
          all.filter(({ symbols }) => symbols.includes(symbol))
        )
      })
  ],
  [
    "returns an empty list if nothing was published, and fails with UnknownSymbol for unlisted names",
    (feed, { now }) =>
      Effect.gen(function*() {
        const emptyQuery = feed.articles({ from: now + dayMs, to: now + 2 * dayMs })
        assert.deepStrictEqual(yield* readDatedValue(emptyQuery, (_, now) => requestInterval(now)), [])
        const interval = { from: now - dayMs, to: now }
        assert.strictEqual(yield* readErrorTag(feed.articles({ coin: unlistedName, ...interval })), "UnknownSymbol")
        assert.strictEqual(yield* readErrorTag(feed.articles({ symbol: unlistedName, ...interval })), "UnknownSymbol")
      })
  ]
])

import { assert } from "@effect/vitest"
import { dayMs, NewsFeed } from "@tapeline/core/market"
import { Effect } from "effect"
import {
  asked,
  isWritable,
  lieWithin,
  marketSuite,
  newestOf,
  nobody,
  type Present,
  refused,
  told,
  toldOf
} from "../market/suite.ts"

/** The venue facts that the suite needs. */
export interface NewsVenue extends Present {
  /** A coin and an equity symbol with articles in the 30 days before `now`. */
  readonly coin: string
  readonly symbol: string
}

/** The contract tests of `NewsFeed`. */
export const newsFeedContract = marketSuite<NewsFeed, NewsFeed["Service"], NewsVenue>(NewsFeed, [
  ["articles lie in the half-open interval; a limit keeps the newest", (feed, { now }) =>
    Effect.gen(function*() {
      const interval = { from: now - 2 * dayMs, to: now + dayMs }
      const articles = yield* toldOf(
        feed.articles({ limit: 10_000, ...interval }),
        (all, now) => newestOf(all.map(({ time }) => time), now)
      )
      lieWithin(articles, interval, now, "events")
      isWritable(articles)
      assert.isAbove(articles.length, 2)
      assert.strictEqual(new Set(articles.map(({ id }) => id)).size, articles.length)
      for (const { sentiment, source, title, url } of articles) {
        if (sentiment !== null) assert.isAtMost(Math.abs(sentiment), 1)
        assert.notInclude([title, source], "")
        assert.match(url, /^https?:\/\//u)
      }
      assert.deepStrictEqual(yield* told(feed.articles({ limit: 2, ...interval })), articles.slice(-2))
    })],
  [
    "those about a coin or a symbol are the ones of all that name it",
    (feed, { coin, now, symbol }) =>
      Effect.gen(function*() {
        const interval = { from: now - 30 * dayMs, to: now, limit: 100_000 }
        const all = yield* told(feed.articles(interval))
        assert.isTrue(all.some(({ coins }) => coins.includes(coin)))
        assert.isTrue(all.some(({ symbols }) => symbols.includes(symbol)))
        assert.deepStrictEqual(
          yield* told(feed.articles({ coin, ...interval })),
          all.filter(({ coins }) => coins.includes(coin))
        )
        assert.deepStrictEqual(
          yield* told(feed.articles({ symbol, ...interval })),
          all.filter(({ symbols }) => symbols.includes(symbol))
        )
      })
  ],
  [
    "is empty where nothing was published, and fails for names that nobody lists",
    (feed, { now }) =>
      Effect.gen(function*() {
        const none = feed.articles({ from: now + dayMs, to: now + 2 * dayMs })
        assert.deepStrictEqual(yield* toldOf(none, (_, now) => asked(now)), [])
        const interval = { from: now - dayMs, to: now }
        assert.strictEqual(yield* refused(feed.articles({ coin: nobody, ...interval })), "UnknownSymbol")
        assert.strictEqual(yield* refused(feed.articles({ symbol: nobody, ...interval })), "UnknownSymbol")
      })
  ]
])

// Tests the search for a ticker. The feed cannot select articles by ticker, so the result states how far back the
// search went.
import { assert, it } from "@effect/vitest"
import { type Article, makeReading, minuteMs, NewsFeed, NoData, SourceUnavailable } from "@tapeline/core/market"
import { Effect } from "effect"
import { findArticlesAbout } from "../../src/analysis/news/instrumentArticles.ts"
import { fakeEquities, now } from "../tools/fakeMarket.ts"

/** Returns `all` articles, one per minute until now. The oldest `ofApple` of the articles are about AAPL. */
const published = (all: number, ofApple: number): ReadonlyArray<Article> =>
  Array.from({ length: all }, (_, i) => ({
    id: `${i}`,
    time: now - (all - 1 - i) * minuteMs,
    source: "wire",
    url: `https://wire.example/${i}`,
    title: i < ofApple ? "AAPL rises" : "Nothing happens",
    body: "",
    language: "en",
    coins: [],
    symbols: [],
    sentiment: null
  }))

const feedOf = (articles: ReadonlyArray<Article>) =>
  NewsFeed.of({
    articles: ({ limit = 1_000, symbol }) =>
      symbol === undefined
        ? Effect.succeed(makeReading(articles.slice(-limit), "wire", now))
        : Effect.fail(new NoData({ subject: symbol, reason: { key: "none_recorded", params: { symbol } } }))
  })

const query = { from: now - 5_000 * minuteMs, to: now + 1, limit: 5 }
const findArticles = (articles: ReadonlyArray<Article>, equities = fakeEquities) =>
  Effect.map(findArticlesAbout(feedOf(articles), equities, { symbol: "AAPL" }, query), ({ notes, read }) => ({
    found: read.value.length,
    limitNotes: notes.filter((note) => note.startsWith("Only the newest 2000 articles were searched"))
  }))

const unavailableEquities = {
  ...fakeEquities,
  stocks: () =>
    Effect.fail(new SourceUnavailable({ source: "stocks", failure: "unreachable", reason: "away", retryable: true }))
}

for (
  const [name, equities] of [["with a stock list", fakeEquities], [
    "without a stock list",
    unavailableEquities
  ]] as const
) {
  it.effect(`${name}, states how far back articles were searched if older ones exist`, () =>
    Effect.gen(function*() {
      // The search reads the newest 2,000 articles, which include only one of the three articles about AAPL.
      const limitedArticles = yield* findArticles(published(2_002, 3), equities)
      assert.strictEqual(limitedArticles.found, 1)
      assert.lengthOf(limitedArticles.limitNotes, 1)
      assert.include(limitedArticles.limitNotes[0], new Date(now - 1_999 * minuteMs).toISOString())
      assert.deepStrictEqual(yield* findArticles(published(2_000, 3), equities), { found: 3, limitNotes: [] })
      // The newest articles fill the result, so an incomplete search omits nothing and needs no note.
      assert.deepStrictEqual(yield* findArticles(published(2_002, 2_002), equities), { found: 5, limitNotes: [] })
    }))
}

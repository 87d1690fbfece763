import { assert, describe, it } from "@effect/vitest"
import { type Article, dayMs, NewsFeed, readValue } from "@tapeline/core/market"
import { feedPath, makeFakeServer, makeNewsPublishers, type RequestHandler } from "@tapeline/wire"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { layerNewsFeeds, NewsFeeds, SourceHealth } from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T15:48:22.517Z")
const sim = Context.get(sharedPorts, NewsFeed)

const publishers = ["Harbour Wire", "한강경제", "Крипто Обзор"] as const
const languages = ["en", "ko", "ru"] as const

const feedsAt = (url: string, all: ReadonlyArray<string> = publishers) =>
  all.map((publisher, i) => ({
    name: `feed-${i}`,
    publisher,
    language: languages[i]!,
    url: `${url}${feedPath(publisher)}`
  }))

const readFeeds = Effect.fnUntraced(function*(url: string) {
  const layer = Layer.provide(layerNewsFeeds({ feeds: feedsAt(url) }), SourceHealth.layer)
  return Context.get(yield* Layer.build(layer), NewsFeeds)
})

const one: RequestHandler = (request) => makeNewsPublishers(sim, { maxArticles: 1 })(request)

describe("publishers' feeds", () => {
  it.effect("return the published articles in every format, and are not sent again if unchanged", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const server = yield* makeFakeServer(makeNewsPublishers(sim))
      const feeds = yield* readFeeds(server.url)
      const all = yield* readValue(sim.articles({ from: now - 30 * dayMs, to: now, limit: 100_000 }))
      for (const [i, { items }] of feeds.entries()) {
        const feedArticles = all.filter(({ source }) => source === publishers[i]).slice(-100).toReversed()
        const { language, items: articles } = (yield* items).value
        assert.strictEqual(language, languages[i])
        const expected = feedArticles.map(({ body, coins, symbols, time, title, url }: Article) => ({
          url: i === 0 ? `${url}?utm_source=rss` : url,
          title,
          excerpt: body,
          publishedAt: i === 0 ? Math.floor(time / 1_000) * 1_000 : time,
          tags: [...coins, ...symbols]
        }))
        assert.deepStrictEqual(articles.map(({ guid: _, ...item }) => item), expected)
        assert.strictEqual(new Set(articles.map(({ guid }) => guid)).size, articles.length)
        const sent = server.requests.length
        assert.deepStrictEqual((yield* items).value.items, articles)
        const [feedRequest, ...others] = server.requests.slice(sent)
        assert.lengthOf(others, 0)
        assert.match(feedRequest!.headers["if-none-match"] ?? "", /^W\//u)
        assert.isDefined(feedRequest!.headers["if-modified-since"])
        assert.strictEqual(server.newestBody(), "")
      }
      yield* TestClock.adjust(7 * dayMs)
      const { value: { items: later } } = yield* feeds[0]!.items
      assert.isAbove(later[0]!.publishedAt ?? 0, now)
    }).pipe(Effect.scoped))

  it.effect("reject a 304 before the first full response", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const server = yield* makeFakeServer(() => Effect.succeed({ status: 304, body: "" }))
      const [first] = yield* readFeeds(server.url)
      const { failure } = yield* Effect.flip(first!.items)
      assert.strictEqual(failure, "unreachable")
      assert.isUndefined(server.requests[0]!.headers["if-none-match"])
    }).pipe(Effect.scoped))
})

faultSuite<NewsFeeds>({
  source: "news",
  handleRequest: one,
  now,
  layer: (baseUrl, retryPolicy) => layerNewsFeeds({ feeds: feedsAt(baseUrl, publishers.slice(0, 1)), retryPolicy }),
  requests: [
    {
      name: "a feed of articles",
      send: Effect.flatMap(NewsFeeds, ([first]) => first!.items),
      // Fields that may contain any text.
      optionalLeaves: ["title", "guid", "pubDate", "description", "category", "language"]
    }
  ],
  errorsInBody: {}
})

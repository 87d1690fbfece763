import { assert, it, layer as withLayer } from "@effect/vitest"
import { Embeddings, layerNewsSearch } from "@tapeline/core/analysis"
import { type Article, dayMs, hourMs, minuteMs, NewsFeed, readValue } from "@tapeline/core/market"
import { eventsKinds, MarketStore } from "@tapeline/core/market/store"
import { getLatestNews, getNewsSentiment, searchNews } from "@tapeline/core/specifications"
import { MemoryMarketStore } from "@tapeline/testing"
import { newsFeedContract } from "@tapeline/testing/contracts/newsFeed"
import { callHandler } from "@tapeline/testing/toolCalls"
import { feedPath, makeFakeServer, makeNewsPublishers } from "@tapeline/wire"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  type FeedItem,
  layerNewsFeeds,
  newsCollector,
  NewsFeeds,
  type NewsFeedSource,
  type PublishedFeed,
  SourceHealth,
  storedNewsFeed
} from "../../src/index.ts"
import { articleCodec } from "../../src/stored/documents.ts"
import { layerCollectedOnce } from "../support/collectedOnce.ts"
import { writeListed } from "../support/listing.ts"
import { sharedPorts } from "../support/sharedWorld.ts"
import { toolsOf } from "../support/toolsOf.ts"

const now = Date.parse("2026-11-20T15:48:22.517Z")
const ports = sharedPorts
const market = Layer.succeedContext(ports)
const sim = Context.get(ports, NewsFeed)
const interval = { from: now - 30 * dayMs, to: now, limit: 100_000 }
const coins = ["BTC", "ETH", "SOL", "XRP", "DOGE"]

const published = Effect.gen(function*() {
  const all = yield* readValue(sim.articles(interval))
  const server = yield* makeFakeServer(makeNewsPublishers(sim, { maxArticles: 200 }))
  const languages = new Map(all.map(({ language, source }) => [source, language]))
  const feeds = Array.from(languages, ([publisher, language], i) => ({
    name: `feed-${i}`,
    publisher,
    language,
    url: `${server.url}${feedPath(publisher)}`
  }))
  const context = yield* Layer.build(layerNewsFeeds({ feeds }))
  return [newsCollector({ feeds: Context.get(context, NewsFeeds), coins })]
})

const store = layerCollectedOnce({
  now,
  market,
  collectors: Effect.orDie(published),
  isDone: (_, { report }) =>
    Effect.map(report, ({ collectorsBySource: [one] }) => one?.collectors[0]?.completeAt != null)
})
const layerStoredNews = Layer.provide(storedNewsFeed, store)

newsFeedContract("articles collected from publishers' feeds", layerStoredNews, { now, coin: "BTC", symbol: "AAPL" })

withLayer(layerStoredNews, { timeout: 60_000 })("collected articles", (it) => {
  it.effect("equal the published ones, except for data that no feed carries", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const feed = yield* NewsFeed
      const [actual, all] = [yield* readValue(feed.articles(interval)), yield* readValue(sim.articles(interval))]
      const keyOf = ({ url }: Article) => url.split("?")[0]!
      const expected = new Map(all.map((article) => [keyOf(article), article]))
      // Only copies of other articles are missing in the result.
      assert.isAbove(actual.length, 0.6 * all.length)
      for (const article of actual) {
        const right = expected.get(keyOf(article)) ?? assert.fail(`no publisher has "${article.title}"`)
        for (const part of ["title", "body", "language", "source"] as const) {
          assert.strictEqual(article[part], right[part])
        }
        assert.include([right.time, Math.floor(right.time / 1_000) * 1_000], article.time)
        assert.includeMembers([...article.coins], right.coins.filter((coin) => coins.includes(coin)))
        assert.includeMembers([...article.symbols], [...right.symbols])
        assert.isNull(article.sentiment)
      }
    }))
})

const embeddings = Layer.succeed(Embeddings, {
  model: "letters",
  dimension: 32,
  minSimilarity: 0,
  embed: (texts) =>
    Effect.succeed(texts.map((text) => {
      const vector = new Float32Array(32)
      for (const letter of text) vector[letter.codePointAt(0)! % 32]! += 1
      const length = Math.hypot(...vector) || 1
      return vector.map((one) => one / length)
    }))
})

const tools = toolsOf([getLatestNews, getNewsSentiment, searchNews])

withLayer(
  tools.pipe(
    Layer.provideMerge(layerNewsSearch),
    Layer.provideMerge(embeddings),
    Layer.provideMerge(Layer.merge(market, layerStoredNews))
  ),
  { timeout: 60_000 }
)("news tools over collected articles", (it) => {
  it.effect("return the newest articles and their sentiment, and find articles by their words", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const latest = yield* callHandler(getLatestNews, { coin: "BTC", top: 5 })
      assert.lengthOf(latest.articles, 5)
      assert.isTrue(latest.articles.every(({ coins }) => coins.includes("BTC")))
      assert.isTrue(latest.articles.some(({ sentiment }) => sentiment !== null))
      const tone = yield* callHandler(getNewsSentiment, { coin: "BTC" })
      assert.isAbove(tone.n, 0)
      const result = yield* callHandler(searchNews, { query: "crypto close bitcoin", days: 7, top: 3 })
      assert.lengthOf(result.articles, 3)
      assert.isTrue(result.articles.some(({ snippet, title }) => /bitcoin/iu.test(`${title} ${snippet}`)))
    }))
})

const feedOf = (name: string, publisher = name) => {
  let items: ReadonlyArray<FeedItem> = []
  const feed: PublishedFeed = {
    feed: { name, publisher, language: "en", url: "https://a.example/feed" },
    items: Effect.map(Effect.clockWith((clock) => clock.currentTimeMillis), (receivedAt) => ({
      value: { language: "en", items },
      receivedAt,
      date: receivedAt
    }))
  }
  return { feed, setItems: (...all: ReadonlyArray<FeedItem>) => void (items = all) }
}

const item = (part: Partial<FeedItem>): FeedItem => ({
  guid: "1",
  url: "https://a.example/news/bitcoin-falls",
  title: "Bitcoin falls by a tenth in an hour",
  excerpt: "",
  publishedAt: now - hourMs,
  tags: [],
  ...part
})

const collecting = Effect.fnUntraced(function*(feeds: ReadonlyArray<PublishedFeed>) {
  yield* TestClock.setTime(now)
  const store = yield* MarketStore
  const leadership = yield* store.acquireLeadership({ source: "news", holder: "test", ttlMs: hourMs })
  if (leadership._tag !== "Leads") return assert.fail("another process leads")
  const begin = newsCollector({ feeds, coins }).start(store)
  let { fetch } = yield* begin
  const write = Effect.gen(function*() {
    const { events, onWritten } = yield* fetch
    // The type cast is safe, because the events have the columns of the kind.
    const rows = events as ReadonlyArray<(typeof events)[number] & { readonly sentiment: null }>
    const { changed } = yield* store.writeEvents({ kind: eventsKinds.articles, fence: leadership.fence, events: rows })
    yield* onWritten ?? Effect.void
    return changed
  })
  const articles = Effect.gen(function*() {
    const { events } = yield* store.events({ kind: eventsKinds.articles, from: 0, to: 4e12, limit: 1_000 })
    return yield* Effect.forEach(
      events,
      ({ document, id, label, time }) =>
        Effect.map(articleCodec.read(document!), ({ title }) => ({ id, label, time, title }))
    )
  })
  return {
    write,
    articles,
    isReplaced: Effect.flatMap(begin, (collector) => Effect.sync(() => void ({ fetch } = collector)))
  }
})

it.effect("stores an article once despite other names, URLs or publishers, and after a restart", () =>
  Effect.gen(function*() {
    const [one, two] = [feedOf("one"), feedOf("two")]
    const { articles, isReplaced, write } = yield* collecting([one.feed, two.feed])
    one.setItems(item({}))
    assert.isAbove(yield* write, 0)
    const [first] = yield* articles
    const copies = [
      item({}),
      item({ guid: "2", url: "http://www.a.example/news/bitcoin-falls/?utm_source=rss&fbclid=5#top" }),
      item({ guid: "3", url: "https://b.example/x", title: "Bitcoin falls, by a tenth in an hour!" })
    ]
    for (const copy of copies) {
      two.setItems(copy)
      assert.strictEqual(yield* write, 0)
    }
    yield* isReplaced
    for (const copy of copies) {
      two.setItems(copy)
      assert.strictEqual(yield* write, 0)
    }
    assert.deepStrictEqual(yield* articles, [first!])
    two.setItems(
      item({ guid: "4", url: "https://b.example/y", title: "Bitcoin" }),
      item({ guid: "5", url: "https://b.example/z", title: "Bitcoin" })
    )
    yield* write
    yield* TestClock.adjust(5 * dayMs)
    two.setItems(item({ guid: "6", url: "https://b.example/later", publishedAt: now + 4 * dayMs }))
    yield* write
    assert.lengthOf(yield* articles, 4)
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("recognises the oldest article of a day with more articles than one read of the store returns", () =>
  Effect.gen(function*() {
    const one = feedOf("one")
    const { isReplaced, write } = yield* collecting([one.feed])
    const oldest = item({ publishedAt: now - 4 * hourMs })
    one.setItems(
      oldest,
      ...Array.from({ length: 10_000 }, (_, i) =>
        item({
          guid: `later ${i}`,
          url: `https://a.example/later/${i}`,
          title: `Number ${i}`,
          publishedAt: now - 3 * hourMs + 1_000 * i
        }))
    )
    yield* write
    yield* isReplaced
    one.setItems(item({ guid: "2", url: "https://b.example/copy", title: oldest.title }))
    assert.strictEqual(yield* write, 0)
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("updates a corrected article, and keeps its first time", () =>
  Effect.gen(function*() {
    const [one, two] = [feedOf("one"), feedOf("two")]
    const { articles, write } = yield* collecting([one.feed, two.feed])
    one.setItems(item({}))
    yield* write
    one.setItems(item({ title: "Bitcoin falls by a fifth in an hour", publishedAt: now - minuteMs }))
    yield* write
    // Another feed of the publisher still contains the old version, which must not undo the correction.
    two.setItems(item({}))
    yield* write
    const [first, ...others] = yield* articles
    assert.lengthOf(others, 0)
    assert.deepStrictEqual([first!.title, first!.time], ["Bitcoin falls by a fifth in an hour", now - hourMs])
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("dates an article without a plausible date by its arrival, and skips an old one", () =>
  Effect.gen(function*() {
    const one = feedOf("one")
    const { articles, isReplaced, write } = yield* collecting([one.feed])
    const undated = [
      item({ guid: "1", url: "https://a.example/1", title: "No date at all was told of this", publishedAt: null }),
      item({ guid: "2", url: "https://a.example/2", title: "From next year it came", publishedAt: now + 400 * dayMs }),
      item({ guid: "3", url: "https://a.example/3", title: "A clock that is ahead", publishedAt: now + minuteMs }),
      item({ guid: "4", url: "https://a.example/4", title: "Long ago this was news", publishedAt: now - 99 * dayMs })
    ]
    one.setItems(...undated)
    yield* write
    yield* TestClock.adjust(2 * hourMs)
    yield* isReplaced
    yield* write
    const storedArticles = yield* articles
    assert.deepStrictEqual(storedArticles.map(({ time }) => time), [now, now, now])
    assert.isFalse(storedArticles.some(({ title }) => title.startsWith("Long ago")))
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("returns an article again until it is written", () =>
  Effect.gen(function*() {
    const one = feedOf("one")
    yield* TestClock.setTime(now)
    const store = yield* MarketStore
    const { fetch } = yield* newsCollector({ feeds: [one.feed], coins }).start(store)
    one.setItems(item({}))
    assert.lengthOf((yield* fetch).events, 1)
    // The articles are returned again, because the caller did not report a successful write.
    assert.lengthOf((yield* fetch).events, 1)
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("collects the other feeds while one feed breaks its reader", () =>
  Effect.gen(function*() {
    const [goodFeed, badFeed, oddFeed] = [feedOf("good"), feedOf("bad"), feedOf("odd")]
    yield* TestClock.setTime(now)
    const store = yield* MarketStore
    const brokenFeed = { ...badFeed.feed, items: Effect.die(new Error("a reader's mistake")) }
    const { fetch } = yield* newsCollector({ feeds: [brokenFeed, oddFeed.feed, goodFeed.feed], coins }).start(store)
    goodFeed.setItems(item({}))
    // A symbol as the title, which no feed reader can return, makes the collector throw.
    oddFeed.setItems(item({ guid: "2", url: "https://a.example/2", title: Symbol("title") as unknown as string }))
    for (const _ of [1, 2]) {
      const { events, faults, onWritten } = yield* fetch
      assert.lengthOf(events, 1)
      assert.deepStrictEqual(faults.map(({ reason }) => reason.split(":")[0]), ["bad", "odd"])
      yield* onWritten ?? Effect.void
    }
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("collects the other feeds while one fails, and names the failed feed", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const server = yield* makeFakeServer((request) =>
      request.path === "/bad" ? Effect.succeed({ status: 404, body: "" }) : makeNewsPublishers(sim)(request)
    )
    const store = yield* MarketStore
    yield* writeListed(store, now).pipe(Effect.provide(ports))
    const goodFeed = {
      name: "good",
      publisher: "Harbour Wire",
      language: "en",
      url: `${server.url}${feedPath("Harbour Wire")}`
    } as const
    const badFeed = { name: "bad", publisher: "Bad", language: "en", url: `${server.url}/bad` } as const
    const collect = Effect.fnUntraced(function*(feeds: ReadonlyArray<NewsFeedSource>) {
      const context = yield* Layer.build(Layer.provide(layerNewsFeeds({ feeds }), SourceHealth.layer))
      return yield* newsCollector({ feeds: Context.get(context, NewsFeeds), coins }).start(store)
    })
    const goodItems = yield* (yield* collect([goodFeed])).fetch
    const { fetch } = yield* collect([goodFeed, badFeed])
    const { events, faults: [fault, ...others] } = yield* fetch
    assert.isAbove(events.length, 0)
    assert.deepStrictEqual(events, goodItems.events)
    assert.lengthOf(others, 0)
    assert.match(fault!.reason, /^bad: /u)
    server.fail({ _tag: "reset" })
    const failed = yield* Effect.forkChild(Effect.flip(fetch))
    yield* Effect.forkChild(Effect.forever(TestClock.adjust(1_000)))
    assert.strictEqual((yield* Fiber.join(failed))._tag, "SourceUnavailable")
  }).pipe(Effect.scoped, Effect.provide(MemoryMarketStore)))

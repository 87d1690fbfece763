/** Tests that data which was never read is not reported as absent. */
import { assert, it } from "@effect/vitest"
import { ExchangeRates, hourMs, type MarketError, NewsFeed, readValue } from "@tapeline/core/market"
import { eventsKinds, MarketStore } from "@tapeline/core/market/store"
import { MemoryMarketStore } from "@tapeline/testing"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MarketHealth, type MarketReport, NewsFeeds, type SourceState } from "../../src/index.ts"
import { layerRates } from "../../src/live/krwAndCoinFacts.ts"
import { layerNews } from "../../src/live/newsAndPosts.ts"
import { articleCodec, coinDocument } from "../../src/stored/documents.ts"

const now = Date.parse("2026-11-20T15:00:00.000Z")

const stateOf = (source: string, state: SourceState["state"]): SourceState => ({
  source,
  state,
  breaker: "closed",
  lastSuccessAt: state === "up" ? now : null,
  lastFault: state === "up" ? null : { at: now, failure: "unreachable", reason: "it is silent" },
  blockedUntil: null,
  limitedUntil: null,
  next: null,
  unavailableSince: null,
  skewMs: null,
  successes: 0,
  faults: { unreachable: 0, rate_limited: 0, malformed: 0, not_configured: 0, blocked: 0, filling: 0 },
  waiting: 0
})

/** The state that the leader of the feeds publishes. A null `completeAt` means that no articles were written yet. */
const reportOf = (completeAt: number | null): MarketReport => ({
  sources: [stateOf("news/paper", "up"), stateOf("ecb", "failing"), stateOf("upbit", "up")],
  collectorsBySource: [{
    source: "news",
    lead: "leads",
    holder: "this",
    collectors: [{
      name: "articles",
      lagMs: null,
      gaps: 0,
      missingMs: 0,
      lostMs: 0,
      completeAt,
      unlisted: [],
      lastFault: null
    }]
  }]
})

const feeds = ["paper", "wire", "gazette", "herald"].map((name) => ({
  feed: { name, publisher: name, language: "en", url: "http://127.0.0.1:9/" },
  items: Effect.die(new Error("the feed is not requested"))
}))

const over = (report: MarketReport) =>
  Layer.merge(layerNews, layerRates({})).pipe(
    Layer.provide(Layer.succeed(NewsFeeds, feeds)),
    Layer.provide(Layer.succeed(MarketHealth, { register: () => Effect.void, report: Effect.succeed(report) }))
  )

const sourceOf = (error: MarketError) =>
  error._tag === "SourceUnavailable" ? [error.source, error.failure] : [error._tag]

it.effect("reports unread feeds as a source fault, unless the store has older articles", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const store = yield* MarketStore
    const leadership = yield* store.acquireLeadership({ source: "test", holder: "test", ttlMs: hourMs })
    if (leadership._tag !== "Leads") return assert.fail("another process leads")
    const { fence } = leadership
    const fields = { key: "BTC", time: now, source: "test" }
    const facts = { name: "Bitcoin", sector: "layer1", circulatingSupply: null, maxSupply: null, listedAt: 0 }
    const row = coinDocument.encodeRow(fields, { ...facts, delistedAt: null, isStablecoin: false })
    yield* store.writeDocuments({ kind: coinDocument.kind, fence, documents: [row] })
    const readArticles = (report: MarketReport) =>
      Effect.flatMap(NewsFeed, (feed) => feed.articles({ coin: "BTC", from: now - hourMs, to: now })).pipe(
        Effect.provide(Layer.fresh(over(report)))
      )
    const unread = sourceOf(yield* Effect.flip(readArticles(reportOf(null))))
    assert.deepStrictEqual(unread, ["news of paper, wire, gazette and 1 more", "unreachable"])
    assert.deepStrictEqual(yield* readValue(readArticles(reportOf(now))), [])

    const article = { url: "http://a/1", title: "One", body: "", language: "en", coins: [], symbols: [] }
    const event = {
      id: "1",
      time: now - 9 * hourMs,
      subjects: [],
      source: "paper",
      label: "Paper",
      document: articleCodec.write(article),
      sentiment: null
    }
    yield* store.writeEvents({ kind: eventsKinds.articles, fence, events: [event] })
    assert.deepStrictEqual(yield* readValue(readArticles(reportOf(null))), [])
  }).pipe(Effect.provide(MemoryMarketStore)))

it.effect("reports a missing rate as a fault of its own source, not of the other rate's", () =>
  Effect.gen(function*() {
    yield* TestClock.setTime(now)
    const rates = yield* ExchangeRates
    const dollar = yield* Effect.flip(rates.rate({ pair: "usd_krw" }))
    assert.deepStrictEqual(sourceOf(dollar), ["ecb", "unreachable"])
    const usdt = yield* Effect.flip(rates.rate({ pair: "usdt_krw" }))
    assert.deepStrictEqual(sourceOf(usdt), ["NoData"])
  }).pipe(Effect.provide(over(reportOf(null))), Effect.provide(MemoryMarketStore)))

import { assert, it } from "@effect/vitest"
import { EquityMarkets, ExchangeRates, type MarketPorts, NewsFeed, NoData, SourceUnavailable } from "@tapeline/core"
import {
  getKimchiPremium,
  getKrListings,
  getKrMarket,
  getLatestNews,
  getNewsSentiment,
  searchNews
} from "@tapeline/core/specifications"
import { callExpectingFailure, callTool } from "@tapeline/testing/toolCalls"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SimMarket } from "../src/index.ts"
import { layerEngineOver } from "./support/engine.ts"
import { now, testWorld } from "./support/markets.ts"

const all = SimMarket.makePorts(testWorld)
const [equities, feed, rates] = [
  Context.get(all, EquityMarkets),
  Context.get(all, NewsFeed),
  Context.get(all, ExchangeRates)
]
const failAsUnreachable = (source: string) =>
  Effect.fail(new SourceUnavailable({ source, failure: "unreachable", reason: "it is silent", retryable: true }))

const withoutStocks = (market: Context.Context<MarketPorts>) =>
  Context.add(market, EquityMarkets, {
    ...equities,
    stocks: () => failAsUnreachable("yahoo"),
    stock: () => failAsUnreachable("yahoo"),
    market: () => failAsUnreachable("yahoo")
  })

const withoutDollar = (market: Context.Context<MarketPorts>) =>
  Context.add(market, ExchangeRates, {
    ...rates,
    rate: (query) => query.pair === "usd_krw" ? failAsUnreachable("ecb") : rates.rate(query)
  })

/** Provides a market whose list of stocks was never read, so that no article is assigned to a stock. */
const withoutSymbols = (market: Context.Context<MarketPorts>) =>
  Context.add(market, NewsFeed, {
    articles: (query) => {
      const { symbol } = query
      if (symbol === undefined) return feed.articles(query)
      const reason = { key: "none_recorded", params: { symbol } } as const
      return Effect.fail(new NoData({ subject: `${symbol} news`, reason }))
    }
  })

const over = (market: Context.Context<MarketPorts>) => <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(now), effect).pipe(Effect.provide(layerEngineOver(Layer.succeedContext(market))))

const assertNamed = (notes: ReadonlyArray<string>, source: string) =>
  assert.isTrue(notes.some((note) => note.startsWith(`${source} `)), notes.join("\n"))

it.effect("get_kr_market returns without stocks or without the USD/KRW rate, and fails without both", () =>
  Effect.gen(function*() {
    const noStocks = yield* over(withoutStocks(all))(callTool(getKrMarket, {}))
    assert.deepStrictEqual([noStocks.kospi, noStocks.breadth, noStocks.sectors], [null, null, []])
    assert.isAbove(noStocks.usd_krw!.rate, 1_000)
    assertNamed(noStocks.notes, "yahoo")
    const noDollar = yield* over(withoutDollar(all))(callTool(getKrMarket, {}))
    assert.isNull(noDollar.usd_krw)
    assert.isAbove(noDollar.kospi!.value, 0)
    assertNamed(noDollar.notes, "ecb")
    const failure = yield* over(withoutDollar(withoutStocks(all)))(callExpectingFailure(getKrMarket, {}))
    assert.strictEqual(failure.code, "source_unavailable")
    assert.include(failure.message, "`yahoo`")
  }))

it.effect("without the USD/KRW rate, listings have no premium, and get_kimchi_premium fails", () =>
  over(withoutDollar(all))(Effect.gen(function*() {
    const { listings, notes } = yield* callTool(getKrListings, {})
    assert.isAbove(listings.length, 0)
    assert.isTrue(listings.every(({ premium_now_pct }) => premium_now_pct === null))
    assert.isTrue(listings.some(({ krw_price }) => krw_price !== null))
    assertNamed(notes, "ecb")
    const failure = yield* callExpectingFailure(getKimchiPremium, {})
    assert.strictEqual(failure.code, "source_unavailable")
    assert.include(failure.message, "`ecb`")
  })))

it.effect("search_news returns articles and a note if the stock source is unreachable", () =>
  Effect.gen(function*() {
    const search = callTool(searchNews, { query: "bitcoin", since_hours: 168 })
    const { articles, notes } = yield* over(withoutStocks(all))(search)
    assert.isAbove(articles.length, 0)
    assertNamed(notes, "yahoo")
    assert.isFalse((yield* over(all)(search)).notes.some((note) => note.startsWith("yahoo ")))
  }), 120_000)

it.effect(
  "news of a stock are the articles that name it if no article is assigned to a stock",
  () =>
    Effect.gen(function*() {
      const known = yield* over(all)(callTool(getLatestNews, { symbol: "AMZN", top: 5 }))
      assert.isAbove(known.articles.length, 0)
      const named = yield* over(withoutSymbols(all))(callTool(getLatestNews, { symbol: "AMZN", top: 5 }))
      assert.strictEqual(named.symbol, "AMZN")
      assert.isAbove(named.articles.length, 0)
      assert.isTrue(named.articles.every(({ snippet, title }) => /AMZN|Amazon|아마존/iu.test(`${title} ${snippet}`)))
      assert.isTrue(named.notes.some((note) => note.includes("stored by stock")))
      const layerWithoutSymbols = over(withoutSymbols(withoutStocks(all)))
      const byWord = yield* layerWithoutSymbols(callTool(getLatestNews, { symbol: "amazon", top: 5 }))
      assert.isNull(byWord.symbol)
      assert.isAbove(byWord.articles.length, 0)
      assertNamed(byWord.notes, "yahoo")
      assertNamed(
        (yield* layerWithoutSymbols(callTool(getNewsSentiment, { symbol: "amazon", hours: 168 }))).notes,
        "yahoo"
      )
      const failure = yield* layerWithoutSymbols(callExpectingFailure(getLatestNews, { symbol: "ZZZQ" }))
      assert.strictEqual(failure.code, "source_unavailable")
      assert.include(failure.message, "`yahoo`")
    }),
  120_000
)

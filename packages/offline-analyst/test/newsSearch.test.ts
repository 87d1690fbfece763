import { assert, describe, it } from "@effect/vitest"
import { Embeddings, layerNewsSearch, makeNewsIndexMemory, NewsIndex, NewsSearch } from "@tapeline/core/analysis"
import { type Article, makeReading, NewsFeed } from "@tapeline/core/market"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { newsIndexContract } from "@tapeline/testing/contracts/newsIndex"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { corpus, questions } from "./support/corpus.ts"
import { inventedQuestions } from "./support/invented.ts"
import { labelled, opposites } from "./support/labelled.ts"

const now = Date.parse("2026-11-20T15:33:22.517Z")
const dayMs = 86_400_000

const makeFeed = (articles: ReadonlyArray<Article>) =>
  Layer.succeed(NewsFeed, {
    articles: ({ from, to }) =>
      Effect.succeed(makeReading(articles.filter(({ time }) => time >= from && time < to), "test", now))
  })
const feedOf = makeFeed(corpus(now))
const searching = layerNewsSearch.pipe(Layer.provide([feedOf, LocalEmbeddings]))

/** An embedding model that only compares vectors, like the models of network providers. */
const withoutConcepts = Layer.effect(
  Embeddings,
  Effect.map(Embeddings, ({ getConcepts: _, ...embeddings }) => embeddings)
).pipe(Layer.provide(LocalEmbeddings))

const idOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1)

const companies = [["Tesla"], ["S-Oil", "에쓰오일"]]

const answers = Effect.gen(function*() {
  yield* TestClock.setTime(now)
  const { search } = yield* NewsSearch
  return yield* Effect.forEach(
    questions,
    ([query, ...expected]) =>
      Effect.map(search({ query, companies, from: now - 7 * dayMs, top: 3 }), ({ articles }) => {
        const found = articles.map(({ url }) => idOf(url))
        return { query, expected, found, place: found.findIndex((id) => expected.includes(id)) }
      })
  )
}).pipe(Effect.provide(searching))

newsIndexContract("memory", Layer.effect(NewsIndex, Effect.sync(makeNewsIndexMemory)), { runs: 100 })

describe("news search by meaning and by words", () => {
  it.effect("finds the expected articles in three languages and across them", () =>
    Effect.gen(function*() {
      const all = yield* answers
      const first = all.filter(({ place }) => place === 0).length / all.length
      const third = all.filter(({ place }) => place >= 0).length / all.length
      console.log(`${all.length} questions: hit@1 ${(100 * first).toFixed(0)} %, hit@3 ${(100 * third).toFixed(0)} %`)
      const missed = all.filter(({ place }) => place !== 0)
        .map(({ expected, found, query }) => `${query}: ${expected.join(", ")}, not ${found.join(", ")}`)
      console.log(missed.join("\n"))
      assert.isAtLeast(first, 0.8, missed.join("\n"))
      assert.isAtLeast(third, 0.95, missed.join("\n"))
    }))

  it.effect("returns most relevant articles, and few of another subject or of the opposite", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { search } = yield* NewsSearch
      const all = yield* Effect.forEach(
        labelled,
        ([query, ...relevant]) =>
          Effect.map(search({ query, companies, from: now - 7 * dayMs, top: 10 }), ({ articles, notes }) => {
            const found = articles.map(({ url }) => idOf(url))
            if (found.length === 0) assert.match(notes.join(), /No article of this period matches/u)
            return { query, relevant, found, right: found.filter((id) => relevant.includes(id)) }
          })
      )
      const sum = (count: (one: typeof all[number]) => number) => all.reduce((total, one) => total + count(one), 0)
      const right = sum((one) => one.right.length)
      const precision = right / sum(({ found }) => found.length)
      const recall = right / sum(({ relevant }) => relevant.length)
      const wrong = all.filter(({ found, relevant, right }) => right.length < Math.max(found.length, relevant.length))
        .map(({ found, query, relevant }) => `${query}: ${relevant.join(", ")}; found ${found.join(", ")}`).join("\n")
      console.log(`precision ${(100 * precision).toFixed(0)} %, recall ${(100 * recall).toFixed(0)} %`)
      assert.isAtLeast(precision, 0.92, wrong)
      assert.isAtLeast(recall, 0.92, wrong)
      // Most questions about subjects outside the corpus have no result.
      const none = all.filter(({ relevant }) => relevant.length === 0)
      assert.isAtLeast(none.filter(({ found }) => found.length === 0).length / none.length, 0.95, wrong)
    }).pipe(Effect.provide(searching)))

  it.effect.each<readonly [query: string, model: typeof LocalEmbeddings, expected: ReadonlyArray<string>]>([
    ["달러 환율", LocalEmbeddings, ["ko-won"]],
    ["솔라나 업그레이드", withoutConcepts, ["ko-upgrade"]],
    ["chip maker misses estimates", withoutConcepts, []]
  ])(
    "omits articles that are much further from the question than the nearest one: %s",
    ([query, model, expected]) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const { search } = yield* NewsSearch
        const { articles } = yield* search({ query, companies, from: now - 7 * dayMs, top: 10 })
        assert.deepStrictEqual(articles.map(({ url }) => idOf(url)), expected)
      }).pipe(Effect.provide(layerNewsSearch.pipe(Layer.provide([feedOf, model]))))
  )

  it.effect("returns no article that states the opposite of the question", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { search } = yield* NewsSearch
      for (const [query, opposite] of opposites) {
        const { articles } = yield* search({ query, companies, from: now - 7 * dayMs, top: 50 })
        assert.notInclude(articles.map(({ url }) => idOf(url)), opposite, query)
      }
    }).pipe(Effect.provide(searching)))

  it.effect("returns no article for a question about an invented name", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(now)
      const { search } = yield* NewsSearch
      for (const query of inventedQuestions) {
        const { articles } = yield* search({ query, companies, from: now - 7 * dayMs, top: 10 })
        assert.deepStrictEqual(articles.map(({ url }) => idOf(url)), [], query)
      }
    }).pipe(Effect.provide(searching)))

  it.effect.each<readonly [query: string, expected: string]>([
    ["Recent bridge hacks", "bridge"],
    ["Stablecoin Regulation In Europe", "mica"],
    ["스테이블코인 규제 알려줘", "ko-rule"],
    ["스테이블코인 규제 최신뉴스", "ko-rule"],
    ["Последние новости о взломе моста", "bridge"]
  ])(
    "finds articles for a question with an unknown word that is not a name: %s",
    ([query, expected]) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const { search } = yield* NewsSearch
        const { articles } = yield* search({ query, companies, from: now - 7 * dayMs, top: 10 })
        assert.include(articles.map(({ url }) => idOf(url)), expected)
      }).pipe(Effect.provide(searching))
  )

  it.effect.each(["взлом биржи Полоникс", "폴로닉스 거래소 해킹", "Poloniex exchange hack"])(
    "finds a name that the article writes in another script: %s",
    (query) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(now)
        const { search } = yield* NewsSearch
        const { articles } = yield* search({ query, companies, from: now - 7 * dayMs, top: 1 })
        assert.deepStrictEqual(articles.map(({ url }) => idOf(url)), ["poloniex"])
      }).pipe(Effect.provide(layerNewsSearch.pipe(Layer.provide([
        makeFeed([...corpus(now), {
          ...corpus(now)[0]!,
          id: "poloniex",
          url: "https://news.example/poloniex",
          coins: [],
          title: "Poloniex loses $114 million in a hack",
          body: "Attackers drained a hot wallet of the crypto exchange."
        }]),
        LocalEmbeddings
      ]))))
  )
})

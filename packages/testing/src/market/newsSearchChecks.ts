import { assert } from "@effect/vitest"
import { runAsOf } from "@tapeline/core"
import {
  Embeddings,
  hashText,
  layerNewsSearch,
  makeNewsIndexMemory,
  NewsIndex,
  type NewsIndexService,
  NewsSearch,
  splitWords
} from "@tapeline/core/analysis"
import { type Article, dayMs, hourMs, makeReading, NewsFeed } from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"

const dimension = 64

/**
 * Creates embeddings with a separate dimension for each word. Embeddings with separate dimensions distinguish texts
 * clearly and produce many ties.
 */
const wordEmbeddings = (model: string) =>
  Embeddings.of({
    model,
    dimension,
    minSimilarity: 0.05,
    // Words with a common beginning share a concept.
    getConcepts: (words) => words.map(({ stem }) => [stem.slice(0, 3)]),
    embed: (texts) =>
      Effect.succeed(texts.map((text) => {
        const sums = new Float32Array(dimension)
        for (const { stem } of splitWords(text)) sums[(hashText(stem) >>> 1) % dimension]! += 1
        const length = Math.hypot(...sums)
        return length === 0 ? sums : sums.map((x) => x / length)
      }))
  })

const subjects = ["bitcoin falls", "비트코인이 하락했다", "Биткоин упал", "ETF inflows", "거래소 해킹", "взлом биржи"]
const titleEndings = ["", " again", ", traders say", " after a hack", " — 속보"]

const makeArticles = (now: number): ReadonlyArray<Article> =>
  Array.from({ length: 240 }, (_, i): Article => ({
    id: `${i % 7}-${i}`,
    time: now - hourMs * (1 + Math.floor(i / 2)),
    source: "A wire",
    url: `https://news.example/${i}`,
    title: `${subjects[i % subjects.length]}${titleEndings[i % titleEndings.length]}`,
    body: `${subjects[(i * 5 + 1) % subjects.length]}. ${subjects[(i * 7 + 2) % subjects.length]}.`,
    language: "en",
    coins: i % 3 === 0 ? ["BTC"] : [],
    symbols: [],
    sentiment: null
  }))

const makeFeed = (articles: () => ReadonlyArray<Article>) =>
  NewsFeed.of({
    articles: ({ coin, from, to }) =>
      Effect.sync(() => {
        const expectedArticles = articles().filter((one) =>
          one.time >= from && one.time < to && (coin === undefined || one.coins.includes(coin))
        )
        return makeReading(expectedArticles.toSorted((a, b) => a.time - b.time), "test", to)
      })
  })

/** Search queries, including queries that a database or a pattern could misinterpret. */
const questions = [
  "bitcoin falls",
  "비트코인 하락",
  "биткоин",
  "hack of an exchange: 거래소 해킹, взлом",
  "inflows & ! | <-> :* 'etf'",
  "100% _ \\ '; drop table news_articles; --",
  "?!… 👩‍👩‍👧",
  "\0 \ud800",
  "해킹".repeat(250)
]

const buildSearch = (index: NewsIndexService, model: string, now: number) =>
  Effect.map(
    Layer.build(
      Layer.fresh(layerNewsSearch).pipe(
        Layer.provide(Layer.succeed(NewsIndex, index)),
        Layer.provide(Layer.succeed(NewsFeed, makeFeed(() => makeArticles(now)))),
        Layer.provide(Layer.succeed(Embeddings, wordEmbeddings(model)))
      )
    ),
    // `NewsSearch` is a reference with a default, so it is read within the built context.
    (context) => Effect.provideContext(Effect.service(NewsSearch), context)
  ).pipe(Effect.flatten)

let modelCount = 0

/** Tests that compare the results of a news index with a simple search in memory. */
export const newsSearchChecks: ReadonlyArray<
  readonly [title: string, run: (index: NewsIndexService) => Effect.Effect<void, unknown>]
> = [[
  "a search over the index returns the results of a search in memory, also if two share the index",
  (index) =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const now = Math.floor(clock.currentTimeMillisUnsafe() / hourMs) * hourMs
      const model = `words-${++modelCount}`
      const memorySearch = yield* buildSearch(makeNewsIndexMemory(), model, now)
      const indexSearches = [yield* buildSearch(index, model, now), yield* buildSearch(index, model, now)]
      for (const query of questions) {
        for (const coin of [undefined, "BTC"]) {
          const searchQuery = { query, coin, from: now - 5 * dayMs, top: 20 }
          // A search waits a limited time for the requested days. For a read as of a fixed time, the search waits for
          // all days.
          const runSearch = ({ search }: typeof memorySearch) => runAsOf(search(searchQuery), now)
          const { articles } = yield* runSearch(memorySearch)
          const others = yield* Effect.forEach(indexSearches, runSearch, { concurrency: 2 })
          for (const other of others) assert.deepStrictEqual(other.articles, articles, query)
        }
      }
    }).pipe(Effect.scoped)
]]

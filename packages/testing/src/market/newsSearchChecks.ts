import { assert } from "@effect/vitest"
import {
  Embeddings,
  hashText,
  layerNewsSearch,
  makeMemoryNewsIndex,
  NewsIndex,
  type NewsIndexService,
  NewsSearch,
  wordsOf
} from "@tapeline/core/analysis"
import { type Article, dayMs, hourMs, NewsFeed, reading } from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"

const dimension = 64

/** Embeddings of words: each word has its own dimension, which separates texts and creates many ties. */
const wordEmbeddings = (model: string) =>
  Embeddings.of({
    model,
    dimension,
    unrelatedBelow: 0.05,
    // Words with the same beginning share a concept.
    concepts: (words) => words.map(({ stem }) => [stem.slice(0, 3)]),
    embed: (texts) =>
      Effect.succeed(texts.map((text) => {
        const sums = new Float32Array(dimension)
        for (const { stem } of wordsOf(text)) sums[(hashText(stem) >>> 1) % dimension]! += 1
        const length = Math.hypot(...sums)
        return length === 0 ? sums : sums.map((x) => x / length)
      }))
  })

const subjects = ["bitcoin falls", "비트코인이 하락했다", "Биткоин упал", "ETF inflows", "거래소 해킹", "взлом биржи"]
const ends = ["", " again", ", traders say", " after a hack", " — 속보"]

/** Articles of few kinds over ten days, so that many rank equally. */
const manyArticles = (now: number): ReadonlyArray<Article> =>
  Array.from({ length: 240 }, (_, i): Article => ({
    id: `${i % 7}-${i}`,
    // Two articles at each time.
    time: now - hourMs * (1 + Math.floor(i / 2)),
    source: "A wire",
    url: `https://news.example/${i}`,
    title: `${subjects[i % subjects.length]}${ends[i % ends.length]}`,
    body: `${subjects[(i * 5 + 1) % subjects.length]}. ${subjects[(i * 7 + 2) % subjects.length]}.`,
    language: "en",
    coins: i % 3 === 0 ? ["BTC"] : [],
    symbols: [],
    sentiment: null
  }))

const feedOf = (articles: () => ReadonlyArray<Article>) =>
  NewsFeed.of({
    articles: ({ coin, from, to }) =>
      Effect.sync(() => {
        const found = articles().filter((one) =>
          one.time >= from && one.time < to && (coin === undefined || one.coins.includes(coin))
        )
        return reading(found.toSorted((a, b) => a.time - b.time), "test", to)
      })
  })

/** Queries, including some that a database or a pattern could misread. */
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

const searching = (index: NewsIndexService, model: string, now: number) =>
  Effect.map(
    Layer.build(
      Layer.fresh(layerNewsSearch).pipe(
        Layer.provide(Layer.succeed(NewsIndex, index)),
        Layer.provide(Layer.succeed(NewsFeed, feedOf(() => manyArticles(now)))),
        Layer.provide(Layer.succeed(Embeddings, wordEmbeddings(model)))
      )
    ),
    // The layer holds a reference, so its service is read within the built context.
    (built) => Effect.provideContext(Effect.service(NewsSearch), built)
  ).pipe(Effect.flatten)

/**
 * A clock for the search that does not advance. However long the search fills the requested days, no time passes, so it
 * waits for all of them. A partly filled search would report that and answer differently.
 */
const standing = (clock: Clock.Clock, now: number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => now,
  currentTimeMillis: Effect.succeed(now),
  currentTimeNanosUnsafe: () => BigInt(now) * 1_000_000n,
  currentTimeNanos: Effect.succeed(BigInt(now) * 1_000_000n),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  sleep: (duration) => clock.sleep(duration)
})

let used = 0

/** Compares a search over an index with a search over memory. */
export const newsSearchChecks: ReadonlyArray<
  readonly [title: string, run: (index: NewsIndexService) => Effect.Effect<void, unknown>]
> = [[
  "a search over it tells what one over memory tells, and so do two that share it",
  (index) =>
    Effect.gen(function*() {
      const clock = yield* Clock.Clock
      const now = Math.floor(clock.currentTimeMillisUnsafe() / hourMs) * hourMs
      const model = `words-${++used}`
      const here = yield* searching(makeMemoryNewsIndex(), model, now)
      const there = [yield* searching(index, model, now), yield* searching(index, model, now)]
      for (const query of questions) {
        for (const coin of [undefined, "BTC"]) {
          const asked = { query, coin, from: now - 5 * dayMs, top: 20 }
          const ask = ({ search }: typeof here) =>
            Effect.provideService(search(asked), Clock.Clock, standing(clock, now))
          const { articles } = yield* ask(here)
          const others = yield* Effect.forEach(there, ask, { concurrency: 2 })
          for (const other of others) assert.deepStrictEqual(other.articles, articles, query)
        }
      }
    }).pipe(Effect.scoped)
]]

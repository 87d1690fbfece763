/** Search for news by meaning and by words, over the embeddings that need no network. */
import { assert, describe, it } from "@effect/vitest"
import { NewsFeed, reading } from "@tapeline/core/market"
import { layerNewsSearch, makeMemoryNewsIndex, NewsIndex, NewsSearch } from "@tapeline/core/news"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { newsIndexContract } from "@tapeline/testing/contracts/newsIndex"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { corpus, questions } from "./support/corpus.ts"

const now = Date.parse("2026-11-20T15:33:22.517Z")
const dayMs = 86_400_000

const feedOf = Layer.succeed(NewsFeed, {
  articles: ({ from, to }) =>
    Effect.succeed(reading(corpus(now).filter(({ time }) => time >= from && time < to), "test", now))
})
const searching = layerNewsSearch.pipe(Layer.provide([feedOf, LocalEmbeddings]))

const idOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1)

/** The first three articles of each question. */
const answers = Effect.gen(function*() {
  yield* TestClock.setTime(now)
  const { search } = yield* NewsSearch
  return yield* Effect.forEach(
    questions,
    ([query, ...expected]) =>
      Effect.map(search({ query, from: now - 7 * dayMs, top: 3 }), ({ articles }) => {
        const found = articles.map(({ url }) => idOf(url))
        return { query, expected, found, place: found.findIndex((id) => expected.includes(id)) }
      })
  )
}).pipe(Effect.provide(searching))

newsIndexContract("memory", Layer.effect(NewsIndex, Effect.sync(makeMemoryNewsIndex)), { runs: 100 })

describe("news by meaning and by words", () => {
  it.effect("finds what was asked for, in three languages and across them", () =>
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
})

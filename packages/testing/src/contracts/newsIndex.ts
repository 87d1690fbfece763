import { assert, layer as withLayer } from "@effect/vitest"
import { type IndexedArticle, type NewsFilter, NewsIndex, type NewsIndexService } from "@tapeline/core/analysis"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { newsSearchChecks } from "../market/newsSearchChecks.ts"

const dayMs = 86_400_000
const today = Date.UTC(2026, 10, 20)
const dimension = 8

let modelCount = 0
/** Creates a model name that no other test uses, because all tests share one store. */
const makeModelName = (): string => `model-${++modelCount} ${"~".repeat(8)}`

const makeArticle = (id: string, overrides: Partial<IndexedArticle> = {}): IndexedArticle => ({
  id,
  digest: `digest of ${id}`,
  time: today + 1_000,
  source: "A wire",
  url: `https://news.example/${id}`,
  title: `Title of ${id}`,
  body: `Body of ${id}`,
  coins: ["BTC"],
  terms: [1, -2],
  vector: Int16Array.of(100, 0, 0, 0, 0, 0, 0, -7),
  ...overrides
})

const makeDay = (model: string, at = today) => ({
  model,
  day: at,
  readAt: at + 5_000,
  asOf: at + 4_000,
  sources: ["test"]
})
const makeWholeFilter = (model: string): NewsFilter => ({ model, from: today - 40 * dayMs, to: today + 40 * dayMs })

type Check = readonly [title: string, run: (index: NewsIndexService) => Effect.Effect<void, unknown>]

const readIds = (index: NewsIndexService, model: string, at = today) =>
  Effect.map(index.digests({ model, day: at }), (digests) => [...digests.keys()].sort())

const writeChecks: ReadonlyArray<Check> = [
  ["replaces a day: keeps unchanged articles, stores given ones, removes the rest", (index) =>
    Effect.gen(function*() {
      const model = makeModelName()
      const dayWrite = makeDay(model)
      assert.deepStrictEqual(yield* index.days({ model, from: 0, to: today + dayMs }), [])
      assert.isTrue(
        yield* index.write({
          ...dayWrite,
          articles: [makeArticle("a"), makeArticle("b"), makeArticle("c")],
          unchangedIds: []
        })
      )
      const correctedArticle = makeArticle("b", { digest: "another", title: "Mended", coins: [], terms: [5] })
      const later = { ...dayWrite, readAt: dayWrite.readAt + 1, sources: ["one", "two"] }
      assert.isTrue(
        yield* index.write({ ...later, articles: [correctedArticle, makeArticle("d")], unchangedIds: ["a"] })
      )
      assert.deepStrictEqual(
        yield* index.digests({ model, day: today }),
        new Map([["a", "digest of a"], ["b", "another"], ["d", "digest of d"]])
      )
      const { model: _, ...expectedDay } = later
      assert.deepStrictEqual(yield* index.days({ model, from: today, to: today + 1 }), [expectedDay])
      assert.deepStrictEqual(yield* index.days({ model, from: today + 1, to: today + dayMs }), [])
      const { digest, terms, vector, ...storedArticle } = correctedArticle
      assert.deepStrictEqual(yield* index.articles({ model, ids: ["b", "gone", "c"] }), new Map([["b", storedArticle]]))
      assert.deepStrictEqual((yield* index.matchTerms({ ...makeWholeFilter(model), terms: [5], limit: 9 })).groups, [
        { mask: 1, count: 1, newest: [{ id: "b", time: storedArticle.time }] }
      ])
      // An id may occur twice, because a feed may contain an article twice.
      assert.isTrue(yield* index.write({ ...later, articles: [], unchangedIds: ["a", "d", "a"] }))
      assert.deepStrictEqual(yield* readIds(index, model), ["a", "d"])
      assert.isTrue(yield* index.write({ ...later, articles: [], unchangedIds: [] }))
      assert.deepStrictEqual(yield* readIds(index, model), [])
      const filterWithoutTerms = { ...makeWholeFilter(model), vector, minProduct: 1, limit: 9 }
      assert.deepStrictEqual(yield* index.findNearest(filterWithoutTerms), [])
    })],
  [
    "rejects a write of an older reading, or with an unchanged article that is missing",
    (index) =>
      Effect.gen(function*() {
        const model = makeModelName()
        const dayWrite = makeDay(model)
        yield* index.write({ ...dayWrite, articles: [makeArticle("a")], unchangedIds: [] })
        const before = yield* index.days({ model, from: today, to: today + 1 })
        assert.isFalse(
          yield* index.write({
            ...dayWrite,
            readAt: dayWrite.readAt - 1,
            articles: [makeArticle("b")],
            unchangedIds: ["a"]
          })
        )
        assert.isFalse(
          yield* index.write({
            ...dayWrite,
            readAt: dayWrite.readAt + 1,
            articles: [makeArticle("b")],
            unchangedIds: ["a", "x"]
          })
        )
        assert.deepStrictEqual(yield* readIds(index, model), ["a"])
        assert.deepStrictEqual(yield* index.days({ model, from: today, to: today + 1 }), before)
      })
  ],
  [
    "separates models, moves an article to another day, and deletes old days of all models",
    (index) =>
      Effect.gen(function*() {
        const [one, other] = [makeModelName(), makeModelName()]
        const yesterday = today - dayMs
        yield* index.write({ ...makeDay(one), articles: [makeArticle("a"), makeArticle("b")], unchangedIds: [] })
        yield* index.write({
          ...makeDay(other, yesterday),
          articles: [makeArticle("a", { terms: [9] })],
          unchangedIds: []
        })
        assert.deepStrictEqual(yield* readIds(index, other), [])
        assert.deepStrictEqual((yield* index.matchTerms({ ...makeWholeFilter(one), terms: [9], limit: 9 })).groups, [])
        const movedArticle = makeArticle("a", { time: yesterday + 9 })
        yield* index.write({ ...makeDay(one, yesterday), articles: [movedArticle], unchangedIds: [] })
        assert.deepStrictEqual([yield* readIds(index, one), yield* readIds(index, one, yesterday)], [["b"], ["a"]])
        yield* index.deleteDays({ before: today })
        assert.deepStrictEqual([yield* readIds(index, one), yield* readIds(index, one, yesterday)], [["b"], []])
        assert.deepStrictEqual(yield* index.days({ model: other, from: 0, to: today }), [])
        assert.strictEqual((yield* index.matchTerms({ ...makeWholeFilter(one), terms: [], limit: 1 })).articles, 1)
        const { vector } = movedArticle
        assert.deepStrictEqual(
          (yield* index.findNearest({ ...makeWholeFilter(one), vector, minProduct: 1, limit: 9 })).map(({ id }) => id),
          ["b"]
        )
      })
  ],
  ["keeps the latest reading under concurrent writes of the same days", (index) =>
    Effect.gen(function*() {
      const model = makeModelName()
      const articles = Array.from({ length: 250 }, (_, i) => makeArticle(`a${i}`))
      yield* Effect.forEach(
        Array.from({ length: 12 }, (_, i) => i),
        (i) =>
          index.write({
            ...makeDay(model, today - (i % 3) * dayMs),
            readAt: today + i,
            articles: articles.map((one) => ({ ...one, id: `${one.id} of ${i % 3}` })).slice(i),
            unchangedIds: []
          }),
        { concurrency: "unbounded" }
      )
      for (const ago of [0, 1, 2]) {
        assert.strictEqual((yield* readIds(index, model, today - ago * dayMs)).length, 250 - 9 - ago)
      }
    })]
]

/** Generates ids that different collations sort differently, such as characters beyond 16 bits, spaces and quotes. */
const idArbitrary = fc.array(fc.constantFrom("a", "B", "b", "é", "가", "\uffee", "🙂", " ", "'", "\\", "%", "-"), {
  minLength: 1,
  maxLength: 4
}).map((signs) => signs.join(""))

const articlesArbitrary = fc.uniqueArray(
  fc.record({
    id: idArbitrary,
    time: fc.integer({ min: 0, max: 6 }),
    coins: fc.constantFrom<ReadonlyArray<string>>([], ["BTC"], ["BTC", "ETH"], ["E,{}\"'"]),
    terms: fc.uniqueArray(fc.constantFrom<number>(-2_147_483_648, -1, 0, 1, 7, 2_147_483_647)),
    // The vectors have few different values, so that products are often equal. The components of the vectors are as
    // large as those of a real model.
    vector: fc.array(fc.constantFrom<number>(0, 1, -1, 1_400, -1_399), {
      minLength: dimension,
      maxLength: dimension
    })
  }),
  { selector: ({ id }) => id, maxLength: 25 }
)
const questionArbitrary = fc.record({
  from: fc.integer({ min: 0, max: 3 }),
  to: fc.integer({ min: 3, max: 8 }),
  coin: fc.constantFrom(undefined, "BTC", "ETH", "E,{}\"'"),
  terms: fc.uniqueArray(fc.constantFrom<number>(-2_147_483_648, -1, 0, 1, 7, 2_147_483_647, 99), {
    maxLength: 5
  }),
  vector: fc.array(fc.constantFrom<number>(0, 1, -1, 1_400), {
    minLength: dimension,
    maxLength: dimension
  }),
  minProduct: fc.constantFrom(-4_000_000, 1, 1_000_000),
  limit: fc.integer({ min: 1, max: 12 })
})

type WrittenArticles = typeof articlesArbitrary extends fc.Arbitrary<infer A> ? A : never
type IndexQuery = typeof questionArbitrary extends fc.Arbitrary<infer A> ? A : never

const toBytes = (text: string) => Buffer.from(text, "utf8")

const computeExpected = (all: WrittenArticles, { coin, from, limit, minProduct, terms, to, vector }: IndexQuery) => {
  const inOrder = all
    .filter((one) => one.time >= from && one.time < to && (coin === undefined || one.coins.includes(coin)))
    .toSorted((a, b) => b.time - a.time || Buffer.compare(toBytes(a.id), toBytes(b.id)))
  const at = (time: number): number => today + time
  const nearest = inOrder
    .map(({ id, time, vector: articleVector }) => ({
      id,
      time: at(time),
      product: articleVector.reduce((sum, x, i) => sum + x * vector[i]!, 0)
    }))
    .filter(({ product }) => product >= minProduct)
    .toSorted((a, b) => b.product - a.product)
    .slice(0, limit)
  const groups = [
    ...Map.groupBy(inOrder, (one) => terms.reduce((sum, term, i) => sum + (one.terms.includes(term) ? 2 ** i : 0), 0))
  ]
    .filter(([mask]) => mask > 0)
    .toSorted(([a], [b]) => a - b)
    .map(([mask, vector]) => ({
      mask,
      count: vector.length,
      newest: vector.slice(0, limit).map(({ id, time }) => ({ id, time: at(time) }))
    }))
  return { nearest, matching: { articles: inOrder.length, groups } }
}

const assertAnswers = (index: NewsIndexService, all: WrittenArticles, queries: ReadonlyArray<IndexQuery>) =>
  Effect.gen(function*() {
    const model = makeModelName()
    const dayWrite = all.map((one) =>
      makeArticle(one.id, { ...one, time: today + one.time, vector: Int16Array.from(one.vector) })
    )
    assert.isTrue(yield* index.write({ ...makeDay(model), articles: dayWrite, unchangedIds: [] }))
    for (const one of queries) {
      const { from, limit, minProduct, terms, to, vector } = one
      const filter = { model, from: today + from, to: today + to, coin: one.coin }
      const nearest = yield* index.findNearest({ ...filter, vector: Int16Array.from(vector), minProduct, limit })
      const matching = yield* index.matchTerms({ ...filter, terms, limit })
      assert.deepStrictEqual({ nearest, matching }, computeExpected(all, one))
    }
  })

/** Defines the contract tests of `NewsIndex`, in which a search over the index must equal a search in memory. */
export const newsIndexContract = <E>(
  name: string,
  layer: Layer.Layer<never, E>,
  { runs = 15, timeoutMs = 60_000 }: { readonly timeoutMs?: number; readonly runs?: number } = {}
): void =>
  withLayer(layer, { timeout: timeoutMs, excludeTestServices: true })(`NewsIndex: ${name}`, (it) => {
    const indexEffect = Effect.map(NewsIndex, (index) => {
      if (index === null) throw new Error("the layer provides no NewsIndex")
      return index
    })
    for (const [title, run] of [...writeChecks, ...newsSearchChecks]) {
      it.effect(title, () => Effect.flatMap(indexEffect, run), timeoutMs)
    }
    it.effect("matches the port's specification for random articles and queries, including ties", () =>
      Effect.flatMap(indexEffect, (index) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(
              articlesArbitrary,
              fc.array(questionArbitrary, { minLength: 1, maxLength: 4 }),
              (all, queries) =>
                Effect.runPromise(assertAnswers(index, all, queries))
            ),
            { numRuns: runs }
          )
        )), timeoutMs)
  })

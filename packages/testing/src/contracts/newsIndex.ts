import { assert, layer as withLayer } from "@effect/vitest"
import { type IndexedArticle, type NewsFilter, NewsIndex, type NewsIndexService } from "@tapeline/core/analysis"
import { Effect, type Layer } from "effect"
import * as fc from "fast-check"
import { newsSearchChecks } from "../market/newsSearchChecks.ts"

const dayMs = 86_400_000
const today = Date.UTC(2026, 10, 20)
const dimension = 8

let used = 0
/** A new model name, so that tests share a store without sharing data. */
const newModel = (): string => `model-${++used} ${"~".repeat(8)}`

const article = (id: string, given: Partial<IndexedArticle> = {}): IndexedArticle => ({
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
  ...given
})

const day = (model: string, at = today) => ({ model, day: at, readAt: at + 5_000, asOf: at + 4_000, sources: ["test"] })
const whole = (model: string): NewsFilter => ({ model, from: today - 40 * dayMs, to: today + 40 * dayMs })

type Check = readonly [title: string, run: (index: NewsIndexService) => Effect.Effect<void, unknown>]

const idsOf = (index: NewsIndexService, model: string, at = today) =>
  Effect.map(index.digests({ model, day: at }), (digests) => [...digests.keys()].sort())

/** The tests of writing days. */
const writing: ReadonlyArray<Check> = [
  ["writes a day whole: keeps what is kept, puts what is given, removes the rest", (index) =>
    Effect.gen(function*() {
      const model = newModel()
      const put = day(model)
      assert.deepStrictEqual(yield* index.days({ model, from: 0, to: today + dayMs }), [])
      assert.isTrue(yield* index.write({ ...put, articles: [article("a"), article("b"), article("c")], kept: [] }))
      const changed = article("b", { digest: "another", title: "Mended", coins: [], terms: [5] })
      const later = { ...put, readAt: put.readAt + 1, sources: ["one", "two"] }
      assert.isTrue(yield* index.write({ ...later, articles: [changed, article("d")], kept: ["a"] }))
      assert.deepStrictEqual(
        yield* index.digests({ model, day: today }),
        new Map([["a", "digest of a"], ["b", "another"], ["d", "digest of d"]])
      )
      const { model: _, ...told } = later
      assert.deepStrictEqual(yield* index.days({ model, from: today, to: today + 1 }), [told])
      assert.deepStrictEqual(yield* index.days({ model, from: today + 1, to: today + dayMs }), [])
      const { digest, terms, vector, ...shown } = changed
      assert.deepStrictEqual(yield* index.articles({ model, ids: ["b", "gone", "c"] }), new Map([["b", shown]]))
      assert.deepStrictEqual((yield* index.matching({ ...whole(model), terms: [5], limit: 9 })).groups, [
        { mask: 1, count: 1, newest: [{ id: "b", time: shown.time }] }
      ])
      // A feed may contain an article twice.
      assert.isTrue(yield* index.write({ ...later, articles: [], kept: ["a", "d", "a"] }))
      assert.deepStrictEqual(yield* idsOf(index, model), ["a", "d"])
      assert.isTrue(yield* index.write({ ...later, articles: [], kept: [] }))
      assert.deepStrictEqual(yield* idsOf(index, model), [])
      const none = { ...whole(model), vector, least: 1, limit: 9 }
      assert.deepStrictEqual(yield* index.nearest(none), [])
    })],
  ["writes nothing of an older reading, or where what is to be kept is gone", (index) =>
    Effect.gen(function*() {
      const model = newModel()
      const put = day(model)
      yield* index.write({ ...put, articles: [article("a")], kept: [] })
      const before = yield* index.days({ model, from: today, to: today + 1 })
      assert.isFalse(yield* index.write({ ...put, readAt: put.readAt - 1, articles: [article("b")], kept: ["a"] }))
      assert.isFalse(yield* index.write({ ...put, readAt: put.readAt + 1, articles: [article("b")], kept: ["a", "x"] }))
      assert.deepStrictEqual(yield* idsOf(index, model), ["a"])
      assert.deepStrictEqual(yield* index.days({ model, from: today, to: today + 1 }), before)
    })],
  [
    "keeps models apart, moves an article to another day, and forgets old days of all models",
    (index) =>
      Effect.gen(function*() {
        const [one, other] = [newModel(), newModel()]
        const yesterday = today - dayMs
        yield* index.write({ ...day(one), articles: [article("a"), article("b")], kept: [] })
        yield* index.write({ ...day(other, yesterday), articles: [article("a", { terms: [9] })], kept: [] })
        assert.deepStrictEqual(yield* idsOf(index, other), [])
        assert.deepStrictEqual((yield* index.matching({ ...whole(one), terms: [9], limit: 9 })).groups, [])
        const moved = article("a", { time: yesterday + 9 })
        yield* index.write({ ...day(one, yesterday), articles: [moved], kept: [] })
        assert.deepStrictEqual([yield* idsOf(index, one), yield* idsOf(index, one, yesterday)], [["b"], ["a"]])
        yield* index.forget({ before: today })
        assert.deepStrictEqual([yield* idsOf(index, one), yield* idsOf(index, one, yesterday)], [["b"], []])
        assert.deepStrictEqual(yield* index.days({ model: other, from: 0, to: today }), [])
        assert.strictEqual((yield* index.matching({ ...whole(one), terms: [], limit: 1 })).articles, 1)
        const { vector } = moved
        assert.deepStrictEqual(
          (yield* index.nearest({ ...whole(one), vector, least: 1, limit: 9 })).map(({ id }) => id),
          ["b"]
        )
      })
  ],
  ["many that write the same days at once do no harm, and the latest reading stays", (index) =>
    Effect.gen(function*() {
      const model = newModel()
      const articles = Array.from({ length: 250 }, (_, i) => article(`a${i}`))
      yield* Effect.forEach(
        Array.from({ length: 12 }, (_, i) => i),
        (i) =>
          index.write({
            ...day(model, today - (i % 3) * dayMs),
            readAt: today + i,
            articles: articles.map((one) => ({ ...one, id: `${one.id} of ${i % 3}` })).slice(i),
            kept: []
          }),
        { concurrency: "unbounded" }
      )
      for (const ago of [0, 1, 2]) {
        assert.strictEqual((yield* idsOf(index, model, today - ago * dayMs)).length, 250 - 9 - ago)
      }
    })]
]

/** Ids that different orders would sort differently: characters beyond 16 bits, spaces, cases and quotes. */
const id = fc.array(fc.constantFrom("a", "B", "b", "é", "가", "\uffee", "🙂", " ", "'", "\\", "%", "-"), {
  minLength: 1,
  maxLength: 4
}).map((signs) => signs.join(""))

const articles = fc.uniqueArray(
  fc.record({
    id,
    time: fc.integer({ min: 0, max: 6 }),
    coins: fc.constantFrom<ReadonlyArray<string>>([], ["BTC"], ["BTC", "ETH"], ["E,{}\"'"]),
    terms: fc.uniqueArray(fc.constantFrom<number>(-2_147_483_648, -1, 0, 1, 7, 2_147_483_647)),
    // Few values, so that products tie, with the size of a real model's values.
    vector: fc.array(fc.constantFrom<number>(0, 1, -1, 1_400, -1_399), {
      minLength: dimension,
      maxLength: dimension
    })
  }),
  { selector: ({ id }) => id, maxLength: 25 }
)
const question = fc.record({
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
  least: fc.constantFrom(-4_000_000, 1, 1_000_000),
  limit: fc.integer({ min: 1, max: 12 })
})

type Written = typeof articles extends fc.Arbitrary<infer A> ? A : never
type Asked = typeof question extends fc.Arbitrary<infer A> ? A : never

const bytesOf = (text: string) => Buffer.from(text, "utf8")

/** The expected answer, computed from the port's description only. */
const expected = (all: Written, { coin, from, least, limit, terms, to, vector }: Asked) => {
  const inOrder = all
    .filter((one) => one.time >= from && one.time < to && (coin === undefined || one.coins.includes(coin)))
    .toSorted((a, b) => b.time - a.time || Buffer.compare(bytesOf(a.id), bytesOf(b.id)))
  const at = (time: number): number => today + time
  const nearest = inOrder
    .map(({ id, time, vector: own }) => ({
      id,
      time: at(time),
      product: own.reduce((sum, x, i) => sum + x * vector[i]!, 0)
    }))
    .filter(({ product }) => product >= least)
    .toSorted((a, b) => b.product - a.product)
    .slice(0, limit)
  const groups = [
    ...Map.groupBy(inOrder, (one) => terms.reduce((sum, term, i) => sum + (one.terms.includes(term) ? 2 ** i : 0), 0))
  ]
    .filter(([mask]) => mask > 0)
    .toSorted(([a], [b]) => a - b)
    .map(([mask, own]) => ({
      mask,
      count: own.length,
      newest: own.slice(0, limit).map(({ id, time }) => ({ id, time: at(time) }))
    }))
  return { nearest, matching: { articles: inOrder.length, groups } }
}

const answersAll = (index: NewsIndexService, all: Written, asked: ReadonlyArray<Asked>) =>
  Effect.gen(function*() {
    const model = newModel()
    const put = all.map((one) =>
      article(one.id, { ...one, time: today + one.time, vector: Int16Array.from(one.vector) })
    )
    assert.isTrue(yield* index.write({ ...day(model), articles: put, kept: [] }))
    for (const one of asked) {
      const { from, least, limit, terms, to, vector } = one
      const filter = { model, from: today + from, to: today + to, coin: one.coin }
      const nearest = yield* index.nearest({ ...filter, vector: Int16Array.from(vector), least, limit })
      const matching = yield* index.matching({ ...filter, terms, limit })
      assert.deepStrictEqual({ nearest, matching }, expected(all, one))
    }
  })

/**
 * The contract tests of `NewsIndex`. They check writes, answers over random articles with many ties, and that a search
 * over the index equals a search in memory.
 */
export const newsIndexContract = <E>(
  name: string,
  layer: Layer.Layer<never, E>,
  { runs = 15, timeoutMs = 60_000 }: { readonly timeoutMs?: number; readonly runs?: number } = {}
): void =>
  withLayer(layer, { timeout: timeoutMs, excludeTestServices: true })(`NewsIndex: ${name}`, (it) => {
    const given = Effect.map(NewsIndex, (index) => {
      if (index === null) throw new Error("the layer gives no NewsIndex")
      return index
    })
    for (const [title, run] of [...writing, ...newsSearchChecks]) {
      it.effect(title, () => Effect.flatMap(given, run), timeoutMs)
    }
    it.effect("answers what the port's words say, whatever is written and asked, ties included", () =>
      Effect.flatMap(given, (index) =>
        Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(articles, fc.array(question, { minLength: 1, maxLength: 4 }), (all, asked) =>
              Effect.runPromise(answersAll(index, all, asked))),
            { numRuns: runs }
          )
        )), timeoutMs)
  })

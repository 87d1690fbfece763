import { assert, it } from "@effect/vitest"
import { Embeddings, layerNewsSearch, makeNewsIndexMemory, NewsIndex, NewsSearch } from "@tapeline/core/analysis"
import {
  type Article,
  makeReading,
  type MarketError,
  NewsFeed,
  SourceUnavailable,
  UnknownSymbol
} from "@tapeline/core/market"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
const noon = Date.parse("2026-11-20T12:00:00Z")

const article = (id: string, title: string, time: number, given: Partial<Article> = {}): Article => ({
  id,
  time,
  title,
  body: "",
  source: "A wire",
  url: `https://news.example/${id}`,
  language: "en",
  coins: [],
  symbols: [],
  sentiment: null,
  ...given
})

interface World {
  articles: ReadonlyArray<Article>
  failure: MarketError | null
  /** The delay of one day of the feed, in milliseconds. */
  slowMs: number
  days: Array<number>
  embedded: number
  layer: Layer.Layer<never>
}

/** A news feed whose articles a test sets, and which records the requested days and the number of embedded texts. */
const makeWorld = (model = "a", index = makeNewsIndexMemory(), embed?: Embeddings["Service"]["embed"]) => {
  const world: World = { articles: [], failure: null, slowMs: 0, days: [], embedded: 0, layer: Layer.empty }
  const feed = NewsFeed.of({
    articles: ({ coin, from, limit, to }) =>
      Effect.suspend(() => {
        if (coin === "NOSUCH") return Effect.fail(new UnknownSymbol({ symbol: coin }))
        if (limit !== 1) world.days.push(Math.floor(from / dayMs) * dayMs)
        if (world.failure !== null) return Effect.fail(world.failure)
        const found = world.articles.filter((one) => one.time >= from && one.time < to)
        const newest = found.toSorted((a, b) => a.time - b.time).slice(-(limit ?? 1_000))
        const answer = makeReading(newest, "test", to - 1)
        return Effect.as(limit === 1 ? Effect.void : TestClock.adjust(world.slowMs), answer)
      })
  })
  const embeddings = Layer.effect(
    Embeddings,
    Effect.map(Embeddings, (local) => ({
      ...local,
      model,
      embed: (texts: ReadonlyArray<string>) => {
        world.embedded += texts.length
        return (embed ?? local.embed)(texts)
      }
    }))
  ).pipe(Layer.provide(LocalEmbeddings))
  world.layer = Layer.fresh(layerNewsSearch).pipe(
    Layer.provide([Layer.succeed(NewsFeed, feed), embeddings, Layer.succeed(NewsIndex, index)])
  )
  return world
}

const silent = new SourceUnavailable({ source: "wire", failure: "unreachable", reason: "silent", retryable: true })

const ask = (query: string, { coin, hours = 48, top = 10 }: { hours?: number; top?: number; coin?: string } = {}) =>
  Effect.gen(function*() {
    const { search } = yield* NewsSearch
    const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
    return yield* search({ query, coin, from: now - hours * hourMs, top })
  })
const titles = (query: string) => Effect.map(ask(query), ({ articles }) => articles.map(({ title }) => title))

it.effect("finds late, corrected and withdrawn articles as in the feed, and embeds each version once", () => {
  const world = makeWorld()
  return Effect.gen(function*() {
    yield* TestClock.setTime(noon)
    world.articles = [
      article("1", "Bridge hacked", noon - 5 * hourMs),
      article("2", "Bridge reopens", noon - 30 * hourMs)
    ]
    assert.deepStrictEqual(yield* titles("bridge"), ["Bridge hacked", "Bridge reopens"])
    const embedded = world.embedded
    world.articles = [
      article("1", "Bridge hacked, team says", noon - 5 * hourMs),
      article("3", "Bridge of yesterday", noon - 20 * hourMs)
    ]
    const days = world.days.length
    assert.deepStrictEqual(yield* titles("bridge"), ["Bridge hacked", "Bridge reopens"])
    assert.strictEqual(world.days.length, days)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual((yield* titles("bridge")).toSorted(), ["Bridge hacked, team says", "Bridge of yesterday"])
    assert.strictEqual(world.embedded, embedded + 2 + 2)
  }).pipe(Effect.provide(world.layer))
})

it.effect("finds the oldest article of a day with more articles than one read of the feed returns", () => {
  // Zero vectors, because vectors of many texts take seconds.
  const world = makeWorld("a", makeNewsIndexMemory(), (texts) => Effect.succeed(texts.map(() => new Float32Array(512))))
  return Effect.gen(function*() {
    yield* TestClock.setTime(noon)
    world.articles = [
      article("oldest", "Bridge hacked", noon - 11 * hourMs),
      ...Array.from({ length: 5_000 }, (_, i) => article(`${i}`, "Rain", noon - 10 * hourMs + 7 * i * 1_000))
    ]
    assert.deepStrictEqual(yield* titles("bridge"), ["Bridge hacked"])
  }).pipe(Effect.provide(world.layer))
})

it.effect("merges the results of both wordings of a question, best first", () => {
  const world = makeWorld()
  return Effect.gen(function*() {
    yield* TestClock.setTime(noon)
    world.articles = [
      article("1", "Samsung Electronics 4.7% 약세 마감", noon - 5 * hourMs),
      article("2", "삼성전자 공장 증설", noon - 6 * hourMs),
      article("3", "Bridge hacked", noon - 7 * hourMs)
    ]
    const { search } = yield* NewsSearch
    const asked = { query: "삼성전자", from: noon - 24 * hourMs, top: 10 }
    const alone = yield* search(asked)
    assert.deepStrictEqual(alone.articles.map(({ title }) => title), ["삼성전자 공장 증설"])
    const both = yield* search({ ...asked, alternativeWording: "Samsung Electronics" })
    assert.deepStrictEqual(both.articles.map(({ score, title }) => [title, score]), [
      ["Samsung Electronics 4.7% 약세 마감", 1],
      ["삼성전자 공장 증설", 61 / 62]
    ])
    assert.deepStrictEqual(both.notes, [])
    const nothing = yield* search({ ...asked, query: "?", alternativeWording: "!" })
    assert.deepStrictEqual(nothing.notes, ["The query contains no searchable word."])
  }).pipe(Effect.provide(world.layer))
})

it.effect("reads a day again before it answers if the day was still running at the last read", () => {
  const world = makeWorld()
  return Effect.gen(function*() {
    yield* TestClock.setTime(noon)
    yield* ask("x", { hours: 240 })
    assert.strictEqual(new Set(world.days).size, 11)
    world.articles = [article("1", "Bridge hacked in the evening", noon + 6 * hourMs)]
    yield* TestClock.setTime(noon + 5 * dayMs)
    world.days = []
    const found = yield* ask("bridge", { hours: 240 })
    assert.deepStrictEqual(found.articles.map(({ title }) => title), ["Bridge hacked in the evening"])
    assert.deepStrictEqual(found.notes, [])
    const today = Math.floor((noon + 5 * dayMs) / dayMs) * dayMs
    assert.deepStrictEqual(world.days.slice(0, 6), [0, 1, 2, 3, 4, 5].map((ago) => today - ago * dayMs))
  }).pipe(Effect.provide(world.layer))
})

it.effect("fails if unread news is unavailable, or else states until when news is known", () => {
  const world = makeWorld()
  return Effect.gen(function*() {
    yield* TestClock.setTime(noon)
    world.failure = silent
    assert.strictEqual(yield* Effect.flip(ask("bridge")), silent)
    world.failure = null
    world.articles = [article("1", "Bridge hacked", noon - hourMs)]
    assert.deepStrictEqual(yield* titles("bridge"), ["Bridge hacked"])
    world.failure = silent
    yield* TestClock.adjust("10 minutes")
    const { articles, asOf, notes } = yield* ask("bridge")
    assert.strictEqual(articles.length, 1)
    assert.deepStrictEqual(notes, [
      "The news feed does not respond: articles after 2026-11-20T12:00:00.000Z are missing."
    ])
    assert.strictEqual(asOf, noon)
  }).pipe(Effect.provide(world.layer))
})

it.effect("fails with a retryable error if nothing is found while days are read, else notes the missing days", () => {
  const world = makeWorld()
  return Effect.gen(function*() {
    yield* TestClock.setTime(noon)
    world.slowMs = 400
    world.articles = [
      article("1", "Bridge hacked", noon - 5 * dayMs),
      article("2", "Vault emptied", noon - hourMs),
      article("3", "Vault found empty", noon - 6 * dayMs)
    ]
    const failure = yield* Effect.flip(ask("bridge", { hours: 240 }))
    assert.deepInclude(failure, { _tag: "SourceUnavailable", failure: "filling", retryable: true })
    const some = yield* ask("vault", { hours: 240 })
    assert.deepStrictEqual(some.articles.map(({ title }) => title), ["Vault emptied"])
    assert.match(some.notes.join(), /^\d of the 11 requested days were searched/u)
    while (new Set(world.days).size < 11) yield* Effect.yieldNow
    yield* Effect.repeat(Effect.yieldNow, { times: 100 })
    const { articles, notes } = yield* ask("bridge", { hours: 240 })
    assert.deepStrictEqual([articles.map(({ title }) => title), notes], [["Bridge hacked"], []])
  }).pipe(Effect.provide(world.layer))
})

it.effect("starts with an empty index for a new model", () => {
  const index = makeNewsIndexMemory()
  const [old, next] = [makeWorld("a", index), makeWorld("b", index)]
  return Effect.gen(function*() {
    yield* TestClock.setTime(noon)
    old.articles = [article("1", "Bridge hacked", noon - hourMs)]
    yield* Effect.provide(ask("bridge"), old.layer)
    const { articles } = yield* Effect.provide(ask("bridge"), next.layer)
    assert.deepStrictEqual(articles, [])
    assert.isAbove(next.days.length, 0)
  })
})

it.effect("sanitises articles from outside, and accepts any query", () => {
  const world = makeWorld()
  return Effect.gen(function*() {
    yield* TestClock.setTime(noon)
    const long = `${"Nothing of note. ".repeat(40)}The vault was emptied by thieves at dawn. ${"More. ".repeat(100)}`
    world.articles = [
      article("1", "Vault\u202e of\0 a\nbank", noon - hourMs, {
        body: long,
        coins: ["BTC"],
        url: "javascript:alert(1)"
      }),
      article("a\0b", "Vault without a name that can be kept", noon - hourMs),
      article("2", "Vault \ud800", noon - 2 * hourMs, { coins: ["ETH", "x".repeat(1_000)] })
    ]
    const { articles } = yield* ask("vault thieves")
    assert.deepStrictEqual(articles.map(({ title }) => title), ["Vault of a bank"])
    assert.deepStrictEqual((yield* ask("vault")).articles.map(({ title }) => title), [
      "Vault \ufffd",
      "Vault of a bank"
    ])
    assert.match(articles[0]!.snippet, /^….*The vault was emptied by thieves at dawn\./u)
    assert.isAtMost(Array.from(articles[0]!.snippet).length, 160)
    assert.deepStrictEqual((yield* ask("vault", { coin: "ETH" })).articles.map(({ title }) => title), ["Vault \ufffd"])
    assert.strictEqual((yield* ask("vault", { top: 1 })).articles.length, 1)
    assert.deepStrictEqual((yield* ask("vault", { hours: 0.5 })).articles, [])
    const failure = yield* Effect.flip(ask("vault", { coin: "NOSUCH" }))
    assert.strictEqual(failure._tag, "UnknownSymbol")
    for (const query of ["?!…", "👩‍👩‍👧", " ", "\0", "\ud800"]) {
      assert.deepStrictEqual((yield* ask(query)).notes, ["The query contains no searchable word."], query)
    }
    for (const query of ["a:* & | ! <->", "100%_\\", "'; drop table x; --", "volt ".repeat(100), "해킹".repeat(250)]) {
      assert.isArray((yield* ask(query)).articles, query)
    }
  }).pipe(Effect.provide(world.layer))
})

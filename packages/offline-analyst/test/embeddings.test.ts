import { assert, it } from "@effect/vitest"
import { Embeddings, splitWords } from "@tapeline/core/analysis"
import { LocalEmbeddings } from "@tapeline/offline-analyst"
import { embeddingsContract } from "@tapeline/testing/contracts/embeddings"
import { Effect } from "effect"

embeddingsContract("local hashing", LocalEmbeddings)

const nearness = Effect.fnUntraced(function*(a: string, b: string) {
  const { embed } = yield* Embeddings
  const [x, y] = yield* embed([a, b])
  return x!.reduce((sum, value, i) => sum + value * y![i]!, 0)
})

it.effect("treats inflected forms of a word as similar", () =>
  Effect.gen(function*() {
    for (
      const [one, other] of [
        ["비트코인이 하락했다", "비트코인 하락"],
        ["BTC가", "btc"],
        ["биткоина", "БИТКОИН"],
        ["взломе бирж", "взлом биржи"],
        ["liquidations", "Liquidated"]
      ] as const
    ) assert.isAbove(yield* nearness(one, other), 0.5, `${one}, ${other}`)
  }).pipe(Effect.provide(LocalEmbeddings)))

it.effect("matches known names across languages, and no unknown words", () =>
  Effect.gen(function*() {
    const { minSimilarity } = yield* Embeddings
    for (
      const [one, other] of [
        ["bitcoin drop", "비트코인 급락"],
        ["exchange hack", "взлом биржи"],
        ["이더리움 규제", "ethereum regulation"],
        ["ETF 유입", "приток в ETF"]
      ] as const
    ) assert.isAbove(yield* nearness(one, other), 2 * minSimilarity, `${one}, ${other}`)
    for (const [one, other] of [["umbrella", "зонтик"], ["recipe for soup", "bitcoin etf"]] as const) {
      assert.isBelow(yield* nearness(one, other), minSimilarity, `${one}, ${other}`)
    }
  }).pipe(Effect.provide(LocalEmbeddings)))

it.effect("returns the concepts of each word, including two-word names and Korean compounds", () =>
  Effect.gen(function*() {
    const { getConcepts } = yield* Embeddings
    const [federal, reserve, umbrella, bitcoin] = getConcepts!(splitWords("Federal Reserve umbrella bitcoin"))
    const [bill, billion] = getConcepts!(splitWords("bill billion"))
    assert.deepStrictEqual([bill!.length, billion!.length], [1, 0])
    const [fed, price] = getConcepts!(splitWords("연준 비트코인가격"))
    assert.lengthOf(umbrella!, 0)
    assert.deepStrictEqual(federal, fed)
    assert.includeMembers([...reserve!], [...fed!])
    assert.includeMembers([...price!], [...bitcoin!])
    assert.lengthOf(bitcoin!, 1)
  }).pipe(Effect.provide(LocalEmbeddings)))

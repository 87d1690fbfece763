import { assert, layer as withLayer } from "@effect/vitest"
import { Embeddings } from "@tapeline/core/analysis"
import { Effect, type Layer } from "effect"

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0)

const unusualTexts = [
  "",
  " \t\n",
  "?!… —",
  "\0",
  "a\0b",
  "\ud800",
  "👩‍👩‍👧",
  "'; drop table articles; --",
  "word ".repeat(50_000),
  "가".repeat(200_000)
]

const texts = [
  "Bitcoin falls after a hack",
  "비트코인이 해킹 소식에 하락했다",
  "Биткоин упал после взлома",
  "CPI above forecast"
]

/** Defines the contract tests of `Embeddings`. The adapter under test computes the embeddings. */
export const embeddingsContract = <E>(
  name: string,
  layer: Layer.Layer<Embeddings, E>,
  { timeoutMs = 60_000 }: { readonly timeoutMs?: number } = {}
): void =>
  withLayer(layer, { timeout: timeoutMs, excludeTestServices: true })(`Embeddings: ${name}`, (it) => {
    it.effect("reports its model, dimension and minimum similarity", () =>
      Effect.gen(function*() {
        const { dimension, model, minSimilarity } = yield* Embeddings
        assert.match(model, /^[\x20-\x7e]{1,64}$/u)
        assert.isTrue(Number.isInteger(dimension) && dimension >= 1 && dimension <= 4_096)
        assert.isTrue(minSimilarity >= 0 && minSimilarity < 1)
      }), timeoutMs)

    it.effect("returns a vector of length 1 per text, in order, the same in any batch", () =>
      Effect.gen(function*() {
        const { dimension, embed } = yield* Embeddings
        const all = yield* embed(texts)
        assert.strictEqual(all.length, texts.length)
        for (const [i, vector] of all.entries()) {
          assert.strictEqual(vector.length, dimension)
          assert.approximately(Math.sqrt(dot(vector, vector)), 1, 1e-3)
          const [singleEmbedding] = yield* embed([texts[i]!])
          const distance = Math.sqrt(vector.reduce((sum, x, at) => sum + (x - singleEmbedding![at]!) ** 2, 0))
          assert.isAtMost(distance, 1e-2)
          for (const other of all.slice(0, i)) assert.isBelow(dot(vector, other), 0.999)
        }
      }), timeoutMs)

    it.effect("accepts an empty list, and more texts than a source accepts at once", () =>
      Effect.gen(function*() {
        const { embed } = yield* Embeddings
        assert.deepStrictEqual(yield* embed([]), [])
        const manyTexts = Array.from({ length: 2_500 }, (_, i) => `${texts[i % texts.length]}, ${i % 7}`)
        const vectors = yield* embed(manyTexts)
        assert.strictEqual(vectors.length, manyTexts.length)
        assert.approximately(dot(vectors[3]!, vectors[3 + 28 * 50]!), 1, 2e-3)
      }), timeoutMs)

    it.effect("returns a vector of length 1 or the zero vector for every unusual text", () =>
      Effect.gen(function*() {
        const { dimension, embed } = yield* Embeddings
        const vectors = yield* embed(unusualTexts)
        assert.strictEqual(vectors.length, unusualTexts.length)
        for (const vector of vectors) {
          assert.strictEqual(vector.length, dimension)
          assert.isTrue(vector.every(Number.isFinite))
          const length = Math.sqrt(dot(vector, vector))
          assert.isTrue(length === 0 || Math.abs(length - 1) <= 1e-3, String(length))
        }
      }), timeoutMs)
  })

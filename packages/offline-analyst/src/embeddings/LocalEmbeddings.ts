import { Embeddings } from "@tapeline/core/analysis"
import { Effect, Layer } from "effect"
import { conceptsByWord } from "./concepts.ts"
import { dimension, vectorOf } from "./hashing.ts"

/** The number of texts, embedded in one or two milliseconds, after which other fibers run. */
const textsAtOnce = 4

/**
 * Deterministic `Embeddings` by feature hashing, without network access, in less than a millisecond per text. The
 * version in the model's name increases with every change of the rules.
 */
export const LocalEmbeddings: Layer.Layer<Embeddings> = Layer.succeed(Embeddings, {
  model: `local-hashing-${dimension}/2`,
  dimension,
  // Measured on labelled questions: most texts above this similarity answer the question.
  minSimilarity: 0.26,
  getConcepts: conceptsByWord,
  embed: Effect.fnUntraced(function*(texts) {
    const vectors: Array<Float32Array> = []
    for (const text of texts) {
      if (vectors.length % textsAtOnce === textsAtOnce - 1) yield* Effect.yieldNow
      vectors.push(vectorOf(text))
    }
    return vectors
  })
})

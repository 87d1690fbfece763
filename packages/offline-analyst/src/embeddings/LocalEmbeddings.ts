import { Embeddings } from "@tapeline/core/analysis"
import { Effect, Layer } from "effect"
import { conceptsByWord } from "./concepts.ts"
import { dimension, vectorOf } from "./hashing.ts"

/** Others go first after so many texts, which take a millisecond or two. */
const textsAtOnce = 4

/**
 * `Embeddings` by rule, without a network: deterministic, some tenths of a millisecond a text. What it finds alike is
 * told in `hashing.ts`. Its name ends in a version that goes up with the rule.
 */
export const LocalEmbeddings: Layer.Layer<Embeddings> = Layer.succeed(Embeddings, {
  model: `local-hashing-${dimension}/2`,
  dimension,
  // Measured on labelled questions: of what is nearer, most answers them.
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

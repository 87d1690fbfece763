import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../../market/errors.ts"
import type { Word } from "./words.ts"

/**
 * Computes vectors for texts. Texts with similar meaning have similar vectors: their inner product measures similarity,
 * and is 1 for equal texts.
 *
 * - Returns one vector per text, in order, each of `dimension` finite numbers. Its length is 1 within a thousandth. A
 *   text without usable content, such as one without letters and digits, gets the zero vector, which is similar to no
 *   text. No text causes a failure: empty texts, NUL, lone surrogates and texts of any length are accepted. Only the
 *   beginning of a very long text is used.
 * - Any number of texts is accepted, including zero; an adapter divides them as its source requires. All texts are
 *   embedded, or the call fails.
 * - A text's vector depends only on the text and the model, not on the other texts or the process. Differences stay
 *   below a hundredth of its length.
 * - Failures are reported as for market data, with the source's name: `rate_limited`, `unreachable` (also after an
 *   adapter's time limit), `malformed` (wrong number of vectors or dimensions, NaN), `not_configured`. Reasons contain
 *   no secret and no embedded text.
 * - An adapter that computes in its caller's thread yields between texts.
 */
export class Embeddings extends Context.Service<Embeddings, {
  /**
   * Identifies the model and everything that its vectors depend on (dimension, rule version), in 1 to 64 printable
   * ASCII characters. Only vectors with the same name are compared.
   */
  readonly model: string
  /** The number of dimensions of a vector, 1 to 4,096. */
  readonly dimension: number
  /** Texts whose inner product is below this are unrelated according to the model. */
  readonly minSimilarity: number
  /**
   * Returns the concepts that each word of a text names; equal strings are the same concept. Only a model that compares
   * words has this function. One frequent word can bring such vectors close together. A search therefore also requires
   * that an article has more than half of the question's words or concepts, by weight. Articles are indexed by
   * concepts, so a model whose concepts change needs another name.
   */
  readonly getConcepts?: ((words: ReadonlyArray<Word>) => ReadonlyArray<ReadonlyArray<string>>) | undefined
  readonly embed: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array>, SourceUnavailable>
}>()("@tapeline/core/news/Embeddings") {}

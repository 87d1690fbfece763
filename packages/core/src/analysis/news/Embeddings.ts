import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../../market/errors.ts"
import type { Word } from "./words.ts"

/**
 * Computes embedding vectors of texts. Texts with similar meaning have similar vectors. The inner product of two
 * vectors measures similarity, and is 1 for equal texts.
 *
 * - Returns one vector per text, in order, each of `dimension` finite numbers. The length of a vector is 1 within a
 *   thousandth. A text without usable content, such as a text without letters and digits, gets the zero vector, which
 *   is similar to no text. No text causes a failure: empty texts, NUL, lone surrogates and texts of any length are
 *   accepted. Only the beginning of a very long text is used.
 * - Any number of texts is accepted, including zero; an adapter divides them as its source requires. All texts are
 *   embedded, or the call fails.
 * - A text's vector depends only on the text and the model, not on the other texts or the process. Two vectors of one
 *   text differ by less than a hundredth of their length.
 * - Failures are reported as for market data, with the source's name. The failures are `rate_limited`, `unreachable`
 *   (also after an adapter's time limit), `malformed` (wrong number of vectors or dimensions, NaN), and
 *   `not_configured`. Reasons contain no secret and no embedded text.
 * - An adapter that computes in its caller's thread yields between texts.
 */
export class Embeddings extends Context.Service<Embeddings, {
  /**
   * The name of the model and of everything that its vectors depend on (dimension, rule version), in 1 to 64 printable
   * ASCII characters. Only vectors with equal `model` are compared.
   */
  readonly model: string
  /** The number of dimensions of a vector, 1 to 4,096. */
  readonly dimension: number
  /** The minimum inner product of texts that are related according to the model. */
  readonly minSimilarity: number
  /**
   * Returns the concepts that each word of a text names. Words with equal concept strings name the same concept. Only a
   * model that compares words has `getConcepts`. One frequent word can make vectors of a word-comparing model similar.
   * A search therefore also requires that an article has more than half of the question's words or concepts, by weight.
   * Articles are indexed by concepts, so a model whose concepts change needs another name.
   */
  readonly getConcepts?: ((words: ReadonlyArray<Word>) => ReadonlyArray<ReadonlyArray<string>>) | undefined
  readonly embed: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array>, SourceUnavailable>
}>()("@tapeline/core/news/Embeddings") {}

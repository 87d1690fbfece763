import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../../market/errors.ts"
import type { Word } from "./words.ts"

/**
 * Computes embedding vectors of texts, so that the inner product of two vectors measures the similarity of their texts.
 *
 * - `embed` returns one vector per text, in order, each of `dimension` finite numbers and of length 1 within a
 *   thousandth.
 * - A text without letters and digits gets the zero vector, which is similar to no text. No text causes a failure, even
 *   with NUL, lone surrogates or any length. Only the beginning of a very long text is used.
 * - Any number of texts is accepted, including zero. All texts are embedded, or the call fails.
 * - A text's vector depends only on the text and the model, not on the other texts or the process. Two vectors of one
 *   text differ by less than a hundredth of their length.
 * - The failures are `rate_limited`, `unreachable` (also after an adapter's time limit), `malformed` (wrong number of
 *   vectors or dimensions, NaN), and `not_configured`. Reasons contain no secret and no embedded text.
 * - An adapter that computes in its caller's thread yields between texts.
 */
export class Embeddings extends Context.Service<Embeddings, {
  /** The name of the model in 1 to 64 printable ASCII characters, under which vectors are compared. */
  readonly model: string
  /** The number of dimensions of a vector, 1 to 4,096. */
  readonly dimension: number
  /** The minimum inner product of texts that are related according to the model. */
  readonly minSimilarity: number
  /**
   * Returns the concepts that each word of a text names, for a model that compares words. Articles are indexed by
   * concepts, so a model whose concepts change needs another name. A search with concepts requires that an article has
   * enough of the question's words, by weight, because one frequent word can make two vectors similar.
   */
  readonly getConcepts?: ((words: ReadonlyArray<Word>) => ReadonlyArray<ReadonlyArray<string>>) | undefined
  readonly embed: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array>, SourceUnavailable>
}>()("@tapeline/core/news/Embeddings") {}

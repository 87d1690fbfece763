import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../../market/errors.ts"
import type { Word } from "./words.ts"

/**
 * Computes embedding vectors of texts. The inner product of two vectors measures the similarity of the two texts.
 *
 * - `embed` returns one vector per text, in order. Each vector has `dimension` finite numbers and a length between
 *   0.999 and 1.001.
 * - A text without letters and digits gets the zero vector. The zero vector is similar to no text. `embed` accepts any
 *   text, including NUL characters, lone surrogates and very long texts. `embed` uses only the beginning of a very long
 *   text.
 * - Any number of texts is accepted, including zero. All texts are embedded, or the call fails.
 * - A text's vector depends only on the text and the model, not on the other texts or the process. Two vectors of one
 *   text differ by less than a hundredth of their length.
 * - `embed` fails as `rate_limited`, `unreachable`, `malformed` or `not_configured`. A timeout of the adapter counts as
 *   `unreachable`. A wrong number of vectors or dimensions, or NaN, counts as `malformed`. An error's reason contains
 *   no secret and no embedded text.
 * - An adapter that computes in its caller's thread yields to other fibers between texts.
 */
export class Embeddings extends Context.Service<Embeddings, {
  /**
   * The name of the model, with 1 to 64 printable ASCII characters. A model with another dimension or other rules needs
   * another name, because only vectors of models with equal names are compared.
   */
  readonly model: string
  /** The number of dimensions of a vector, 1 to 4,096. */
  readonly dimension: number
  /** The minimum inner product at which the model considers two texts related. */
  readonly minSimilarity: number
  /**
   * Returns the concepts of each word of a text. The model omits this function if it does not compare words. If the
   * concepts of a model change, the model needs a new name, because articles are indexed by their concepts. If the
   * model returns concepts, a search result must also contain enough of the question's words, by weight. One frequent
   * word can be enough to make two vectors similar.
   */
  readonly getConcepts?: ((words: ReadonlyArray<Word>) => ReadonlyArray<ReadonlyArray<string>>) | undefined
  readonly embed: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array>, SourceUnavailable>
}>()("@tapeline/core/news/Embeddings") {}

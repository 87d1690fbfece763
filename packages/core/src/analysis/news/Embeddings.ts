import { Context, type Effect } from "effect"
import type { SourceUnavailable } from "../../market/errors.ts"
import type { Word } from "./words.ts"

/**
 * Vectors for texts: texts that mean much the same have vectors that point much the same way, so that the inner product
 * of two tells how near they are, 1 of the same.
 *
 * - As many vectors as texts, in their order, each of `dimension` finite numbers. Its length is 1, to a part in a
 *   thousand; the zero vector, which is near to nothing, stands for a text that the model can make nothing of, such as
 *   one without letters and digits. No text is a reason to fail: empty ones, NUL, lone surrogates, and texts of any
 *   length are taken, the longest by their beginning.
 * - Any number of texts may be asked for, none too; an adapter divides them as its source needs. All are embedded, or
 *   the question fails.
 * - What a text's vector is depends on nothing but the text and the model: not on what else is asked, nor on the
 *   process, to a hundredth of its length.
 * - A failure is told as those of market data are, with the source's name: `rate_limited`, `unreachable` (also of a
 *   silent one: an adapter has a limit of time), `malformed` (wrong number of vectors or of numbers in one, NaN),
 *   `not_configured`. Reasons hold no secret and no text that was asked for.
 * - An adapter that computes in its caller's thread lets others go first between texts.
 */
export class Embeddings extends Context.Service<Embeddings, {
  /**
   * Names the model and all that its vectors depend on (dimension, version of a rule), 1 to 64 printable ASCII
   * characters: vectors under one name may be compared, and those under different names never are.
   */
  readonly model: string
  /** Numbers in a vector, 1 to 4,096. */
  readonly dimension: number
  /** Texts whose inner product is below this have nothing to do with one another, as far as the model can tell. */
  readonly unrelatedBelow: number
  /**
   * The concepts that each word of a text names; equal strings are the same concept. Only a model that compares words
   * has it. One frequent word can bring such vectors close together, so a search also requires that an article has
   * more than half of the question's words or concepts, by weight. Articles are indexed by them: a model whose concepts
   * change needs another name.
   */
  readonly concepts?: ((words: ReadonlyArray<Word>) => ReadonlyArray<ReadonlyArray<string>>) | undefined
  readonly embed: (
    texts: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Float32Array>, SourceUnavailable>
}>()("@tapeline/core/news/Embeddings") {}

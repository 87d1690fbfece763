/**
 * News articles.
 */

export interface Article {
  readonly id: string
  /** The time of publication. */
  readonly time: number
  /** The name of the publisher. */
  readonly source: string
  readonly url: string
  readonly title: string
  readonly body: string
  /** BCP 47 language: `en`, `ko`, `ru`. */
  readonly language: string
  /** The coins and equity symbols of the article's subject. Both may be empty (macro news). */
  readonly coins: ReadonlyArray<string>
  readonly symbols: ReadonlyArray<string>
  /** Sentiment from -1 to 1. Null if it was not rated. */
  readonly sentiment: number | null
}

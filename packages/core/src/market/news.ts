/**
 * News articles.
 */

export interface Article {
  readonly id: string
  /** Publication. */
  readonly time: number
  /** Publisher's name. */
  readonly source: string
  readonly url: string
  readonly title: string
  readonly body: string
  /** BCP 47 language: `en`, `ko`, `ru`. */
  readonly language: string
  /** Coins and equity symbols that it is about; both may be empty (macro news). */
  readonly coins: ReadonlyArray<string>
  readonly symbols: ReadonlyArray<string>
  /** Tone from -1 to 1; null where nobody judged it. */
  readonly sentiment: number | null
}

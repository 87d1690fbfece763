/** A news article. */

export interface Article {
  readonly id: string
  readonly time: number
  readonly source: string
  readonly url: string
  readonly title: string
  readonly body: string
  /** The BCP 47 language of the article: `en`, `ko`, `ru`. */
  readonly language: string
  /** The coins that the article is about; empty for articles about other subjects, such as macro news. */
  readonly coins: ReadonlyArray<string>
  readonly symbols: ReadonlyArray<string>
  /** The sentiment of the article, from -1 to 1; null if the sentiment was not rated. */
  readonly sentiment: number | null
}

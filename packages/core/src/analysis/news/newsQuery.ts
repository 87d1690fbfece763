/** The number of days for which articles can be found. */
export const newsRetentionDays = 90

export interface NewsQuery {
  readonly query: string
  /** The same question in other words. A search uses both `query` and this wording. */
  readonly alternativeWording?: string | undefined
  /**
   * The names of each listed company. A word of a company's name does not count as a subject, such as "oil" in S-Oil.
   */
  readonly companies?: ReadonlyArray<ReadonlyArray<string>> | undefined
  readonly coin?: string | undefined
  /** The earliest time of publication, in epoch ms. `from` must be at most `newsRetentionDays` ago. */
  readonly from: number
  /** The maximum number of articles, 1 to 50. */
  readonly top: number
}

/** An article that a news search found. */
export interface NewsSearchHit {
  readonly title: string
  readonly url: string
  readonly source: string
  readonly time: number
  /** The combined score of the rankings by meaning and by words, from 0 to 1. */
  readonly score: number
  /** The part of the body that contains the question's words, or else the beginning of the body. */
  readonly snippet: string
}

export interface NewsSearchResult {
  /**
   * The found articles, sorted by score in descending order. Articles with equal scores are sorted by time, newest
   * first.
   */
  readonly articles: ReadonlyArray<NewsSearchHit>
  readonly asOf: number
  readonly sources: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

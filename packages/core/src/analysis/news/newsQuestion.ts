/** Articles are found for so many days. */
export const newsKeptDays = 90

export interface NewsQuery {
  readonly query: string
  /** The same question in other words: what either finds is found. */
  readonly otherwise?: string | undefined
  /** The names of each listed company. A word inside such a name is no subject of its own, as oil in S-Oil. */
  readonly companies?: ReadonlyArray<ReadonlyArray<string>> | undefined
  readonly coin?: string | undefined
  /** Published since, epoch ms, at most `newsKeptDays` ago. */
  readonly from: number
  /** 1 to 50. */
  readonly top: number
}

/** An article that a question found. */
export interface SearchedArticle {
  readonly title: string
  readonly url: string
  readonly source: string
  readonly time: number
  /** 0 to 1: how far to the front it stands by meaning and by words. */
  readonly score: number
  /** Where in the article the words of the question stand, else its beginning. */
  readonly snippet: string
}

export interface NewsFound {
  /** The best first; of equal ones the newer. */
  readonly articles: ReadonlyArray<SearchedArticle>
  readonly asOf: number
  readonly sources: ReadonlyArray<string>
  readonly notes: ReadonlyArray<string>
}

/** Selects the articles that answer a question. Similar articles do not always answer the question. */
import { findMentionSpans, isKnownTicker, type MentionSpan } from "../../market/instrumentMentions.ts"
import { makeMoveReader, makeOppositeTest } from "./oppositeDirections.ts"
import { type CompanyNames, getTitleAndFirstSentence, makeSubjectMatcher, sentenceEndPattern } from "./subjects.ts"

export interface Candidate {
  readonly title: string
  readonly body: string
  readonly coins: ReadonlyArray<string>
}

export interface ArticleFilter {
  readonly accepts: (article: Candidate) => boolean
  /** Returns whether a word names a subject. */
  readonly isSubject: (word: string) => boolean
  /** Whether the question names a subject, such as an institution or a commodity. */
  readonly hasSubject: boolean
  /** Whether the question names an instrument together with a subject or a price move. */
  readonly isNarrow: boolean
}

const findKnownSpans = (text: string): ReadonlyArray<MentionSpan> =>
  findMentionSpans(text).filter(({ ticker }) => isKnownTicker(ticker))

const findTickers = (text: string): ReadonlyArray<string> => findKnownSpans(text).map(({ ticker }) => ticker)

/**
 * Returns whether an article is about one of `tickers`. The article's `coins`, title or first sentence contains a
 * ticker, or the text mentions a ticker twice.
 */
const isAboutAny = (tickers: ReadonlySet<string>, { body, coins, title }: Candidate): boolean => {
  if ([...coins, ...findTickers(getTitleAndFirstSentence({ body, title }))].some((ticker) => tickers.has(ticker))) {
    return true
  }
  const mentions = findTickers(`${title}\n${body}`)
  return mentions.some((ticker, i) => tickers.has(ticker) && mentions.indexOf(ticker) < i)
}

/**
 * Returns the rule that selects the articles for a question. An article must be about one of the question's instruments
 * and about all of the question's subjects. The rule rejects articles that state the opposite of the question. If the
 * question asks whether a price rose or fell, one sentence of the article must state the move. The first item of
 * `wordings` is the original question.
 */
export const makeArticleFilter = (wordings: ReadonlyArray<string>, companies: CompanyNames = []): ArticleFilter => {
  const query = wordings[0] ?? ""
  const queryTickers = new Set(wordings.flatMap(findTickers))
  const subjects = makeSubjectMatcher(companies)
  const querySubjects = subjects.findSubjects(query)
  const namesQueryCompanies = subjects.makeCompanyTest(query)
  const statesOpposite = makeOppositeTest(query)
  const readMovedTickers = queryTickers.size > 0 && querySubjects.length === 0 ? makeMoveReader(query) : null
  const statesMove = (text: string): boolean => {
    if (readMovedTickers === null) return true
    return text.split(sentenceEndPattern).some((sentence) =>
      readMovedTickers(sentence, findKnownSpans).some((ticker) => queryTickers.has(ticker))
    )
  }
  const accepts = (article: Candidate): boolean => {
    const { body, title } = article
    const text = `${title}\n${body}`
    if (queryTickers.size > 0 && !isAboutAny(queryTickers, article)) return false
    return statesMove(text) && namesQueryCompanies(text) && subjects.isAbout(querySubjects, article) &&
      !statesOpposite(article)
  }
  return {
    accepts,
    isSubject: (word) => subjects.findSubjects(word).length > 0,
    hasSubject: querySubjects.length > 0,
    isNarrow: queryTickers.size > 0 && (readMovedTickers !== null || querySubjects.length > 0)
  }
}

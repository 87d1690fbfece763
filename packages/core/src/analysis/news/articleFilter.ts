/** Selects the articles that answer a question among the articles that are similar to the question. */
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
  /** Whether the question names a subject, which `accepts` then requires. */
  readonly hasSubject: boolean
  /** Whether the question names instruments and a subject or a move, so that `accepts` is enough to select articles. */
  readonly isNarrow: boolean
}

const findKnownSpans = (text: string): ReadonlyArray<MentionSpan> =>
  findMentionSpans(text).filter(({ ticker }) => isKnownTicker(ticker))

const findTickers = (text: string): ReadonlyArray<string> => findKnownSpans(text).map(({ ticker }) => ticker)

/** Returns whether an article's source, title or first sentence names one of `tickers`, or its text does so twice. */
const isAboutAny = (tickers: ReadonlySet<string>, { body, coins, title }: Candidate): boolean =>
  [...coins, ...findTickers(getTitleAndFirstSentence({ body, title }))].some((ticker) => tickers.has(ticker)) ||
  findTickers(`${title}\n${body}`).filter((ticker) => tickers.has(ticker)).length > 1

/**
 * Returns the rule that selects the articles for a question: an article must be about a named instrument and all
 * subjects of the question, and must not state the opposite. If the question asks whether a price rose or fell, one
 * sentence of the article must state the move. `wordings` contains the original question first.
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
    hasSubject: querySubjects.length > 0,
    isNarrow: queryTickers.size > 0 && (readMovedTickers !== null || querySubjects.length > 0)
  }
}

/** Selects the articles that answer a question among those that are similar to it. */
import { instrumentSpans, isKnownTicker, type Span } from "../../market/instruments.ts"
import { moveIn, opposes } from "./directions.ts"
import { beginningOf, type CompanyNames, sentenceEnd, subjectsBeside } from "./subjects.ts"

/** The examined fields of an article. */
export interface Candidate {
  readonly title: string
  readonly body: string
  readonly coins: ReadonlyArray<string>
}

/** The rule that selects the articles of a question. */
export interface Fitting {
  readonly fits: (article: Candidate) => boolean
  /** Whether the question names a subject, which `fits` requires. */
  readonly isBound: boolean
  /** Whether the question names instruments and a subject or a move, so that `fits` is enough to select articles. */
  readonly isNarrow: boolean
}

const knownSpans = (text: string): ReadonlyArray<Span> =>
  instrumentSpans(text).filter(({ ticker }) => isKnownTicker(ticker))

const namedIn = (text: string): ReadonlyArray<string> => knownSpans(text).map(({ ticker }) => ticker)

/**
 * Whether an article is about one of some instruments. Its source lists the instrument, its title or first sentence
 * names it, or the whole text names it twice.
 */
const isAboutOne = (tickers: ReadonlySet<string>, { body, coins, title }: Candidate): boolean =>
  [...coins, ...namedIn(beginningOf({ body, title }))].some((ticker) => tickers.has(ticker)) ||
  namedIn(`${title}\n${body}`).filter((ticker) => tickers.has(ticker)).length > 1

/**
 * Returns the rule that selects the articles of a question. An article must be about one of the coins and shares that
 * the question names, and about all of its subjects. It must not state the opposite. If the question asks whether the
 * price of a coin or share rose or fell, one sentence of the article must state that. `wordings` are the original
 * question and its other wordings, `companies` the names of listed companies.
 */
export const fitting = (wordings: ReadonlyArray<string>, companies: CompanyNames = []): Fitting => {
  const query = wordings[0] ?? ""
  const named = new Set(wordings.flatMap(namedIn))
  const subjects = subjectsBeside(companies)
  const asked = subjects.named(query)
  const isOfCompany = subjects.companiesIn(query)
  const isOpposite = opposes(query)
  const move = named.size > 0 && asked.length === 0 ? moveIn(query) : null
  const isMoved = (text: string): boolean => {
    if (move === null) return true
    return text.split(sentenceEnd).some((one) => move(one, knownSpans).some((ticker) => named.has(ticker)))
  }
  const fits = (article: Candidate): boolean => {
    const { body, title } = article
    const text = `${title}\n${body}`
    if (named.size > 0 && !isAboutOne(named, article)) return false
    return isMoved(text) && isOfCompany(text) && subjects.isAbout(asked, article) && !isOpposite(article)
  }
  return {
    fits,
    isBound: asked.length > 0,
    isNarrow: named.size > 0 && (move !== null || asked.length > 0)
  }
}

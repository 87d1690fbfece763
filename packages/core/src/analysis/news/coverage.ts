/**
 * Measures the share of a question's words that an article contains. An article also contains a word if it contains an
 * equal concept.
 */
import { findMentionSpans, isKnownTicker } from "../../market/instrumentMentions.ts"
import type { Article } from "../../market/news.ts"
import type { Embeddings } from "./Embeddings.ts"
import { getEmbeddedText } from "./indexDay.ts"
import { getTermWeight, type TermMatches } from "./ranking.ts"
import { type QueryTerms, toConceptTerm } from "./terms.ts"
import { foldText, isStopWord, splitWords } from "./words.ts"

/**
 * Returns whether a text begins with Hangul or Han characters. Words in these scripts are often written without spaces.
 */
const isUnspacedScript = (text: string): boolean => /^[\p{Script=Hangul}\p{Script=Han}]/u.test(text)

/** Returns whether `stem` equals `queryStem` or adds a short ending, as `issuer` adds `er` to `issu`. */
const isInflectionOf = (stem: string, queryStem: string): boolean =>
  stem.startsWith(queryStem) &&
  (stem.length === queryStem.length || (queryStem.length > 3 && stem.length - queryStem.length <= 2))

/** A word of a question, with its stem, its position among the question's stems, and its concepts. */
export interface QueryWord {
  readonly stem: string
  readonly index: number
  readonly concepts: ReadonlySet<string>
}

type GetConcepts = NonNullable<Embeddings["Service"]["getConcepts"]>

/** Returns the distinct words of a question, in order. The names of coins and shares are omitted. */
export const getQueryWords = (
  query: string,
  { words: stems }: QueryTerms,
  getConcepts: GetConcepts
): ReadonlyArray<QueryWord> => {
  const words = splitWords(query)
  const wordConcepts = getConcepts(words)
  const instruments = findMentionSpans(query).filter(({ ticker }) => isKnownTicker(ticker))
  const byStem = new Map<string, Set<string>>()
  for (const [i, word] of words.entries()) {
    if (isStopWord(word) || instruments.some(({ at, end }) => at <= word.at && word.at < end)) continue
    byStem.set(word.stem, new Set([...byStem.get(word.stem) ?? [], ...wordConcepts[i]!]))
  }
  return stems.flatMap((stem, index) => {
    const concepts = byStem.get(stem)
    return concepts === undefined ? [] : [{ stem, index: index, concepts }]
  })
}

/** Returns the terms of the question's concepts, limited to the 48 terms that an index accepts. */
export const getConceptTerms = (queryWords: ReadonlyArray<QueryWord>): ReadonlyArray<number> =>
  [...new Set(queryWords.flatMap(({ concepts }) => [...concepts].map(toConceptTerm)))].slice(0, 48)

/**
 * Returns the weight of each question word. A word's weight is the minimum of its own weight and the weights of its
 * concepts.
 */
export const getConceptWeights = (
  queryWords: ReadonlyArray<QueryWord>,
  wordWeights: ReadonlyArray<number>,
  terms: ReadonlyArray<number>,
  matches: TermMatches
): ReadonlyArray<number> =>
  queryWords.map(({ concepts, index }) =>
    [...concepts].reduce((minWeight, concept) => {
      const termIndex = terms.indexOf(toConceptTerm(concept))
      return termIndex < 0 ? minWeight : Math.min(minWeight, getTermWeight(matches, termIndex))
    }, wordWeights[index]!)
  )

/**
 * Returns a function that tests whether an article contains more than `minShare` of a question's words, by weight. An
 * article contains a word if it contains an inflected form of the word or an equal concept. If the question has several
 * words and an article contains only one of them, the article's title must contain the word.
 */
export const makeCoverageTest = (
  queryWords: ReadonlyArray<QueryWord>,
  weights: ReadonlyArray<number>,
  minShare: number,
  getConcepts: GetConcepts
): (article: Pick<Article, "body" | "title">) => boolean => {
  const weightedWords = queryWords.flatMap((word, i) => weights[i]! > 0 ? [{ ...word, weight: weights[i]! }] : [])
  const total = weightedWords.reduce((sum, { weight }) => sum + weight, 0)
  const findWordsIn = (text: string): typeof weightedWords => {
    const foldedText = foldText(text)
    const textWords = splitWords(foldedText)
    const stems = [...new Set(textWords.map(({ stem }) => stem))]
    const textConcepts = new Set(getConcepts(textWords).flat())
    return weightedWords.filter(({ concepts, stem }) =>
      stems.some((other) => isInflectionOf(other, stem)) || (isUnspacedScript(stem) && foldedText.includes(stem)) ||
      [...concepts].some((concept) => textConcepts.has(concept))
    )
  }
  return (article) => {
    const found = findWordsIn(getEmbeddedText(article))
    if (found.length === 1 && weightedWords.length > 1 && findWordsIn(article.title).length === 0) return false
    return total === 0 || found.reduce((sum, { weight }) => sum + weight, 0) > minShare * total
  }
}

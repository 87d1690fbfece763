/**
 * Measures the share of a question's words that an article contains. An article contains a word if it contains the word
 * itself or an equal concept.
 */
import { findMentionSpans, isKnownTicker } from "../../market/instrumentMentions.ts"
import type { Article } from "../../market/news.ts"
import type { Embeddings } from "./Embeddings.ts"
import { getEmbeddedText } from "./indexDay.ts"
import { findNames } from "./names.ts"
import { makeSoundTest } from "./phoneticCode.ts"
import { countArticles, getTermWeight, type TermMatches } from "./ranking.ts"
import { getCharacterPairs, type QueryTerms, toConceptTerm } from "./terms.ts"
import { foldText, isStopWord, splitWords, type Word } from "./words.ts"

/**
 * Returns whether a text begins with Hangul or Han characters. Words in Hangul or Han script are often written without
 * spaces.
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
  /** Whether the word has no concept and no article of the period contains it. */
  readonly isUnknown: boolean
  /** The word itself if `isUnknown` is true and the word is probably a name; otherwise undefined. */
  readonly unknownName: Word | undefined
}

type GetConcepts = NonNullable<Embeddings["Service"]["getConcepts"]>

/**
 * Returns the distinct words of a question, in order. The names of coins and shares are omitted. `matches` contains the
 * articles that contain the question's terms. `isSubject` excludes words that name a subject from the unknown names.
 */
export const getQueryWords = (
  query: string,
  { words: stems }: QueryTerms,
  getConcepts: GetConcepts,
  matches: TermMatches,
  isSubject: (word: string) => boolean
): ReadonlyArray<QueryWord> => {
  const words = splitWords(query)
  const wordConcepts = getConcepts(words)
  const instruments = findMentionSpans(query).filter(({ ticker }) => isKnownTicker(ticker))
  const names = new Map(findNames(query).map((name) => [name.stem, name]))
  const byStem = new Map<string, Set<string>>()
  for (const [i, word] of words.entries()) {
    if (isStopWord(word) || instruments.some(({ at, end }) => at <= word.at && word.at < end)) continue
    byStem.set(word.stem, new Set([...byStem.get(word.stem) ?? [], ...wordConcepts[i]!]))
  }
  return stems.flatMap((stem, index) => {
    const concepts = byStem.get(stem)
    if (concepts === undefined) return []
    const isUnknown = concepts.size === 0 && countArticles(matches, index) === 0
    const name = names.get(stem)
    const unknownName = isUnknown && name !== undefined && !isSubject(name.text) ? name : undefined
    return [{ stem, index, concepts, isUnknown, unknownName }]
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
  queryWords: ReadonlyArray<Pick<QueryWord, "concepts" | "index">>,
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
 * Returns a function that tests whether a text contains a name. A name in another script matches by its sound. A Korean
 * name also matches if the text contains most of its pairs of syllables, because Korean compounds vary in spelling.
 */
const makeNameTest = (name: Word): (foldedText: string, words: ReadonlyArray<Word>) => boolean => {
  const containsSound = makeSoundTest(name)
  const pairs = getCharacterPairs(name)
  return (foldedText, words) =>
    pairs.filter((pair) => foldedText.includes(pair)).length > pairs.length / 2 || containsSound(words)
}

/** Returns a function that finds the words of a list in a text. */
const makeWordFinder = <W extends QueryWord>(queryWords: ReadonlyArray<W>, getConcepts: GetConcepts) => {
  const nameTests = new Map(
    queryWords.flatMap((word) =>
      word.unknownName === undefined ? [] : [[word, makeNameTest(word.unknownName)] as const]
    )
  )
  return (text: string): ReadonlyArray<W> => {
    const foldedText = foldText(text)
    const textWords = splitWords(foldedText)
    const stems = [...new Set(textWords.map(({ stem }) => stem))]
    const textConcepts = new Set(getConcepts(textWords).flat())
    return queryWords.filter((word) =>
      stems.some((other) => isInflectionOf(other, word.stem)) ||
      (isUnspacedScript(word.stem) && foldedText.includes(word.stem)) ||
      [...word.concepts].some((concept) => textConcepts.has(concept)) ||
      nameTests.get(word)?.(foldedText, textWords) === true
    )
  }
}

type ArticleTest = (article: Pick<Article, "body" | "title">) => boolean

/**
 * Returns a function that tests whether an article contains all unknown names of a question. If an article contains at
 * most one word of the question, all missing words must be known (see `isUnknown`). If `ignoresCommonWords` is true,
 * only names are tested.
 */
export const makeUnknownWordsTest = (
  queryWords: ReadonlyArray<QueryWord>,
  getConcepts: GetConcepts,
  ignoresCommonWords: boolean
): ArticleTest => {
  const findWordsIn = makeWordFinder(queryWords, getConcepts)
  return (article) => {
    const found = findWordsIn(getEmbeddedText(article))
    const missing = queryWords.filter((word) => !found.includes(word))
    if (missing.some(({ unknownName }) => unknownName !== undefined)) return false
    return ignoresCommonWords || found.length > 1 || !missing.some(({ isUnknown }) => isUnknown)
  }
}

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
): ArticleTest => {
  const weightedWords = queryWords.flatMap((word, i) => weights[i]! > 0 ? [{ ...word, weight: weights[i]! }] : [])
  const total = weightedWords.reduce((sum, { weight }) => sum + weight, 0)
  const findWordsIn = makeWordFinder(weightedWords, getConcepts)
  return (article) => {
    const found = findWordsIn(getEmbeddedText(article))
    if (found.length === 1 && weightedWords.length > 1 && findWordsIn(article.title).length === 0) return false
    return total === 0 || found.reduce((sum, { weight }) => sum + weight, 0) > minShare * total
  }
}

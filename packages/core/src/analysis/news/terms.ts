import { hashText, isStopWord, splitWords, type Word } from "./words.ts"

/**
 * Matches a word in Hangul or Han script. A matched word may consist of several words that are written without spaces.
 * The index therefore also contains the pairs of adjacent characters.
 */
const unspacedScriptPattern = /^[\p{Script=Hangul}\p{Script=Han}]/u

/** Returns the pairs of adjacent characters of a word in Hangul or Han script; empty for other scripts. */
export const getCharacterPairs = ({ text }: Word): ReadonlyArray<string> => {
  const characters = Array.from(text)
  return unspacedScriptPattern.test(text)
    ? characters.slice(1).map((character, i) => `${characters[i]}${character}`)
    : []
}

const toTerm = (text: string): number => hashText(text)
const toTitleTerm = (text: string): number => hashText(`^${text}`)

const getStemsAndPairs = (text: string): ReadonlyArray<string> =>
  splitWords(text).filter((word) => !isStopWord(word)).flatMap((word) => [word.stem, ...getCharacterPairs(word)])

/** Returns the terms under which the index stores an article. */
export const getArticleTerms = (title: string, body: string): ReadonlyArray<number> => {
  const titleStems = getStemsAndPairs(title)
  return [...new Set([...[...titleStems, ...getStemsAndPairs(body)].map(toTerm), ...titleStems.map(toTitleTerm)])]
}

/** Returns the term of a concept. The prefix `#` separates the terms of concepts from the terms of words. */
export const toConceptTerm = (concept: string): number => hashText(`#${concept}`)

/**
 * The terms of a question. The first half of `terms` is searched in whole articles, and the second half only in titles.
 */
export interface QueryTerms {
  /** The stems of the question's words. */
  readonly words: ReadonlyArray<string>
  readonly parts: ReadonlyArray<string>
  readonly terms: ReadonlyArray<number>
}

/** The maximum number of a question's words and character pairs that are searched. */
const maxTerms = 24

export const getQueryTerms = (query: string): QueryTerms => {
  const contentWords = splitWords(query).filter((word) => !isStopWord(word))
  const words = [...new Set(contentWords.map(({ stem }) => stem))].slice(0, maxTerms)
  const parts = [...new Set(contentWords.flatMap(getCharacterPairs))].filter((part) => !words.includes(part))
    .slice(0, maxTerms - words.length)
  const all = [...words, ...parts]
  return { words, parts, terms: [...all.map(toTerm), ...all.map(toTitleTerm)] }
}

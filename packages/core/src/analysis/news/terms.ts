import { hashText, isIdle, type Word, wordsOf } from "./words.ts"

/** Hangul and Han join words without a space. Pairs of characters find a word within another. */
const joined = /^[\p{Script=Hangul}\p{Script=Han}]/u

const pairsOf = ({ text }: Word): ReadonlyArray<string> => {
  const signs = Array.from(text)
  return joined.test(text) ? signs.slice(1).map((sign, i) => `${signs[i]}${sign}`) : []
}

/** The term of a text, and the separate term of the same text in a title. */
const termOf = (text: string): number => hashText(text)
const titleTermOf = (text: string): number => hashText(`^${text}`)

const namesOf = (text: string): ReadonlyArray<string> =>
  wordsOf(text).filter((word) => !isIdle(word)).flatMap((word) => [word.stem, ...pairsOf(word)])

/** Returns the terms by which an article is found. */
export const termsOf = (title: string, body: string): ReadonlyArray<number> => {
  const inTitle = namesOf(title)
  return [...new Set([...[...inTitle, ...namesOf(body)].map(termOf), ...inTitle.map(titleTermOf)])]
}

/** Returns the term of a concept, which differs from that of any word. */
export const conceptTermOf = (concept: string): number => hashText(`#${concept}`)

/**
 * The terms of a question. The first half of `terms` matches anywhere, the second half, in the same order, in titles.
 */
export interface QueryTerms {
  /** Whole words, and parts of words. */
  readonly words: ReadonlyArray<string>
  readonly parts: ReadonlyArray<string>
  readonly terms: ReadonlyArray<number>
}

/** The maximum number of words and parts that are searched. The first words of a longer question are enough. */
const mostTerms = 24

export const queryTermsOf = (query: string): QueryTerms => {
  const found = wordsOf(query).filter((word) => !isIdle(word))
  const words = [...new Set(found.map(({ stem }) => stem))].slice(0, mostTerms)
  const parts = [...new Set(found.flatMap(pairsOf))].filter((part) => !words.includes(part))
    .slice(0, mostTerms - words.length)
  const all = [...words, ...parts]
  return { words, parts, terms: [...all.map(termOf), ...all.map(titleTermOf)] }
}

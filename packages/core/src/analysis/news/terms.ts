import { hashText, isIdle, type Word, wordsOf } from "./words.ts"

/** Hangul and Han join words without a space: pairs of signs find one within another. */
const joined = /^[\p{Script=Hangul}\p{Script=Han}]/u

const pairsOf = ({ text }: Word): ReadonlyArray<string> => {
  const signs = Array.from(text)
  return joined.test(text) ? signs.slice(1).map((sign, i) => `${signs[i]}${sign}`) : []
}

/** A term of a text, and the same term of its title. */
const termOf = (text: string): number => hashText(text)
const titleTermOf = (text: string): number => hashText(`^${text}`)

const namesOf = (text: string): ReadonlyArray<string> =>
  wordsOf(text).filter((word) => !isIdle(word)).flatMap((word) => [word.stem, ...pairsOf(word)])

/** The terms of an article: what it is found by. */
export const termsOf = (title: string, body: string): ReadonlyArray<number> => {
  const inTitle = namesOf(title)
  return [...new Set([...[...inTitle, ...namesOf(body)].map(termOf), ...inTitle.map(titleTermOf)])]
}

/** The term of a concept, which no word has. */
export const conceptTermOf = (concept: string): number => hashText(`#${concept}`)

/** What a question looks for: the first half of `terms` anywhere, the other half, in the same order, in titles. */
export interface QueryTerms {
  /** Of words whole, and then of parts of them. */
  readonly words: ReadonlyArray<string>
  readonly parts: ReadonlyArray<string>
  readonly terms: ReadonlyArray<number>
}

/** As many are looked for; a question of more words is long enough to be found by the first. */
const mostTerms = 24

export const queryTermsOf = (query: string): QueryTerms => {
  const found = wordsOf(query).filter((word) => !isIdle(word))
  const words = [...new Set(found.map(({ stem }) => stem))].slice(0, mostTerms)
  const parts = [...new Set(found.flatMap(pairsOf))].filter((part) => !words.includes(part))
    .slice(0, mostTerms - words.length)
  const all = [...words, ...parts]
  return { words, parts, terms: [...all.map(termOf), ...all.map(titleTermOf)] }
}

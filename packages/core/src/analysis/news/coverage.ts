/** Measures how much of a question an article contains, by words and by the model's concepts for them. */
import { instrumentSpans, isKnownTicker } from "../../market/instruments.ts"
import type { Article } from "../../market/news.ts"
import type { Embeddings } from "./Embeddings.ts"
import { embeddedText } from "./indexing.ts"
import { type Matching, weightOf } from "./ranking.ts"
import { conceptTermOf, type QueryTerms } from "./terms.ts"
import { folded, isIdle, wordsOf } from "./words.ts"

/** Whether a text is in Hangul or Han, where words are joined without spaces. */
const isJoined = (text: string): boolean => /^[\p{Script=Hangul}\p{Script=Han}]/u.test(text)

/** Whether a stem is another stem with a short ending that stems keep, such as issu and issuer. */
const isForm = (stem: string, asked: string): boolean =>
  stem.startsWith(asked) && (stem.length === asked.length || (asked.length > 3 && stem.length - asked.length <= 2))

/** A word of a question: its stem, its place among the question's stems, and its concepts. */
export interface AskedWord {
  readonly stem: string
  readonly place: number
  readonly concepts: ReadonlySet<string>
}

type Concepts = NonNullable<Embeddings["Service"]["concepts"]>

/**
 * Returns the distinct words of a question in order, without the names of coins and shares. Articles must be about
 * these instruments anyway.
 */
export const askedWords = (
  query: string,
  { words: stems }: QueryTerms,
  concepts: Concepts
): ReadonlyArray<AskedWord> => {
  const words = wordsOf(query)
  const named = concepts(words)
  const instruments = instrumentSpans(query).filter(({ ticker }) => isKnownTicker(ticker))
  const byStem = new Map<string, Set<string>>()
  for (const [i, word] of words.entries()) {
    if (isIdle(word) || instruments.some(({ at, end }) => at <= word.at && word.at < end)) continue
    byStem.set(word.stem, new Set([...byStem.get(word.stem) ?? [], ...named[i]!]))
  }
  return stems.flatMap((stem, place) => {
    const concepts = byStem.get(stem)
    return concepts === undefined ? [] : [{ stem, place, concepts }]
  })
}

/** Returns the terms of the question's concepts, at most as many as an index accepts. */
export const conceptTerms = (asked: ReadonlyArray<AskedWord>): ReadonlyArray<number> =>
  [...new Set(asked.flatMap(({ concepts }) => [...concepts].map(conceptTermOf)))].slice(0, 48)

/**
 * Returns the weights of a question's words, from the number of articles with the word or one of its concepts. `byWord`
 * contains the weights by word only, `matching` the articles that have any of `terms`.
 */
export const conceptWeights = (
  asked: ReadonlyArray<AskedWord>,
  byWord: ReadonlyArray<number>,
  terms: ReadonlyArray<number>,
  matching: Matching
): ReadonlyArray<number> =>
  asked.map(({ concepts, place }) =>
    [...concepts].reduce((least, concept) => {
      const at = terms.indexOf(conceptTermOf(concept))
      return at < 0 ? least : Math.min(least, weightOf(matching, at))
    }, byWord[place]!)
  )

/**
 * Returns whether an article has more than a share of the weight of a question's words. It has a word if it has the
 * same stem or a form of it, or a word of the same concept. If it has one word of several, its title must have it.
 */
export const covering = (
  asked: ReadonlyArray<AskedWord>,
  weights: ReadonlyArray<number>,
  share: number,
  concepts: Concepts
): (article: Pick<Article, "body" | "title">) => boolean => {
  const counted = asked.flatMap((word, i) => weights[i]! > 0 ? [{ ...word, weight: weights[i]! }] : [])
  const total = counted.reduce((sum, { weight }) => sum + weight, 0)
  const foundIn = (text: string): typeof counted => {
    const read = folded(text)
    const own = wordsOf(read)
    const stems = [...new Set(own.map(({ stem }) => stem))]
    const meant = new Set(concepts(own).flat())
    return counted.filter(({ concepts, stem }) =>
      stems.some((other) => isForm(other, stem)) || (isJoined(stem) && read.includes(stem)) ||
      [...concepts].some((concept) => meant.has(concept))
    )
  }
  return (article) => {
    const found = foundIn(embeddedText(article))
    if (found.length === 1 && counted.length > 1 && foundIn(article.title).length === 0) return false
    return total === 0 || found.reduce((sum, { weight }) => sum + weight, 0) > share * total
  }
}

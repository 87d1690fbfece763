import { checkFiniteSeries, checkNotNegativeSeries, checkSameLength, type Series } from "./check.ts"
import type { Language, Lexicon } from "./text/lexicon.ts"
import { lexicons, symbols } from "./text/lexicons.ts"

export type { Language } from "./text/lexicon.ts"

/** The result of {@link sentiment}. */
export interface Sentiment {
  /** The score from -1 to 1; 0 if the text contains no word of the lexicon. */
  readonly score: number
  /** The number of words and emoji that contributed to the score. */
  readonly hits: number
}

interface CompiledLexicon {
  readonly wholeWords: ReadonlyMap<string, number>
  /**
   * The lexicon entries that match a part of a word, longest first. English and Russian entries match the beginning of
   * a word, and Korean entries match any part.
   */
  readonly wordParts: ReadonlyArray<readonly [part: string, weight: number]>
  /** The lexicon entries of several words by their first word, longest first. */
  readonly phrases: ReadonlyMap<string, ReadonlyArray<readonly [words: ReadonlyArray<string>, weight: number]>>
  readonly unless: Readonly<Record<string, ReadonlyArray<string>>>
  readonly verbs: Readonly<Record<string, ReadonlyArray<string>>>
  readonly currencies: ReadonlyMap<string, ReadonlyArray<string>>
  readonly negations: ReadonlySet<string>
  readonly degrees: ReadonlyMap<string, number>
}

function compileLexicon(language: Language): CompiledLexicon {
  const { words, negations, currencies, degrees, unless = {}, verbs = {} }: Lexicon = lexicons[language]
  const phrases = Object.entries(words)
    .filter(([entry]) => entry.includes(" "))
    .map(([entry, weight]) => [entry.split(" "), weight] as const)
    .sort((a, b) => b[0].length - a[0].length)
  const entries = Object.entries(words).filter(([entry]) => !entry.includes(" "))
  const isPart = (word: string): boolean => language === "ko" || word.endsWith("*")
  return {
    wholeWords: new Map(entries.filter(([word]) => !isPart(word))),
    wordParts: entries
      .filter(([word]) => isPart(word))
      .map(([word, weight]) => [word.replace("*", ""), weight] as const)
      .sort((a, b) => b[0].length - a[0].length),
    phrases: Map.groupBy(phrases, ([[first]]) => first!),
    unless,
    verbs,
    currencies: new Map(Object.entries(currencies)),
    negations: new Set(negations),
    degrees: new Map(Object.entries(degrees))
  }
}

const compiledLexicons: Readonly<Record<Language, CompiledLexicon>> = {
  en: compileLexicon("en"),
  ko: compileLexicon("ko"),
  ru: compileLexicon("ru")
}

const TOKEN = /[\p{L}\p{M}]+|\p{Extended_Pictographic}/gu

function detectLanguage(word: string): Language {
  return /\p{Script=Hangul}/u.test(word) ? "ko" : /\p{Script=Cyrillic}/u.test(word) ? "ru" : "en"
}

/** Matches a word with the Korean object particle. */
const OBJECT_PARTICLE = /[을를]$/u

/** Matches the empty text, or the particle after a Korean noun, such as 도 or 가. */
const VERB_NOUN = /^(에|에는|엔|도|가|는)?$/u

function getWeightAt(
  tokens: ReadonlyArray<string>,
  at: number,
  language: Language
): readonly [weight: number, tokens: number] {
  const word = tokens[at]!
  const { wholeWords, wordParts, phrases, unless, verbs } = compiledLexicons[language]
  for (const [words, weight] of phrases.get(word) ?? []) {
    if (words.every((part, j) => tokens[at + j] === part)) return [weight, words.length]
  }
  const exact = wholeWords.get(word)
  if (exact !== undefined) return [exact, 1]
  for (const [part, weight] of wordParts) {
    if (!(language === "ko" ? word.includes(part) : word.startsWith(part))) continue
    const next = tokens[at + 1] ?? ""
    const nouns = verbs[part]
    if (nouns !== undefined && OBJECT_PARTICLE.test(tokens[at - 1] ?? "") && word.startsWith(part)) {
      if (!nouns.some((beginning) => next.startsWith(beginning))) return [0, 1]
    }
    const other = unless[part]?.some((beginning) => next.startsWith(beginning)) === true
    return [other && VERB_NOUN.test(word.slice(word.lastIndexOf(part) + part.length)) ? 0 : weight, 1]
  }
  return [0, 1]
}

/** The total weight of words at which the score is tanh(1). */
const FULL_WEIGHT = 3

/**
 * Sentiment of a market text in English, Korean or Russian, by a small lexicon.
 *
 * Method: each word is judged in the language of its script, so texts can mix languages. A negation up to two words
 * before a word inverts and halves the weight of the word. In Korean, a negation that is attached to the word or
 * follows the word has the same effect. A word of degree, such as "very", scales the weight of the next word. Emoji
 * also have weights.
 * Formula: `score = tanh(sum of weights / 3)`. Unit: a number from -1 to 1. A text without a known word has the score 0
 * and 0 hits.
 * Source: the lexicons of this package (src/text/lexicons.ts). The method is similar to VADER (Hutto and Gilbert,
 * 2014).
 *
 * @example
 * import { sentiment } from "@tapeline/quant"
 * sentiment("Bitcoin surges to a record high 🚀").score > 0.5 // => true
 * sentiment("비트코인 폭락, 공포 확산").score < -0.5 // => true
 * sentiment("Рынок рухнул, инвесторы в панике").score < -0.5 // => true
 * sentiment("not bullish").score < 0 // => true
 * sentiment("비트코인 사기 좋은 시점").score > 0 // => true
 * sentiment("the meeting is on Tuesday") // => { score: 0, hits: 0 }
 */
export function sentiment(text: string): Sentiment {
  const tokens = text.normalize("NFKC").toLowerCase().replace(/['’]/g, "").match(TOKEN) ?? []
  let total = 0
  let hits = 0
  let sinceNegation = Infinity
  let degree = 1
  let lastContribution = 0
  let sinceCurrency = Infinity
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]!
    const symbol = symbols[token]
    if (symbol !== undefined) {
      total += symbol
      hits++
      continue
    }
    const language = detectLanguage(token)
    const { currencies, negations, degrees } = compiledLexicons[language]
    sinceCurrency++
    const requiredBefore = currencies.get(token)
    if (
      requiredBefore !== undefined && (requiredBefore.length === 0 || requiredBefore.includes(tokens[index - 1] ?? ""))
    ) sinceCurrency = 0
    const scale = degrees.get(token)
    if (scale !== undefined) {
      degree = scale
      continue
    }
    const negates = negations.has(token) || (language === "ko" && /^(않|아니|없)/u.test(token))
    if (negates) {
      // "좋지 않다": the verb precedes the negation, so the contribution of the verb is inverted and halved.
      if (language === "ko" && lastContribution !== 0) {
        total -= 1.5 * lastContribution
        lastContribution = 0
      } else sinceNegation = 0
      continue
    }
    const [weight, length] = getWeightAt(tokens, index, language)
    index += length - 1
    sinceNegation++
    lastContribution = 0
    if (weight !== 0 && sinceCurrency > 2) {
      const isNegated = sinceNegation <= 2 || (language === "ko" && /(지않|지못|없)/u.test(token))
      lastContribution = weight * degree * (isNegated ? -0.5 : 1)
      total += lastContribution
      hits++
      sinceNegation = Infinity
    }
    degree = 1
  }
  return { score: hits === 0 ? 0 : Math.tanh(total / FULL_WEIGHT), hits }
}

/**
 * Weighted mean of sentiments.
 *
 * Formula: `sum(w s) / sum(w)`, with weights of 1 by default. Unit: a number from -1 to 1. Returns null without scores,
 * or if the weights add up to 0.
 * Source: definition of a weighted mean.
 *
 * @throws RangeError when lengths differ, a score is not finite, or a weight is negative or not finite.
 * @example
 * import { meanSentiment } from "@tapeline/quant"
 * meanSentiment([1, -0.5], [1, 2]) // => 0
 * meanSentiment([]) // => null
 */
export function meanSentiment(scores: Series, weights?: Series): number | null {
  checkFiniteSeries("meanSentiment", "scores", scores)
  if (weights !== undefined) {
    checkSameLength("meanSentiment", "scores and weights", scores.length, weights)
    checkNotNegativeSeries("meanSentiment", "weights", weights)
  }
  let sum = 0
  let weight = 0
  for (let i = 0; i < scores.length; i++) {
    const w = weights === undefined ? 1 : weights[i]!
    sum += w * scores[i]!
    weight += w
  }
  return weight > 0 ? sum / weight : null
}

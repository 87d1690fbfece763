import { finiteSeries, notNegativeSeries, sameLength, type Series } from "./check.ts"
import { type Language, type Lexicon, lexicons, symbols } from "./text/lexicon.ts"

export type { Language } from "./text/lexicon.ts"

/** What {@link sentiment} returns. */
export interface Sentiment {
  /** -1 to 1; 0 when no word of the lexicon was found. */
  readonly score: number
  /** Words and signs that carried it; 0 means that the text says nothing either way. */
  readonly hits: number
}

interface Compiled {
  readonly whole: ReadonlyMap<string, number>
  /** Beginnings of words (English, Russian) or parts of words (Korean), longest first. */
  readonly parts: ReadonlyArray<readonly [part: string, weight: number]>
  readonly negations: ReadonlySet<string>
  readonly degrees: ReadonlyMap<string, number>
}

function compile(language: Language): Compiled {
  const { words, negations, degrees }: Lexicon = lexicons[language]
  const entries = Object.entries(words)
  const isPart = (word: string): boolean => language === "ko" || word.endsWith("*")
  return {
    whole: new Map(entries.filter(([word]) => !isPart(word))),
    parts: entries
      .filter(([word]) => isPart(word))
      .map(([word, weight]) => [word.replace("*", ""), weight] as const)
      .sort((a, b) => b[0].length - a[0].length),
    negations: new Set(negations),
    degrees: new Map(Object.entries(degrees))
  }
}

const compiled: Readonly<Record<Language, Compiled>> = { en: compile("en"), ko: compile("ko"), ru: compile("ru") }

const TOKEN = /[\p{L}\p{M}]+|\p{Extended_Pictographic}/gu

/** A word's language, by its script. */
function languageOf(word: string): Language {
  return /\p{Script=Hangul}/u.test(word) ? "ko" : /\p{Script=Cyrillic}/u.test(word) ? "ru" : "en"
}

function weightOf(word: string, language: Language): number {
  const { whole, parts } = compiled[language]
  const exact = whole.get(word)
  if (exact !== undefined) return exact
  for (const [part, weight] of parts) if (language === "ko" ? word.includes(part) : word.startsWith(part)) return weight
  return 0
}

/** Total weight at which the score reaches tanh(1): two plain words of one opinion. */
const FULL = 3

/**
 * Sentiment of a market text in English, Korean or Russian, by a small lexicon.
 *
 * Method: each word is judged in the language of its script (mixed texts are fine), turned round by a negation up to
 * two words before it (in Korean also by one glued to it or right after it) and scaled by a word of degree; emoji count
 * too.
 * Formula: `score = tanh(sum of weights / 3)`. Unit: -1 to 1. A text without a known word scores 0 with 0 hits.
 * Source: the package's own lexicon (src/text/lexicon.ts); the method follows VADER (C. Hutto and E. Gilbert, 2014) in
 * outline.
 *
 * @example
 * import { sentiment } from "@tapeline/quant"
 * sentiment("Bitcoin surges to a record high 🚀").score > 0.5 // => true
 * sentiment("비트코인 폭락, 공포 확산").score < -0.5 // => true
 * sentiment("Рынок рухнул, инвесторы в панике").score < -0.5 // => true
 * sentiment("not bullish").score < 0 // => true
 * sentiment("the meeting is on Tuesday") // => { score: 0, hits: 0 }
 */
export function sentiment(text: string): Sentiment {
  const tokens = text.normalize("NFKC").toLowerCase().replace(/['’]/g, "").match(TOKEN) ?? []
  let total = 0
  let hits = 0
  let sinceNegation = Infinity
  let degree = 1
  let last = 0
  for (const token of tokens) {
    const symbol = symbols[token]
    if (symbol !== undefined) {
      total += symbol
      hits++
      continue
    }
    const language = languageOf(token)
    const { negations, degrees } = compiled[language]
    const scale = degrees.get(token)
    if (scale !== undefined) {
      degree = scale
      continue
    }
    const negates = negations.has(token) || (language === "ko" && /^(않|아니|없)/u.test(token))
    if (negates) {
      // "좋지 않다": the verb came first, so what it added is taken back and turned.
      if (language === "ko" && last !== 0) {
        total -= 1.5 * last
        last = 0
      } else sinceNegation = 0
      continue
    }
    const weight = weightOf(token, language)
    sinceNegation++
    last = 0
    if (weight !== 0) {
      const turned = sinceNegation <= 2 || (language === "ko" && /(지않|지못|없)/u.test(token))
      last = weight * degree * (turned ? -0.5 : 1)
      total += last
      hits++
      sinceNegation = Infinity
    }
    degree = 1
  }
  return { score: hits === 0 ? 0 : Math.tanh(total / FULL), hits }
}

/**
 * Weighted mean of sentiments.
 *
 * Formula: `sum(w s) / sum(w)`; weights 1 when left out. Unit: -1 to 1. Null without scores or weight.
 * Source: definition.
 *
 * @throws RangeError when lengths differ, a score is not finite, or a weight is negative or not finite.
 * @example
 * import { meanSentiment } from "@tapeline/quant"
 * meanSentiment([1, -0.5], [1, 2]) // => 0
 * meanSentiment([]) // => null
 */
export function meanSentiment(scores: Series, weights?: Series): number | null {
  finiteSeries("meanSentiment", "scores", scores)
  if (weights !== undefined) {
    sameLength("meanSentiment", "scores and weights", scores.length, weights)
    notNegativeSeries("meanSentiment", "weights", weights)
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

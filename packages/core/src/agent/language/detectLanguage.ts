import type { Language } from "../../engine/messages/languageCode.ts"

/** Words that hardly a sentence does without. Of each script only what its other languages do not have. */
const english = new Set(
  ("the a an is are was be to of and in on for with what how why when which who should can could will would do does did " +
    "my me i it its this that than if or not price buy sell long short now today show give tell compare about please")
    .split(" ")
)

/** Letters that other languages written in Cyrillic have, and Russian has not. */
const notRussian = /[іїєґўјљњћђџѓќ]/giu

const count = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0

/** Fenced code, addresses and links: they are in nobody's language. */
const noise = /```[\s\S]*?(?:```|$)|`[^`]*`|https?:\/\/\S+|\$?\b[A-Z][A-Z0-9]{1,9}(?:[/-][A-Z]{2,6})?\b/gu

/**
 * The language that a question is asked in, by its script, and where several are mixed by whose words they are: a
 * Korean sentence full of English terms is Korean. Null for one that tells nothing: a ticker, numbers, a language that
 * is none of ours.
 */
export const detectLanguage = (text: string): Language | null => {
  const prose = text.slice(0, 8_000).replace(noise, " ")
  const hangul = count(prose, /\p{Script=Hangul}/gu)
  const cyrillic = count(prose, /\p{Script=Cyrillic}/gu) - 20 * count(prose, notRussian)
  const words = prose.toLowerCase().match(/\p{Script=Latin}+/gu) ?? []
  const latin = words.reduce((sum, word) => sum + word.length, 0)
  const isEnglish = words.some((word) => english.has(word))
  const latinWords = words.filter((word) => english.has(word)).length
  // A syllable of Hangul says what three letters do. Terms of other scripts stand in a sentence; its grammar does not.
  const scores: ReadonlyArray<readonly [Language, number]> = [
    ["ko", hangul * 3],
    ["ru", Math.max(0, cyrillic)],
    ["en", hangul + cyrillic > 0 ? (latinWords < 3 ? 0 : latin) : isEnglish ? latin : 0]
  ]
  const [language, score] = scores.reduce((best, one) => one[1] > best[1] ? one : best)
  return score > 0 ? language : null
}

/** The language of an answer: what was asked for, else the question's, else that of the conversation, else English. */
export const languageOfAnswer = (
  asked: Language | null,
  question: string,
  conversation: Language | null
): Language => asked ?? detectLanguage(question) ?? conversation ?? "en"

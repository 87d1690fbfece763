import type { Language } from "../../engine/messages/languageCode.ts"

/** Frequent English words, at least one of which occurs in nearly every English sentence. */
const englishWords = new Set(
  ("the a an is are was be to of and in on for with what how why when which who should can could will would do does did " +
    "my me i it its this that than if or not price buy sell long short now today show give tell compare about please")
    .split(" ")
)

/** Cyrillic letters that other languages use and Russian does not have. */
const nonRussianLetters = /[іїєґўјљњћђџѓќ]/giu

const countMatches = (text: string, letters: RegExp): number => text.match(letters)?.length ?? 0

/** Matches code, URLs and tickers, which belong to no language. */
const noise = /```[\s\S]*?(?:```|$)|`[^`]*`|https?:\/\/\S+|\$?\b[A-Z][A-Z0-9]{1,9}(?:[/-][A-Z]{2,6})?\b/gu

/**
 * Detects the language of a question by its script, or returns null, for example for a ticker or an unsupported
 * language. A Korean sentence with many English terms counts as Korean.
 */
export const detectLanguage = (text: string): Language | null => {
  const prose = text.slice(0, 8_000).replace(noise, " ")
  const hangul = countMatches(prose, /\p{Script=Hangul}/gu)
  const cyrillic = countMatches(prose, /\p{Script=Cyrillic}/gu) - 20 * countMatches(prose, nonRussianLetters)
  const words = prose.toLowerCase().match(/\p{Script=Latin}+/gu) ?? []
  const latin = words.reduce((sum, word) => sum + word.length, 0)
  const isEnglish = words.some((word) => englishWords.has(word))
  const latinWords = words.filter((word) => englishWords.has(word)).length
  // A Hangul syllable counts as three letters, and Latin letters in a mixed text count only with three English words.
  const scores: ReadonlyArray<readonly [Language, number]> = [
    ["ko", hangul * 3],
    ["ru", Math.max(0, cyrillic)],
    ["en", hangul + cyrillic > 0 ? (latinWords < 3 ? 0 : latin) : isEnglish ? latin : 0]
  ]
  const [language, score] = scores.reduce((best, entry) => entry[1] > best[1] ? entry : best)
  return score > 0 ? language : null
}

/** Returns the requested language, else the question's language, else the conversation's language, else English. */
export const chooseLanguage = (
  requested: Language | null,
  question: string,
  conversation: Language | null
): Language => requested ?? detectLanguage(question) ?? conversation ?? "en"

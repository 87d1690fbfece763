/** Detects the words of a question that are probably names, by their capital letters or by their length in Korean. */
import { isGenericWord } from "./genericWords.ts"
import { isStopWord, splitWords, type Word } from "./words.ts"

const hangulWord = /^\p{Script=Hangul}/u
/**
 * The minimum number of syllables of a Korean word that is probably a name. Most Korean common nouns have two
 * syllables.
 */
const minKoreanSyllables = 3
/** Matches the endings of Korean verbs in questions and requests. */
const koreanVerbEnding = /(?:요|줘|죠|까|니다|[랐렸졌났었았였겠]다|려|인가|[은는을를]지)$/u

const isKoreanName = ({ stem, text }: Word): boolean =>
  Array.from(stem).length >= minKoreanSyllables && !koreanVerbEnding.test(text)

/**
 * Returns the words of a question that are probably names. An English or Russian name has a capital letter. If all
 * words have a capital letter, only the first word counts, because titles capitalise every word.
 */
export const findNames = (query: string): ReadonlyArray<Word> => {
  const words = splitWords(query).filter((word) => !isStopWord(word))
  const isCapitalised = ({ at, length }: Word): boolean => /\p{Lu}/u.test(query.slice(at, at + length))
  const casedWords = words.filter(({ text }) => /^\p{L}+$/u.test(text) && text !== text.toUpperCase())
  const isTitle = casedWords.every(isCapitalised)
  return words.filter((word) => {
    if (isGenericWord(word)) return false
    if (hangulWord.test(word.text)) return isKoreanName(word)
    return casedWords.includes(word) && isCapitalised(word) && (!isTitle || word === casedWords[0])
  })
}

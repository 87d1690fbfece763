/** Compares the sounds of names in different scripts, such as Trump, 트럼프 and Трамп. */
import type { Word } from "./words.ts"

/**
 * The consonants of each class of similar sounds. The classes are similar to those of Soundex, but sibilants and velars
 * are separate. R is in the class of L, because Korean does not distinguish the two. Hangul has separate characters for
 * the consonants at the beginning and at the end of a syllable.
 */
const consonantClasses: ReadonlyArray<readonly [code: string, consonants: string]> = [
  ["1", "bfpvбвпфᄇᄈᄑᆸᇁ"],
  ["2", "jszжзсцчшщᄉᄊᄌᄍᄎ"],
  ["3", "dtдтᄃᄄᄐᆮᆺᆻᆽᆾᇀ"],
  ["4", "lrлрᄅᆯ"],
  ["5", "mnмнᄂᄆᆫᆷ"],
  ["6", "cgkqгкᄀᄁᄏᆨᆩᆿ"],
  ["56", "ᆼ"],
  ["62", "x"]
]
const codes = new Map(consonantClasses.flatMap(([code, consonants]) => Array.from(consonants, (one) => [one, code])))
/**
 * The letters that do not separate two equal consonants. Korean inserts ㅡ between the consonants of other languages.
 */
const silentLetters = new Set("hwхьъᄒᇂᅳ")
const softC = /c(?=[eiyh])/gu

/**
 * Returns the classes of a word's consonants, in order. A leading "0" means that the word begins with a letter without
 * a class, such as a vowel. Adjacent consonants of one class count once.
 */
export const getPhoneticCode = (word: string): string => {
  let code = ""
  let last = ""
  for (const letter of word.normalize("NFD").replace(softC, "s").replaceAll("дж", "ж")) {
    const next = codes.get(letter) ?? ""
    if (code === "" && next === "") code = "0"
    if (next !== "" && next !== last) code += next
    if (!silentLetters.has(letter)) last = next
  }
  return code
}

/** The minimum length of a code. Many words share a code that is shorter, so shorter codes are not compared. */
const minCodeLength = 3

const scriptPatterns = [/^\p{Script=Hangul}/u, /^\p{Script=Cyrillic}/u, /^\p{Script=Latin}/u]
const getScript = (text: string): number => scriptPatterns.findIndex((pattern) => pattern.test(text))

const getCodes = ({ stem, text }: Word): ReadonlyArray<string> =>
  [getPhoneticCode(text), getPhoneticCode(stem)].filter((code) => code.length >= minCodeLength)

/** Returns a function that tests whether a list of words contains a name as another script writes it. */
export const makeSoundTest = (name: Word): (words: ReadonlyArray<Word>) => boolean => {
  const script = getScript(name.text)
  const nameCodes = getCodes(name)
  return (words) =>
    nameCodes.length > 0 && script >= 0 && words.some((word) => {
      const other = getScript(word.text)
      return other >= 0 && other !== script && getCodes(word).some((code) => nameCodes.includes(code))
    })
}

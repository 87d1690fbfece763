/** A word in a text. */
export interface Word {
  /** The word in composed Unicode form and in lower case. */
  readonly text: string
  /** The stem of the word, without the endings that the stemmer recognises. */
  readonly stem: string
  /** The position of the word in the text, in UTF-16 units. */
  readonly at: number
  readonly length: number
}

/**
 * Matches a word: consecutive letters of one script. A ticker and a following Korean particle are separate words,
 * because their scripts differ.
 */
const wordPattern =
  /\p{Script=Hangul}+|\p{Script=Han}+|\p{Script=Cyrillic}+|(?:(?!\p{Script=Hangul}|\p{Script=Han}|\p{Script=Cyrillic})[\p{L}\p{M}\p{N}])+/gu

const maxWordLength = 64

const hangul = /^\p{Script=Hangul}/u
const cyrillic = /^\p{Script=Cyrillic}/u
const latin = /^[a-z]/u

/** Matches a Korean particle or ending after at least two syllables. */
const koreanEnding =
  /^(.{2,}?)(?:에서는|으로는|에서도|에게서|이라고|으로도|까지|부터|에서|에게|으로|라고|이나|처럼|보다|했다|한다|하는|하며|하고|됐다|된다|되는|되며|은|는|이|가|을|를|의|에|도|로|과|와|만|한|된)$/u

const russianEnding =
  /^(.{3,}?)(?:иями|ями|ами|ого|его|ому|ему|ыми|ими|иях|ах|ях|ов|ев|ей|ой|ий|ый|ая|яя|ое|ее|ые|ие|ую|юю|ом|ем|ам|ям|ию|ия|ии|ает|яет|ают|яют|ет|ит|ют|ут|ят|ил|ал|ла|ло|ли|ть|а|я|о|е|у|ю|ы|и|ь|й)$/u

const englishEnding =
  /^(.{3,}?)(?:ations|ation|ators|atory|ator|ating|ated|ates|ate|ings|ing|ions|ion|edly|ied|ies|ed|es|ly|s|e|y)$/u

const getStem = (word: string): string => {
  const ending = hangul.test(word)
    ? koreanEnding
    : cyrillic.test(word)
    ? russianEnding
    : latin.test(word)
    ? englishEnding
    : undefined
  return ending?.exec(word)?.[1] ?? word
}

/** Normalises a text for comparison: composed Unicode form, lower case, and е instead of ё. */
export const foldText = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll("ё", "е")

/** Returns the words of a text, in order. */
export const splitWords = (text: string): ReadonlyArray<Word> =>
  Array.from(text.matchAll(wordPattern), ({ 0: match, index }) => {
    const text = foldText(match.slice(0, maxWordLength))
    return { text, stem: getStem(text), at: index, length: match.length }
  })

/** The stop words, which carry no information about the subject of a text. */
const stopWords = new Set(
  ("a an the of in on at to for from by with and or but as is are was were be been it its this that these those what " +
    "which who how why when where did do does has have had will would can could about after before over into than " +
    "their there they we you i not no s t " +
    "и в во на с со к ко по из за от до у о об а но не ни что как это его её ее их для при или же ли бы был была " +
    "было были будет есть так также еще уже после перед почему какие какой какая кто когда где " +
    "및 등 그 이 저 것 수 왜 무엇 어떤 어떻게 언제 대한 관련 대해 위해 통해 지난 오늘")
    .split(" ")
)

export const isStopWord = ({ stem, text }: Word): boolean => stopWords.has(text) || stopWords.has(stem)

/**
 * Hashes the UTF-16 units of a text to a signed 32-bit integer. The hash is FNV-1a with the final steps of MurmurHash3.
 */
export const hashText = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

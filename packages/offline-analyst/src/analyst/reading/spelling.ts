import { editDistance } from "@tapeline/core/engine"
import { coinPatterns } from "./coinNames.ts"
import { namesIn } from "./nearNames.ts"
import { rule } from "./rule.ts"
import { stockPatterns } from "./stockNames.ts"
import { isTopic } from "./topics.ts"
import { isCommodity, isUnknown, measureWords } from "./unknownNames.ts"

/** A misspelt word of a question, and the word as which it was read. */
export interface Assumed {
  readonly typed: string
  readonly meant: string
}

interface Word {
  readonly written: string
  readonly meant: string
}

const names = new RegExp(
  [...coinPatterns, ...stockPatterns].map(({ texts: [en = "", ko = "", ru = ""] }) => rule(en, ko, ru).source).join(
    "|"
  ),
  "u"
)

/** Returns whether a word is or contains a correctly written name. */
const isKnownName = (word: string): boolean => names.test(word)

/** Splits Hangul syllables into letters, so that one wrong letter is one edit. */
const lettersOf = (word: string): string => word.normalize("NFD")

const isHangul = (word: string): boolean => /[가-힣]/u.test(word)
const minStockLetters = 6
const minLetters = 5

const words: ReadonlyArray<Word> = [
  ...coinPatterns.flatMap(({ texts, ticker }) =>
    texts.flatMap(namesIn).map((written) => ({ written: written.toLowerCase(), meant: ticker }))
  ),
  ...stockPatterns.flatMap(({ name, texts }) =>
    texts.flatMap(namesIn).filter((written) => isHangul(written) || written.length >= minStockLetters)
      .map((written) => ({ written: written.toLowerCase(), meant: name }))
  ),
  ...["dominance", "inflation", "calendar", "treasury"].map((written) => ({ written, meant: written })),
  ...measureWords.filter((written) => /^[a-z]{7,}$/.test(written)).map((written) => ({ written, meant: written }))
].filter(({ written }) => !written.includes(" ") && lettersOf(written).length >= minLetters)

/** Returns the number of wrong letters that a word of a length may have. */
const maxEdits = (letters: number): number => letters >= 8 ? 2 : 1

const russianEnding = /[аеиоуыэюяйь]{1,2}$|(?:ом|ам|ах|ов|ой|ою)$/u
const koreanParticle = /(?:이랑|랑|은|는|이|가|도|를|을|의|에|만|하고|와|과|로|으로|보다)$/u

/** Returns a typed word, and the word without its ending. */
const formsOf = (typed: string): ReadonlyArray<string> => {
  const bare = isHangul(typed) ? typed.replace(koreanParticle, "") : typed.replace(russianEnding, "")
  return bare === typed || (!isHangul(typed) && bare.length < minLetters) || bare.length < 2
    ? [typed]
    : [typed, bare]
}

const nearestOf = (typed: string): Word | null => {
  let nearest: Word | null = null
  let fewest = Number.POSITIVE_INFINITY
  for (const form of formsOf(typed)) {
    const letters = lettersOf(form)
    if (letters.length < minLetters) continue
    for (const word of words) {
      const own = lettersOf(word.written)
      if (Math.abs(own.length - letters.length) > maxEdits(letters.length)) continue
      if (own[0] !== letters[0] && own[0] !== letters[1]) continue
      // "Analysts" is no misspelt "analysis": a word may have another ending.
      if (word.meant === word.written && own.startsWith(letters.slice(0, -3))) continue
      const edits = editDistance(letters, own)
      if (edits > 0 && edits <= maxEdits(Math.min(letters.length, own.length)) && edits < fewest) {
        nearest = word
        fewest = edits
      }
    }
  }
  return nearest
}

/** Replaces misspelt names and terms by the known word that they resemble most. */
export const corrected = (
  question: string
): { readonly question: string; readonly assumed: ReadonlyArray<Assumed> } => {
  const assumed: Array<Assumed> = []
  const text = question.replaceAll(/(?<![\p{L}\p{N}$])[\p{L}]{3,20}(?![\p{L}\p{N}])/gu, (typed) => {
    const word = typed.toLowerCase().replaceAll("ё", "е")
    const isOwnTicker = typed === typed.toUpperCase() && /[A-Z]/.test(typed)
    if (isOwnTicker || !isUnknown(word) || isTopic(word) || isCommodity(word) || isKnownName(word)) return typed
    const nearest = nearestOf(word)
    if (nearest === null) return typed
    assumed.push({ typed, meant: nearest.meant })
    return nearest.written
  })
  return { question: text, assumed }
}

import type { Language } from "@tapeline/core/specifications"

const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?$/i
const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/
const spaced = /^[+-]?\d{1,3}(?: \d{3})+(?:\.\d*)?$/

/** 0,5 and 61250,25 are written so by Russians; 61,250 may be meant either way, and is read neither way. */
const withComma = /^[+-]?\d+,\d+$/
const eitherWay = /^[+-]?[1-9]\d{0,2},\d{3}$/

/**
 * The number that was typed, as it is written in a language: `61,250.5` in English and Korean, `61 250,5` in Russian.
 * Undefined of what is none, and of what might be two.
 */
export const numberIn = (text: string, language: Language): number | undefined => {
  const bare = text.replaceAll(/[\s\u00a0\u202f]+/gu, " ").trim().replace(/^\$ ?| ?\$$/, "")
  const unspaced = spaced.test(bare.replace(",", ".")) ? bare.replaceAll(" ", "") : bare
  const read = language === "ru"
    ? withComma.test(unspaced) && !eitherWay.test(unspaced) ? unspaced.replace(",", ".") : unspaced
    : grouped.test(unspaced)
    ? unspaced.replaceAll(",", "")
    : unspaced
  const value = plain.test(read) ? Number(read) : NaN
  return Number.isFinite(value) ? value : undefined
}

/** The parts of a list that was typed, with a semicolon, a comma and a space, or a new line between them. */
export const listIn = (text: string): ReadonlyArray<string> =>
  text.split(/[;\n]|,\s+/u).map((one) => one.trim()).filter((one) => one !== "")

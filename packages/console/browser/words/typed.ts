import type { Language } from "@tapeline/core/specifications"

const plain = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?$/i
const grouped = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/
const spaced = /^[+-]?\d{1,3}(?: \d{3})+(?:\.\d*)?$/

/** Russian writes 0,5 and 61250,25. The text 61,250 is ambiguous in Russian, and is rejected. */
const withComma = /^[+-]?\d+,\d+$/
const eitherWay = /^[+-]?[1-9]\d{0,2},\d{3}$/

/**
 * Reads a number in the format of a language: `61,250.5` in English and Korean, `61 250,5` in Russian. Returns
 * undefined if the text is not a number, or is ambiguous.
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

/** The items of a typed list. They are separated by semicolons, new lines, or a comma with a space. */
export const listIn = (text: string): ReadonlyArray<string> =>
  text.split(/[;\n]|,\s+/u).map((one) => one.trim()).filter((one) => one !== "")

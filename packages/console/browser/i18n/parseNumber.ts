import type { Language } from "@tapeline/core/specifications"

const plainNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,2})?$/i
const groupedNumber = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/
const spacedNumber = /^[+-]?\d{1,3}(?: \d{3})+(?:\.\d*)?$/

/** Matches a Russian decimal number such as 0,5 or 61250,25, but not 61,250, which is ambiguous in Russian. */
const decimalComma = /^[+-]?\d+,\d+$/
const ambiguousComma = /^[+-]?[1-9]\d{0,2},\d{3}$/

/**
 * Parses a number in the format of a language, such as `61,250.5` in English or `61 250,5` in Russian. Returns
 * undefined if the text is ambiguous or is not a number.
 */
export const parseNumber = (text: string, language: Language): number | undefined => {
  const trimmed = text.replaceAll(/[\s\u00a0\u202f]+/gu, " ").trim().replace(/^\$ ?| ?\$$/, "")
  const unspaced = spacedNumber.test(trimmed.replace(",", ".")) ? trimmed.replaceAll(" ", "") : trimmed
  const normalized = language === "ru"
    ? decimalComma.test(unspaced) && !ambiguousComma.test(unspaced) ? unspaced.replace(",", ".") : unspaced
    : groupedNumber.test(unspaced)
    ? unspaced.replaceAll(",", "")
    : unspaced
  const value = plainNumber.test(normalized) ? Number(normalized) : NaN
  return Number.isFinite(value) ? value : undefined
}

/** Returns the items of a typed list, separated by semicolons, line breaks, or commas followed by a space. */
export const parseList = (text: string): ReadonlyArray<string> =>
  text.split(/[;\n]|,\s+/u).map((one) => one.trim()).filter((one) => one !== "")

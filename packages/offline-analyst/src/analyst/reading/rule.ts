/** Normalises a text for pattern matching: NFKC, lower case, plain quotes and spaces, and е for ё. */
export const plain = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll("ё", "е").replace(/[’‘]/g, "'").replace(/\s+/g, " ").trim()

/** Matches the beginning of a Latin word or any other letter, so that `iv` is not found in `give`. */
const begins = "(?:(?<![a-z0-9])|(?![a-z]))"

/**
 * Builds a pattern from words in three languages, because questions mix languages. English words match whole, Russian
 * words by their beginning, and Korean words anywhere, since particles follow them.
 */
export const rule = (en: string, ko: string, ru: string): RegExp =>
  new RegExp(`(?<![a-z0-9])(?:${en})(?![a-z])|${begins}(?:${ko})(?![a-z])|(?<![а-я])${begins}(?:${ru})(?![a-z])`, "u")

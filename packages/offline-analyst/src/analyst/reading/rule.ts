/** A text as rules read it: composed, in lower case, ё as е, typographic quotes and spaces plain. */
export const plain = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll("ё", "е").replace(/[’‘]/g, "'").replace(/\s+/g, " ").trim()

/**
 * What words tell in each language: English ones whole, Russian ones by their beginnings, Korean ones wherever they
 * stand, since particles follow them. Questions mix languages, so that all three are looked for.
 */
export const rule = (en: string, ko: string, ru: string): RegExp =>
  new RegExp(`(?<![a-z0-9])(?:${en})(?![a-z])|(?:${ko})|(?<![а-я])(?:${ru})`, "u")

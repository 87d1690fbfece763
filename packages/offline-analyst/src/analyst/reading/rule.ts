/** A text as rules read it: composed, in lower case, ё as е, typographic quotes and spaces plain. */
export const plain = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll("ё", "е").replace(/[’‘]/g, "'").replace(/\s+/g, " ").trim()

/** Where a Latin word begins, or any other letter stands: `iv` is not in `give`. */
const begins = "(?:(?<![a-z0-9])|(?![a-z]))"

/**
 * What words tell in each language: English ones whole, Russian ones by their beginnings, Korean ones wherever they
 * stand, since particles follow them; Latin words among the latter two are whole as well. Questions mix languages, so
 * that all three are looked for.
 */
export const rule = (en: string, ko: string, ru: string): RegExp =>
  new RegExp(`(?<![a-z0-9])(?:${en})(?![a-z])|${begins}(?:${ko})(?![a-z])|(?<![а-я])${begins}(?:${ru})(?![a-z])`, "u")

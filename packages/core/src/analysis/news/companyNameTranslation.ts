import type { Stock } from "../../market/instrument.ts"
import { commonNames } from "../equities/commonNames.ts"

const hangulPattern = /\p{Script=Hangul}/u
/** The minimum length of a company name. A name of one syllable or letter would be too ambiguous. */
const minCharacters = 2

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)
const normaliseName = (text: string): string => text.normalize("NFKC").toLowerCase()
/** Removes the spaces of a Korean name. Korean names are written with or without spaces. */
const toNameKey = (name: string): string => hangulPattern.test(name) ? name.replace(/\s+/gu, "") : name

/** The particles that may follow a Korean name and are not part of the name. */
const particlePattern = "(?:에서|으로|은|는|이|가|을|를|의|에|도|로|와|과|만)"
const wordEndPattern = String.raw`(?![\p{L}\p{N}])`

const mapToOtherLanguage = (stocks: ReadonlyArray<Stock>): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  const add = (name: string, other: string) => {
    if (Array.from(name).length >= minCharacters && normaliseName(name) !== normaliseName(other)) {
      names.set(toNameKey(normaliseName(name)), other)
    }
  }
  const bySymbol = new Map(stocks.map((stock) => [stock.symbol, stock]))
  for (const [name, symbol] of Object.entries(commonNames)) {
    const stock = bySymbol.get(symbol)
    if (stock !== undefined && hangulPattern.test(name)) add(name, stock.name)
  }
  for (const { country, koreanName, name } of stocks) {
    if (koreanName === null) continue
    // Names of US companies are not translated to Korean, because some are ordinary words: target, visa, block.
    if (country === "KR") add(name, koreanName)
    add(koreanName, name)
  }
  return names
}

/**
 * Translates the company names in a question between Korean and English. For example, 삼성전자 becomes Samsung Electronics.
 * If several names match, the longest name is translated. Returns undefined if the question names no company.
 */
export const translateCompanyNames = (query: string, stocks: ReadonlyArray<Stock>): string | undefined => {
  const names = mapToOtherLanguage(stocks)
  if (names.size === 0) return undefined
  const namePatterns = [...names.keys()].toSorted((a, b) => b.length - a.length)
    .map((name) =>
      hangulPattern.test(name)
        ? Array.from(name, escapeRegExp).join(String.raw`\s?`)
        : String.raw`${escapeRegExp(name)}(?![\p{Script=Latin}\p{N}])`
    )
  const anyName = new RegExp(
    String.raw`(?<![\p{L}\p{N}])(${namePatterns.join("|")})(?:${particlePattern}${wordEndPattern})?`,
    "giu"
  )
  const normalisedQuery = query.normalize("NFKC")
  const translated = normalisedQuery.replace(
    anyName,
    (_, name: string) => ` ${names.get(toNameKey(normaliseName(name)))!} `
  )
  return translated === normalisedQuery ? undefined : translated.replace(/\s+/gu, " ").trim()
}

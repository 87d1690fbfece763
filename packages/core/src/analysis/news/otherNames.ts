import type { Stock } from "../../market/instrument.ts"
import { commonNames } from "../equities/commonNames.ts"

const isHangul = /\p{Script=Hangul}/u
/** The minimum length of a name. A single syllable or letter is too ambiguous. */
const leastSigns = 2

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)
const asCompared = (text: string): string => text.normalize("NFKC").toLowerCase()
/** Korean names are written with or without spaces. */
const keyOf = (name: string): string => isHangul.test(name) ? name.replace(/\s+/gu, "") : name

/** Particles that may follow a Korean name and are not part of it. */
const particle = "(?:에서|으로|은|는|이|가|을|를|의|에|도|로|와|과|만)"
const wordEnds = String.raw`(?![\p{L}\p{N}])`

/** Maps names of stocks to the names that articles in the other language use. */
const namesOf = (stocks: ReadonlyArray<Stock>): ReadonlyMap<string, string> => {
  const names = new Map<string, string>()
  const add = (name: string, other: string) => {
    if (Array.from(name).length >= leastSigns && asCompared(name) !== asCompared(other)) {
      names.set(keyOf(asCompared(name)), other)
    }
  }
  const bySymbol = new Map(stocks.map((stock) => [stock.symbol, stock]))
  for (const [name, symbol] of Object.entries(commonNames)) {
    const stock = bySymbol.get(symbol)
    if (stock !== undefined && isHangul.test(name)) add(name, stock.name)
  }
  for (const { country, koreanName, name } of stocks) {
    if (koreanName === null) continue
    // Names of American companies are also English words: target, visa, block.
    if (country === "KR") add(name, koreanName)
    add(koreanName, name)
  }
  return names
}

/**
 * Replaces the company names of a question by those that articles in the other language use: for example, 삼성전자 becomes
 * Samsung Electronics, and vice versa for Korean companies. The longest matching name wins, and a Korean particle may
 * follow. Undefined if the question names no company.
 */
export const inOtherNames = (query: string, stocks: ReadonlyArray<Stock>): string | undefined => {
  const names = namesOf(stocks)
  if (names.size === 0) return undefined
  const written = [...names.keys()].toSorted((a, b) => b.length - a.length)
    .map((name) =>
      isHangul.test(name)
        ? Array.from(name, escaped).join(String.raw`\s?`)
        : String.raw`${escaped(name)}(?![\p{Script=Latin}\p{N}])`
    )
  const anyName = new RegExp(
    String.raw`(?<![\p{L}\p{N}])(${written.join("|")})(?:${particle}${wordEnds})?`,
    "gu"
  )
  const asked = asCompared(query)
  const renamed = asked.replace(anyName, (_, name: string) => ` ${names.get(keyOf(name))!} `)
  return renamed === asked ? undefined : renamed.replace(/\s+/gu, " ").trim()
}

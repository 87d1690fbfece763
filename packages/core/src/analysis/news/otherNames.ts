import type { Stock } from "../../market/instrument.ts"
import { commonNames } from "../equities/commonNames.ts"

const isHangul = /\p{Script=Hangul}/u
/** One syllable or letter names too much. */
const leastSigns = 2

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`)
const asCompared = (text: string): string => text.normalize("NFKC").toLowerCase()
/** Korean names are written with and without spaces. */
const keyOf = (name: string): string => isHangul.test(name) ? name.replace(/\s+/gu, "") : name

/** What may stand at a Korean name, and is no part of it. */
const particle = "(?:에서|으로|은|는|이|가|을|를|의|에|도|로|와|과|만)"
const wordEnds = String.raw`(?![\p{L}\p{N}])`

/** Names of stocks, and those by which articles of the other language call them. */
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
    // Names of American companies are words of English too: target, visa, block.
    if (country === "KR") add(name, koreanName)
    add(koreanName, name)
  }
  return names
}

/**
 * A question with its companies called as articles of the other language call them: 삼성전자 as Samsung Electronics, and
 * Korean ones the other way round. Of names that begin alike the longest is meant, and a Korean particle may follow.
 * Undefined when no company is named.
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

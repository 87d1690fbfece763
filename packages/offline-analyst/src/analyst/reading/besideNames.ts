import { coinPatterns } from "./coinNames.ts"
import { rule } from "./rule.ts"
import { stockPatterns } from "./stockNames.ts"
import { isCommodity, isUnknown } from "./unknownNames.ts"

/** Placeholder for a known instrument. */
const known = "■"

const names = new RegExp(
  [...coinPatterns, ...stockPatterns]
    .map(({ texts: [en = "", ko = "", ru = ""] }) => rule(en, ko, ru).source)
    .join("|"),
  "gu"
)

/** Questions that compare instruments. */
export const asksCompare = rule(
  "compare|comparison|versus|vs\\.?|better|stronger|strongest|weaker|weakest|or|against|relative",
  "비교|대비|중에|중 (?:어느|뭐|무엇|어떤)|vs|아니면|더 (?:나|강|좋|센)|(?:제일|젤|가장) (?:쎄|센|세|강|좋)|중 뭐",
  "сравни|сравнен|против|или|лучше|сильнее|слабее|vs"
)
const asksBoth = rule("correlat(?:e|ed|ion|ions)", "상관", "корреляц")

const joiner = "(?:,? (?:and|or|vs\\.?|versus|against|with|to|than|и|или|с|со|против) |, ?| ?/ ?)(?:the |a )?"
const koreanJoiner = "(?: ?(?:이랑|랑|와|과|하고|및|보다|대비|,|vs) ?)"
const name = "(crude oil|[a-zа-я]{2,20})"
const pairs: ReadonlyArray<RegExp> = [
  new RegExp(`${known}[а-я]{0,4}(?:'s)?${joiner}${name}(?![\\p{L}])`, "gu"),
  new RegExp(`(?<![\\p{L}])${name}${joiner}${known}`, "gu"),
  new RegExp(`${known}${koreanJoiner}([가-힣]{1,8}?)(?:이랑|랑|은|는|이|가|을|를|의|도)?(?![\\p{L}])`, "gu"),
  new RegExp(`(?<![\\p{L}])([가-힣]{1,8}?)${koreanJoiner}${known}`, "gu")
]

/** Words of comparisons that are no names. */
const compared = new Set(
  "compare comparing comparison worse better stronger weaker rest others other them cash сравни сравнить лучше хуже сильнее слабее 비교"
    .split(" ")
)

/**
 * Returns unknown names next to known instruments: `gold` in "compare BTC and gold". In a comparison any unknown word
 * is a name. In other questions only commodities and currencies are. `tickers` are the instruments of the question.
 */
export const besideNames = (folded: string, tickers: ReadonlyArray<string>): ReadonlyArray<string> => {
  const written = tickers.map((ticker) => ticker.toLowerCase().replaceAll(".", "\\.")).join("|")
  const masked = folded.replaceAll(names, known)
    .replaceAll(new RegExp(`(?<![a-z0-9])\\$?(?:${written})(?![a-z0-9])`, "gu"), known)
  const isComparison = asksCompare.test(folded) || asksBoth.test(folded)
  const found = pairs.flatMap((pair) => [...masked.matchAll(pair)].map(({ 1: name = "" }) => name))
  return [...new Set(found)].filter((name) =>
    isCommodity(name) || (isComparison && !compared.has(name) && isUnknown(name))
  )
}

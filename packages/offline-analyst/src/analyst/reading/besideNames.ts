import { coinPatterns } from "./coinNames.ts"
import { nearNames } from "./nearNames.ts"
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

const joiner = "(?:,? (?:and|or|vs\\.?|versus|against|with|to|than|и|или|с|со|против) |, ?| ?/ ?)(?:the |a )?"
const koreanJoiner = "(?: ?(?:이랑|랑|와|과|하고|및|보다|대비|,|vs) ?)"
const name = "(crude oil|[a-zа-я]{2,20})"
const pairs: ReadonlyArray<RegExp> = [
  new RegExp(`${known}[а-я]{0,4}(?:'s)?${joiner}${name}(?![\\p{L}])`, "gu"),
  new RegExp(`(?<![\\p{L}])${name}${joiner}${known}`, "gu"),
  new RegExp(`${known}${koreanJoiner}([가-힣]{1,8}?)(?:이랑|랑|은|는|이|가|을|를|의|도)?(?![\\p{L}])`, "gu"),
  new RegExp(`(?<![\\p{L}])([가-힣]{1,8}?)${koreanJoiner}${known}`, "gu")
]

/** Comparisons that consist of two names: "compare X and Y", "X vs Y". */
const explicit = new RegExp(
  `(?:compare|сравни(?:те)?) (?:${known}[а-я]{0,4}(?:,? (?:and|with|to|и|с|со) | ?/ ?)${name}|${name} (?:and|with|to|и|с|со) ${known}[а-я]{0,4})[.?!]*$|` +
    `^(?:${known} (?:vs\\.?|versus) ${name}|${name} (?:vs\\.?|versus) ${known})[.?!]*$`,
  "u"
)
/** Means of payment: "buy BTC with euro". */
const payments =
  /(?<![\p{L}])(?:with|for|in|за) (?:euros?|yen|pounds?|yuan|rubles?|dollars?|евро|доллары|рубли|юани)(?![\p{L}])/gu
/** Words of comparisons that are no names: verbs, months, currencies and words of time. */
const compared =
  /^(?:compare|comparing|comparison|worse|better|stronger|weaker|rest|others?|them|cash|hold(?:ing)?|wait(?:ing)?|nothing|january|february|march|april|may|june|july|august|september|october|november|december|euros?|winter|spring|summer|autumn|fall|past|history|average|inflation|peers|сравни.*|лучше|хуже|сильнее|слабее|прошл.*|позапрошл.*|январ.*|феврал.*|март.*|апрел.*|май|мае|мая|июн.*|июл.*|август.*|сентябр.*|октябр.*|ноябр.*|декабр.*|зим.*|весн.*|лет.*|осен.*|евро|наличн.*|конкурент.*|сред.*)$/u

/**
 * Returns unknown names next to known instruments: `gold` in "compare BTC and gold". A name is a commodity, a slip of a
 * known name, or the other side of a comparison of two names. `tickers` are the instruments of the question.
 */
export const besideNames = (folded: string, tickers: ReadonlyArray<string>): ReadonlyArray<string> => {
  const written = tickers.map((ticker) => ticker.toLowerCase().replaceAll(".", "\\.")).join("|")
  const own = /compare|сравни/u.test(folded) ? folded : folded.replaceAll(payments, " ")
  const masked = own.replaceAll(names, known)
    .replaceAll(new RegExp(`(?<![a-z0-9])\\$?(?:${written})(?![a-z0-9])`, "gu"), known)
  const isExplicit = explicit.test(masked)
  const found = pairs.flatMap((pair) => [...masked.matchAll(pair)].map(({ 1: name = "" }) => name))
  return [...new Set(found)].filter((name) =>
    isCommodity(name) || (isUnknown(name) && !compared.test(name) && (isExplicit || nearNames(name).length > 0))
  )
}

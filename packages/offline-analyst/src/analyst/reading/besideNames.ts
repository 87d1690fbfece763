import { coinPatterns } from "./coinNames.ts"
import { nearNames } from "./nearNames.ts"
import { rule } from "./rule.ts"
import { stockPatterns } from "./stockNames.ts"
import { isTopic } from "./topics.ts"
import { isCommodity, isUnknown } from "./unknownNames.ts"

const known = "■"

export const namesPattern = new RegExp(
  [...coinPatterns, ...stockPatterns]
    .map(({ texts: [en = "", ko = "", ru = ""] }) => rule(en, ko, ru).source)
    .join("|"),
  "gu"
)

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

export const asksCorrelation = rule(
  "correlat(?:ion|ed|ions)|beta|move together|(?:falls?|drops?|rises?) (?:harder|more) (?:with|than(?! \\d))",
  "상관|베타|같이 움직",
  "корреляц|бета|вместе двига|связан"
)
/** Matches two names without a word between them: "BTC kaspa correlation". */
const adjacent: ReadonlyArray<RegExp> = [
  new RegExp(`${known} ${name}(?= (?:correlation|beta|корреляц))`, "gu"),
  new RegExp(`${known} ?([가-힣]{2,8}?)(?:의)? ?(?=상관|베타)`, "gu")
]

/** Matches comparisons that consist of two names: "compare X and Y", "X vs Y". */
const explicit = new RegExp(
  `(?:compare|сравни(?:те)?) (?:${known}[а-я]{0,4}(?:,? (?:and|with|to|и|с|со) | ?/ ?)${name}|${name} (?:and|with|to|и|с|со) ${known}[а-я]{0,4})[.?!]*$|` +
    `^(?:${known} (?:vs\\.?|versus) ${name}|${name} (?:vs\\.?|versus) ${known})[.?!]*$`,
  "u"
)
/** Matches means of payment: "buy BTC with euro". */
const payments =
  /(?<![\p{L}])(?:with|for|in|за) (?:euros?|yen|pounds?|yuan|rubles?|dollars?|евро|доллары|рубли|юани)(?![\p{L}])/gu
/** Matches words of comparisons that are no names: verbs, currencies and words of time. */
const compared =
  /^(?:compared?|comparing|comparison|relative|worse|better|stronger|weaker|rest|others?|them|hold|wait|euros?|average|inflation|peers|сравни.*|лучше|хуже|сильнее|слабее|нет|да|нечего|ничего|.*ть(?:ся)?|позапрошл.*|конкурент.*|сред.*|작년|현금|관련된?)$/u

/**
 * Returns unknown names next to known instruments, such as `gold` in "compare BTC and gold". `strange` holds likely
 * instruments, and `unread` holds words that may not be names.
 */
export const besideNames = (
  folded: string,
  tickers: ReadonlyArray<string>
): { readonly strange: ReadonlyArray<string>; readonly unread: ReadonlyArray<string> } => {
  const written = tickers.map((ticker) => ticker.toLowerCase().replaceAll(".", "\\.")).join("|")
  const own = /compare|сравни/u.test(folded) ? folded : folded.replaceAll(payments, " ")
  const masked = own.replaceAll(namesPattern, known)
    .replaceAll(new RegExp(`(?<![a-z0-9])\\$?(?:${written})(?![a-z0-9])`, "gu"), known)
  const isPair = asksCorrelation.test(folded) && tickers.length < 2
  const isExplicit = isPair || explicit.test(masked)
  const patterns = isPair ? [...pairs, ...adjacent] : pairs
  const found = patterns.flatMap((pair) => [...masked.matchAll(pair)].map(({ 1: name = "" }) => name))
  const read = [...new Set(found)].filter((name) =>
    isCommodity(name) || (isUnknown(name) && !compared.test(name) && !isTopic(name))
  )
  const strange = read.filter((name) => isCommodity(name) || isExplicit || nearNames(name).length > 0)
  return { strange, unread: asksCompare.test(folded) ? read.filter((name) => !strange.includes(name)) : [] }
}

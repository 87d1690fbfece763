import { findMentionSpans, type MentionSpan } from "../../market/instrumentMentions.ts"
import { clockTimesIn } from "./clockTimes.ts"
import { nouns } from "./vocabulary.ts"

/**
 * What a number counts; `plain` when nothing is said. `clock` is minutes after midnight, `minutes` how long, `money` a
 * currency other than dollars and won.
 */
export type Unit =
  | "plain"
  | "usd"
  | "won"
  | "money"
  | "coins"
  | "percent"
  | "times"
  | "minutes"
  | "clock"
  | "count"
  | "id"

/** A number of a text, where it stands, and whether it is what is left behind ("from 57,000", "57,000에서"). */
export interface Quantity {
  readonly value: number
  readonly unit: Unit
  readonly at: number
  readonly end: number
  readonly old: boolean
}

const grouped = "\\d{1,3}(?:,\\d{3})+(?!\\d|,\\d)(?:\\.\\d+)?"
const decimal = "\\d+(?:\\.\\d+)?"
const multipliers: Readonly<Record<string, number>> = {
  k: 1e3,
  к: 1e3,
  thousand: 1e3,
  тыс: 1e3,
  천: 1e3,
  백: 100,
  만: 1e4,
  십만: 1e5,
  백만: 1e6,
  천만: 1e7,
  억: 1e8,
  mln: 1e6,
  mn: 1e6,
  million: 1e6,
  млн: 1e6,
  миллион: 1e6,
  bn: 1e9,
  billion: 1e9,
  млрд: 1e9
}
const latinScale = "(?:k|к|thousand|mln|mn|million|bn|billion)(?![a-zа-я])|(?:тыс|млн|млрд|миллион)(?:\\.|[а-я]*)"
const koreanScale = "십만|백만|천만|억|만|천|백"
const cyrillic = /[а-я]/iu

const units: ReadonlyArray<readonly [Unit, string]> = [
  ["percent", "%|percent|pct|per cent|퍼센트|프로(?!필)|процент[а-я]*"],
  ["times", "[xх](?![a-zа-я0-9])|times leverage|배(?!율)|-?кратн[а-я]*|(?:-?[ыои][йемх]+ )?плеч[а-я]*(?! ?[:=]? ?\\d)"],
  ["usd", "\\$|usdt?|dollars?|bucks|달러|불(?![가-힣])|доллар[а-я]*|бакс[а-я]*|юсдт"],
  ["won", "krw|won|₩|원(?!인|하|칙|래)|вон(?![а-я])"],
  ["money", "rub|руб[а-я]*|eur|euros?|유로|евро|\\p{Sc}"],
  ["coins", "(?:coin|token)s?|코인|개(?![월장])|монет[а-я]*|токен[а-я]*"],
  ["minutes", "h(?:ours?|rs?)?|시간|час(?:а|ов)?|ч"],
  ["minutes", "m(?:in(?:utes?|s)?)?|분|минут[а-яы]*|мин"],
  ["clock", "시"],
  ["id", "번(?! ?(?:만|씩|까지))"],
  ["count", "번|회|раз[а]?|times"]
]
const unitAfter = units.map(([unit, pattern]) => [unit, new RegExp(`^ ?(?:${pattern})(?![a-zа-я])`, "iu")] as const)
const hours = /^ ?(?:h|시간|час|ч)/iu

const numberIn = (own: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_/]|[\\p{N}][.,:])(\\p{Sc}|[#№]|id ?)? ?(-)?(${own})`, "giu")
const plainNumber = numberIn(`\\d{1,3}(?: 000)+(?! ?\\d)|${grouped}|0,\\d+|${decimal}`)
/** Of Russian: blanks group digits, and commas may begin decimals. */
const russianNumber = numberIn(
  `\\d{1,3}(?: \\d{3})+(?![\\d])(?:,\\d{1,2}(?![\\d]))?|${grouped}|\\d+,\\d{1,2}(?![\\d])|0,\\d+|${decimal}`
)
const latinScaleAfter = new RegExp(`^ ?(${latinScale})`, "iu")
const koreanScaleAfter = new RegExp(`^ ?(${koreanScale})`, "u")

const asNumber = (digits: string): number => {
  const plain = digits.replaceAll(" ", "")
  return Number(
    /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(plain) && !plain.startsWith("0,")
      ? plain.replaceAll(",", "")
      : plain.replace(",", ".")
  )
}

const scaled = (value: number, scale: number): number => Number((value * scale).toPrecision(15))

/** The value with what scales it: `60k`, `6만 5천`, `1,5 млн`, and where it ends. */
const readScale = (text: string, value: number, end: number): { readonly value: number; readonly end: number } => {
  const latin = latinScaleAfter.exec(text.slice(end))
  if (latin !== null) {
    const name = latin[1]!.toLowerCase()
    const key = Object.keys(multipliers).find((one) => name === one || (one.length > 2 && name.startsWith(one)))
    return { value: scaled(value, multipliers[key ?? ""] ?? Number.NaN), end: end + latin[0].length }
  }
  let [sum, at, part, last] = [0, end, value, Number.POSITIVE_INFINITY]
  for (;;) {
    const scale = koreanScaleAfter.exec(text.slice(at))
    const factor = scale === null ? undefined : multipliers[scale[1]!]
    if (scale === null || factor === undefined || factor >= last) break
    sum += scaled(part, factor)
    at += scale[0].length
    last = factor
    part = 0
    const next = /^ ?(\d+(?:\.\d+)?)(?=[억만천백십 ]|[^\d.,]|$)/u.exec(text.slice(at))
    const nextScale = next === null ? null : koreanScaleAfter.exec(text.slice(at + next[0].length))
    // "6만 5천" and "6만5000" go on; "6만 5배" does not, nor does "6만 1만", which is two numbers.
    const goesOn = next !== null && (
      (nextScale !== null && (multipliers[nextScale[1]!] ?? Number.POSITIVE_INFINITY) < factor) ||
      (!next[0].startsWith(" ") && Number(next[1]) < factor)
    )
    if (next === null || !goesOn) break
    part = Number(next[1])
    at += next[0].length
  }
  return last === Number.POSITIVE_INFINITY ? { value, end } : { value: sum + part, end: at }
}

const leftBehind = (text: string, at: number, end: number): boolean =>
  /(?:^|[^a-z])from (?:[$₩€])?$/iu.test(text.slice(0, at)) ||
  /^ ?(?:달러|불|원|배|%)?에서/u.test(text.slice(end)) ||
  (/(?:^|[^а-я])(?:с|со|из) $/iu.test(text.slice(0, at)) && /^[^.!?\n]{0,14} (?:на|до) \d/iu.test(text.slice(end)))

const unitOf = (text: string, sign: string | undefined, end: number): { readonly unit: Unit; readonly end: number } => {
  if (sign !== undefined && /^(?:#|№|id)/i.test(sign)) return { unit: "id", end }
  if (sign !== undefined && sign !== "") return { unit: sign === "$" ? "usd" : sign === "₩" ? "won" : "money", end }
  for (const [unit, pattern] of unitAfter) {
    const found = pattern.exec(text.slice(end))
    if (found !== null) return { unit, end: end + found[0].length }
  }
  return { unit: "plain", end }
}

const sizeBefore = new RegExp(`(?:${nouns.size.source})[а-я]* ?(?:of )?$`, "iu")

/** Returns whether a number stands next to the instrument that it counts: "0.2 of btc", "size btc 0.2". */
const countsCoins = (text: string, spans: ReadonlyArray<MentionSpan>, at: number, end: number): boolean =>
  spans.some((span) =>
    (span.at >= end && /^ ?(?:(?:of|in) )?\(?$/iu.test(text.slice(end, span.at))) ||
    (span.end <= at && text.slice(span.end, at).trim() === "" && sizeBefore.test(text.slice(0, span.at)))
  )

/** The numbers of a text as its writer means them, in order. What cannot be read for sure is none. */
export const quantitiesIn = (text: string): ReadonlyArray<Quantity> => {
  const found: Array<Quantity> = clockTimesIn(text).flatMap(({ at, end, isExact, value }) =>
    isExact ? [{ value, unit: "clock", at, end, old: false }] : []
  )
  const spans = findMentionSpans(text)
  for (const match of text.matchAll(cyrillic.test(text) ? russianNumber : plainNumber)) {
    const [all, sign, minus, digits = ""] = match
    const at = match.index
    if (found.some((one) => at < one.end && at + all.length > one.at)) continue
    const scale = readScale(text, asNumber(digits), at + all.length)
    const { end, unit: said } = unitOf(text, sign?.trim(), scale.end)
    const unit = said === "plain" && countsCoins(text, spans, at, end) ? "coins" : said
    const isCut = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}_]|^[./,:]\p{N}|^\p{M}/u
    if (!Number.isFinite(scale.value) || /^0\d/.test(digits) || isCut.test(text.slice(end))) continue
    const length = unit === "minutes" && hours.test(text.slice(scale.end)) ? scale.value * 60 : scale.value
    const old = leftBehind(text, at, scale.end)
    found.push({ value: minus === undefined ? length : -length, unit, at, end, old })
  }
  return found.sort((a, b) => a.at - b.at)
}

import { plain } from "./rule.ts"

/** A number in a question, with the text before and after the number. */
export interface Stated {
  readonly value: number
  /** The kind of the number: `times` is a leverage, and `span` is a length of time. */
  readonly kind: "plain" | "percent" | "times" | "span"
  /** Whether a dollar sign precedes the number. */
  readonly isDollar: boolean
  readonly before: string
  readonly after: string
  readonly at: number
}

const scaleOf: Readonly<Record<string, number>> = {
  k: 1e3,
  к: 1e3,
  тыс: 1e3,
  тысяч: 1e3,
  천: 1e3,
  만: 1e4,
  백만: 1e6,
  m: 1e6,
  mln: 1e6,
  million: 1e6,
  млн: 1e6,
  миллион: 1e6,
  억: 1e8,
  b: 1e9,
  bn: 1e9,
  billion: 1e9,
  млрд: 1e9,
  миллиард: 1e9,
  조: 1e12,
  trillion: 1e12,
  трлн: 1e12
}

const number =
  /(?<![\p{L}\d.,:/-])(\$?)(\d{1,3}(?:[ ,]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?)(?!\d)\s?(백만|тысяч[аи]?|тыс(?![а-я])|млн|млрд|трлн|миллион|миллиард|million|billion|trillion|mln|bn|k(?![a-z])|к(?![а-я])|m(?![a-z0-9])|b(?![a-z])|천|만|억|조)?(%|\s?(?:퍼센트|퍼(?![가-힣])|프로(?![가-힣])|percent|процент)|x(?![a-z])|\s?배|х(?![а-я])|-?\s?(?:minutes?|mins?|hours?|hrs?|h(?![a-z])|days?|d(?![a-z])|weeks?|months?|years?|yrs?|분|시간|일(?!\s?때)|주(?!식)|개월|달(?!러)|년|час|мин|дн|ден|сут|недел|месяц|лет(?![а-я])|год)|:\d{2})?/gu

const valueOf = (digits: string): number => {
  if (/^\d{1,3}(?:[ ,]\d{3})+(?:\.\d+)?$/.test(digits)) return Number(digits.replace(/[ ,]/g, ""))
  return Number(digits.replace(",", "."))
}

const kindOf = (unit: string): Stated["kind"] => {
  if (/%|퍼|프로|percent|процент/.test(unit)) return "percent"
  if (/^(x|\s?배|х)/.test(unit)) return "times"
  return unit === "" ? "plain" : "span"
}

/** Matches a Korean number in parts: `6만8천`, `1억 2천만`. */
const inParts = /(?<![\d.,])(\d+(?:\.\d+)?)\s?(억|만)\s?(\d+(?:\.\d+)?)\s?(천만|백만|만|천|백)?(?![\d.,])/gu
const partOf: Readonly<Record<string, number>> = { 억: 1e8, 천만: 1e7, 백만: 1e6, 만: 1e4, 천: 1e3, 백: 100 }
/** Matches a scale without a number: `a million dollars`, `백만 달러`. */
const uncounted = /(?<![\d.,]\s?|[\p{L}])(?:(?:an?|one|один) )?(million|billion|миллион|миллиард|백만)(?=[ а-я])(?!s)/gu
const joined = (text: string): string =>
  text.replace(uncounted, "1 $1").replace(
    inParts,
    (whole, high: string, unit: string, low: string, lower: string | undefined) => {
      const [above = 1, below = 1] = [partOf[unit], partOf[lower ?? ""]]
      return Number(low) * below < above
        ? String(Number((Number(high) * above + Number(low) * below).toPrecision(12)))
        : whole
    }
  )

/** Returns the numbers of a question, in order: `95k`, `95,000`, `1,5 млн`, `10만`, `2%`, `5x`. */
export const numbersOf = (question: string): ReadonlyArray<Stated> => {
  const folded = joined(plain(question))
  return Array.from(
    folded.matchAll(number),
    ({ 0: whole, 1: sign, 2: digits = "", 3: scale = "", 4: unit = "", index }) => {
      const factor = scaleOf[scale.replace(/(?<=тысяч)[аи]$/, "")] ?? 1
      return {
        value: Number((valueOf(digits) * factor).toPrecision(12)),
        kind: kindOf(unit),
        isDollar: sign === "$",
        before: folded.slice(Math.max(0, index - 28), index),
        after: folded.slice(index + whole.length, index + whole.length + 16),
        at: index
      }
    }
  ).filter(({ value }) => Number.isFinite(value))
}

/** Matches how many items of a list a question asks for: "top 5", "5개". */
const listCount =
  /(?:top|first|best|worst|топ|상위|하위) ?-?(\d{1,2})(?![\d.,%kк])|(?<![\d.,$])(\d{1,2}) ?(?:개|coins?|alts?|tokens?|gainers?|losers?|movers?|코인|종목|монет|лидер|лузер)/u

/** Returns how many items of a list a question asks for, or null. */
export const countIn = (words: string): number | null => {
  const [, after, before] = listCount.exec(words) ?? []
  const count = Number(after ?? before ?? 0)
  return count >= 1 && count <= 20 ? count : null
}

/** Returns the number right after a word, or right before the word as in some Korean and Russian phrases. */
export const numberWith = (
  numbers: ReadonlyArray<Stated>,
  word: RegExp,
  kind: Stated["kind"] = "plain"
): number | null => {
  const near = new RegExp(`(?:${word.source})[^0-9]{0,14}$`, "u")
  const found = numbers.find((stated) => stated.kind === kind && near.test(stated.before))
  if (found !== undefined) return found.value
  const follows = new RegExp(`^\\s?(?:usd|dollars?|달러|долл?\\w*|\\$)?\\s?(?:${word.source})`, "u")
  return numbers.find((stated) => stated.kind === kind && follows.test(stated.after))?.value ?? null
}

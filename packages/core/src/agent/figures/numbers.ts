import type { Language } from "../../engine/messages/languageCode.ts"

/** The unit that a text gives a number. A number without percent, basis points or a currency is `plain`. */
export type Unit = "percent" | "bps" | "money" | "plain"

/** A possible value of a number in a text, with half of the number's last stated digit as tolerance. */
export interface Reading {
  readonly value: number
  readonly tolerance: number
}

/** A number in a text, with its sign, currency, scale and unit. */
export interface StatedNumber {
  readonly text: string
  /** The position of `text` in the whole text, in UTF-16 code units. */
  readonly offset: number
  /** The digits without sign, currency, scale and unit, and their position in the whole text. */
  readonly digits: string
  readonly digitsOffset: number
  /** The absolute values that the number can mean, with the most probable value first. */
  readonly readings: ReadonlyArray<Reading>
  readonly sign: -1 | 0 | 1
  readonly unit: Unit
  /** The factor of the number's scale word, such as 1,000,000 for `M`; 1 without a scale word. */
  readonly scale: number
}

const scaleWords: ReadonlyArray<readonly [pattern: string, factor: number]> = [
  [" ?(?:trillion|trn|tn)(?![a-z])|T(?![A-Za-z])| ?трлн(?![а-я])| ?조(?![건정금사치])", 1e12],
  [" ?(?:billion|bn)(?![a-z])|B(?![A-Za-z])| ?млрд(?![а-я])", 1e9],
  [" ?억", 1e8],
  [" ?천만", 1e7],
  [" ?(?:million|mln)(?![a-z])|M(?![A-Za-z])| ?млн(?![а-я])| ?백만", 1e6],
  [" ?십만", 1e5],
  [" ?만(?![기큼약에들나])", 1e4],
  [" ?thousand(?![a-z])|[kK](?![A-Za-z])| ?тыс(?![а-я])\\.?|к(?![а-я])| ?천(?=[만억 \\d원달$]|$)", 1e3]
]
const scalePattern = scaleWords.map(([pattern]) => `(${pattern.replaceAll(" ?", "[ \\u00a0\\u202f]?")})`).join("|")
const scaleAt = new RegExp(scalePattern, "uy")

const moneyWords =
  "\\$|₩|€|£|¥|₽|USD[TC]?(?![A-Za-z])|KRW(?![A-Za-z])|EUR(?![A-Za-z])|RUB(?![A-Za-z])|dollars?(?![a-z])|" +
  "won(?![a-z])|달러|원(?![인하칙래])|долл(?:ар[а-я]{0,3}(?![а-я])|\\.)|руб(?:л[а-я]{0,3}(?![а-я])|\\.|(?![а-я]))|вон(?![а-я])"
const unitWords: ReadonlyArray<readonly [Unit, string]> = [
  [
    "percent",
    "[%％](?:p|포인트)?(?![a-z])|percent(?:age points?)?(?![a-z])|pct(?![a-z])|pp(?![a-z])|퍼센트(?:포인트)?|" +
    "процент[а-я]{0,4}|п\\.[ \\u00a0]?п\\."
  ],
  ["bps", "bps?(?![a-z])|basis points?(?![a-z])|베이시스 ?포인트|б\\.[ \\u00a0]?п\\."],
  ["money", moneyWords]
]
const unitAt = new RegExp(
  `[ \\u00a0\\u202f]?(?:${unitWords.map(([, pattern]) => `(${pattern})`).join("|")})`,
  "uy"
)

const thin = "\\u00a0\\u202f\\u2009"
const makeNumberPattern = (blanks: string): RegExp =>
  new RegExp(
    "(?<!\\p{Script=Latin}-|\\p{Script=Cyrillic}-|\\p{N}[.,:/])" +
      "(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{M}\\p{N}_])" +
      "((?<![\\p{L}\\p{N}%)\\]])[-−+±])?(?:(?:US)?([$₩€£¥])[ \\u00a0]?([-−+])?)?" +
      `(\\d{1,3}(?:[,${blanks}]\\d{3}){1,6}(?![\\d]|[,${blanks}]\\d{3}(?!\\d))(?:\\.\\d{1,18}|,\\d{1,2}(?!\\d))?|` +
      "\\d{1,24}(?:[.,]\\d{1,24})?)(?!\\d)",
    "gu"
  )
const numberPattern = makeNumberPattern(thin)
/** In Russian texts an ordinary space separates groups of digits too. */
const russianNumberPattern = makeNumberPattern(`${thin} `)

const makeReading = (form: string, scale: number): Reading => {
  const decimals = form.split(".")[1]?.length ?? 0
  return { value: Number((Number(form) * scale).toPrecision(15)), tolerance: 0.5 * 10 ** -decimals * scale }
}

/** Returns the values that the digits of a number can mean: a comma separates groups of digits or decimals. */
const readDigits = (digits: string, lang: Language): ReadonlyArray<string> => {
  const plain = digits.replaceAll(/[\u00a0\u202f\u2009 ]/g, "")
  if (!plain.includes(",")) return [plain]
  const grouped = plain.replaceAll(",", "")
  const decimal = plain.replace(/,(?=\d*$)/, ".")
  if (!/^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(plain)) return [decimal.replaceAll(",", "")]
  if (lang !== "ru" || plain.includes(".") || plain.indexOf(",") !== plain.lastIndexOf(",")) return [grouped]
  return plain.startsWith("0,") ? [decimal] : [grouped, decimal]
}

const readScale = (text: string, at: number): { readonly factor: number; readonly end: number } => {
  scaleAt.lastIndex = at
  const found = scaleAt.exec(text)
  if (found === null) return { factor: 1, end: at }
  const index = found.slice(1).findIndex((group) => group !== undefined)
  return { factor: scaleWords[index]?.[1] ?? 1, end: at + found[0].length }
}

const readUnit = (text: string, at: number): { readonly unit: Unit; readonly end: number } => {
  unitAt.lastIndex = at
  const found = unitAt.exec(text)
  if (found === null) return { unit: "plain", end: at }
  const index = found.slice(1).findIndex((group) => group !== undefined)
  return { unit: unitWords[index]?.[0] ?? "plain", end: at + found[0].length }
}

const koreanPartAt = /[ \u00a0]?(\d{1,3},\d{3}|\d{1,4})(?![\d.,])/uy

/** Reads the further parts of a Korean number such as `1억 2,345만`, whose scales decrease. */
const readKoreanParts = (text: string, first: Reading, from: number, factor: number) => {
  let [sum, end, last, tolerance] = [first.value, from, factor, first.tolerance]
  for (let parts = 0; parts < 3 && last >= 1e4; parts++) {
    koreanPartAt.lastIndex = end
    const found = koreanPartAt.exec(text)
    if (found === null) break
    const scale = readScale(text, end + found[0].length)
    const part = Number(found[1]!.replace(",", "")) * scale.factor
    // "6만 6,980달러" continues, but "6만 5배" does not.
    const isCounted = scale.factor > 1 || /^\d/.test(found[0]) || found[0].includes(",") ||
      readUnit(text, scale.end).unit === "money"
    if (scale.factor >= last || part >= last || !isCounted) break
    sum += part
    tolerance = scale.factor / 2
    last = scale.factor
    end = scale.end
  }
  return { reading: { value: sum, tolerance }, end }
}

/**
 * Returns at most `limit` numbers of an English, Korean or Russian text, in order. Omits numbers that follow a letter,
 * such as in `EMA20`.
 */
export const findNumbers = (text: string, lang: Language, limit: number = Infinity): ReadonlyArray<StatedNumber> => {
  const found: Array<StatedNumber> = []
  let end = 0
  for (const match of text.matchAll(lang === "ru" ? russianNumberPattern : numberPattern)) {
    if (found.length >= limit) break
    const [all, signBefore, currency, signWithin, digits = ""] = match
    if (match.index < end) continue
    const digitsOffset = match.index + all.length - digits.length
    const scale = readScale(text, match.index + all.length)
    const isKorean = scale.factor > 1 && /[가-힣]/u.test(text.slice(match.index + all.length, scale.end))
    const forms = readDigits(digits, lang)
    const readings = forms.map((form) => makeReading(form, scale.factor))
    const parts = isKorean ? readKoreanParts(text, readings[0]!, scale.end, scale.factor) : null
    const unit = readUnit(text, parts?.end ?? scale.end)
    end = unit.end
    const sign = signBefore ?? signWithin
    found.push({
      text: text.slice(match.index, end),
      offset: match.index,
      digits,
      digitsOffset,
      readings: parts === null ? readings : [parts.reading],
      sign: sign === "+" ? 1 : sign === "-" || sign === "−" ? -1 : 0,
      unit: currency === undefined ? unit.unit : "money",
      scale: scale.factor
    })
  }
  return found
}

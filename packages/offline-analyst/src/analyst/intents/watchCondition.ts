import { type Metric, moveWords, straysInWatch, unwatched } from "@tapeline/core/agent"
import type { Schema } from "effect"
import { coinsOf } from "../reading/coinNames.ts"
import { type Frame, framesOf } from "../reading/horizon.ts"
import { numbersOf, type Stated } from "../reading/numbers.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { ordinalIn } from "../reading/references.ts"
import { plain, rule } from "../reading/rule.ts"
import { isStockTicker, stocksOf } from "../reading/stockNames.ts"

/** The `spec` argument of `create_task` for a watch. */
export type Spec = Readonly<Record<string, Schema.Json>>

/** An instrument; `market` is the market of a stock, and undefined for a coin. */
export interface Instrument {
  readonly symbol: string
  readonly market?: string
}

/** The conditions of a watch, the nearest price level if no number is named, or the reason why no watch is possible. */
export type Condition =
  | { readonly _tag: "Specs"; readonly specs: ReadonlyArray<Spec> }
  | {
    readonly _tag: "Relative"
    readonly of: Instrument
    readonly percent: number
    readonly isDown: boolean
    /** The price to which the percentage applies, or null for the current price. */
    readonly base: number | null
    /** The numbers of the message from which the condition was computed. */
    readonly stated: ReadonlyArray<number>
  }
  /** A move within an hour in one direction, for which no watch exists. */
  | { readonly _tag: "OneWay"; readonly symbol: string; readonly percent: number; readonly isDown: boolean }
  /** A price in another currency than that of the instrument. */
  | {
    readonly _tag: "Currency"
    readonly of: Instrument
    readonly amount: string
    readonly won: number | null
    readonly isDown: boolean
  }
  /** A move of the price by an amount: "drops 200 dollars". */
  | { readonly _tag: "Change"; readonly of: Instrument; readonly amount: number; readonly isDown: boolean }
  /** A price without a direction, which follows from the present price. */
  | { readonly _tag: "Touch"; readonly of: Instrument; readonly value: number }
  | { readonly _tag: "Level" | "Unwatched" | "Timed" | "Together" }

export const under = rule(
  "below|under|falls?|drops?|dumps?|dips?|tanks?|crash(?:es)?|slides?|sinks?|plunges?|nukes?|down|less than|loses?|breaks? (?:down|support)",
  "아래|밑|이하|미만|내려|내리|떨어|하락|이탈|깨지|깨면|무너|빠지",
  "ниже|упад|опуст|снизит|меньше|под (?:уровен|\\d)|потеряет|вниз"
)
const crosses = rule("breaks?|crosses|cross|through", "돌파|뚫|넘으면|이탈|교차", "пробь|пробой|пересеч|преодол")
const over = rule(
  "above|over|reclaims?|regains?|up|rises?|rallies|climbs?|gains?|pumps?|jumps?|surges?|spikes?|rips?|moons?|higher|more than",
  "위로|이상|초과|오르|올라|상승|높",
  "выше|вырастет|поднимется|вверх|подорожает"
)
/** Matches the direction of a move; "over 3%" names no direction. */
const rising = rule(
  "rises?|rising|climbs?|rall(?:y|ies)|gains?|(?<!set (?:(?:me|it|us) )?)up|higher|jumps?|pumps?|surges?|spikes?|soars?",
  "오르|올라|상승|급등|폭등|뛰",
  "раст[уеё]т|вырастет|поднимется|вверх|подорожает|взлетит|подскочит"
)
const falling = rule(
  "falls?|falling|drops?|dips?|down|lower|declines?|sinks?|dumps?|crash(?:es)?|plunges?|tanks?|loses?",
  "떨어|내려|내리|하락|급락|폭락|빠지",
  "упад|пада|опуст|снизит|вниз|просяд|рухнет|обвалит|подешевеет|потеряет"
)
const fromNow =
  /(?<![a-z])(?:than |from |vs )?(?:the |its )?(?:current|present)(?: price| level| value)?|(?<![a-z])from (?:here|now)(?![a-z])|현재가?(?:에서|보다|대비)?|지금(?:보다|에서)?|(?<![а-я])(?:от )?(?:текущ[а-я]+|нынешн[а-я]+)(?: цен[а-я]+)?|(?<![а-я])отсюда/giu
export const scores = rule("score", "점수|스코어", "балл|скор")
const vwap = /vwap/u
const anyCoin = rule("any|some", "아무|어떤|모든", "люб[а-я]+")
const levelWords =
  /(?<![a-z])(?:its|key|next|nearest|resistances?|supports?|levels?|highs?|lows?)(?![a-z])|저항선?|지지선?|레벨|(?<![а-я])(?:сопротивлени|поддержк|уров)[а-я]*/giu

const subjectsOf = (text: string, { lang }: Reading) => {
  const stocks = stocksOf(text, lang)
  const symbols = new Set(stocks.map(({ symbol }) => symbol))
  return { stocks, coins: coinsOf(text, isStockTicker).coins.filter((coin) => !symbols.has(coin)) }
}

/** Matches words for the level of an alert, which the number of the alert states. */
const orders = rule(
  "stops?|loss|sl|tp|targets?|take|profit",
  "손절가?|익절가?|목표가?",
  "стоп[а-я]*|тейк[а-я]*|цел[ьи]"
)
const motions = [orders, under, crosses, over]

/** Returns whether a condition names more than the metric, its instrument and its number. */
const hasStray = (text: string, metric: Metric, reading: Reading): boolean =>
  straysInWatch(text.replaceAll("ё", "е"), metric).some((word) => {
    if (motions.some((motion) => motion.test(word))) return false
    const { coins, stocks } = subjectsOf(word, reading)
    return coins.length + stocks.length === 0
  })

const metricOf = (words: string, isPercent: boolean): Metric =>
  isPercent ? "gap" : vwap.test(words) ? "vwap_cross" : scores.test(words) ? "score" : "price"

const joins = /,(?!\d)|;|(?<![a-z])(?:and|or)(?![a-z])|(?<![а-я])(?:и|или)(?![а-я])|그리고|(?<=[가-힣]고)(?= )|&/giu
const clock = /\d{1,2}:\d{2}|\d\s?(?:am|pm)(?![a-z])|\d{1,2}시(?!간)/iu
const inAWhile = rule(
  "tomorrow|tonight|next (?:week|month)|in an? (?:day|week)",
  "내일|모레|다음\\s?(?:주|달)|나중에",
  "завтра|послезавтра|через"
)

/** Returns the condition on a price some percent away from a base price, or null for a move or for any coin. */
const relativeOf = (
  text: string,
  of: Instrument,
  spans: ReadonlyArray<Stated>,
  reading: Reading
): Condition | null => {
  const words = plain(text)
  const numbers = numbersOf(text)
  const percents = numbers.filter(({ kind }) => kind === "percent")
  const values = numbers.filter(({ kind }) => kind === "plain")
  const isDown = under.test(words)
  if (percents.length !== 1 || values.length > 1 || spans.length > 0 || isDown === over.test(words)) return null
  if (moveWords.test(words) || anyCoin.test(words)) return null
  if (hasStray(text.replace(fromNow, " "), "price", reading)) return null
  const percent = percents[0]!.value
  const base = values[0]?.value ?? null
  return { _tag: "Relative", of, percent, isDown, base, stated: [percent, -percent, ...(base === null ? [] : [base])] }
}

/** Matches words that make a number a price, and no amount of a move. */
const toLevel =
  /(?<![a-z])(?:to|below|under|beneath|above|over|past|through|at|hits?|reach\w*|breaks?|loses?|reclaims?)(?![a-z])|밑|아래|이하|미만|까지|위|이상|초과|넘|돌파|깨|이탈|(?<=[만천백억원러불\d])로|(?<![а-я])(?:до|ниже|выше|под|пробь|потеря)/u

const moves = rule(
  "drops?|falls?|dips?|declines?|rises?|gains?|climbs?|jumps?|rall(?:y|ies)",
  "떨어|내리|빠지|오르|올라",
  "(?:упад|снизит|вырас|подорож|подешев)[а-я]* на"
)

/** Returns the move by an amount that a request names, or null. */
const changeOf = (words: string, { value }: Stated, of: Instrument): Condition | null => {
  const isDown = falling.test(words)
  return !moves.test(words) || toLevel.test(words) || isDown === rising.test(words)
    ? null
    : { _tag: "Change", of, amount: value, isDown }
}

const wonAfter = /^\s?(?:krw|won(?![a-z])|₩|원(?!화))/u
const foreignAfter = /^\s?(?:руб[а-я]*|rub(?:les?)?(?![a-z])|₽|eur(?:os?)?(?![a-z])|€|евро|유로|엔|yen|gbp|£|¥)/u
const dollarAfter = /^\s?(?:usdt?|dollars?|bucks|\$|달러|불|долл|бакс)/u

/** Returns the currency of a price: `won`, `other`, `dollar`, or null if the question names none. */
const currencyOf = ({ after, before, isDollar }: Stated): "won" | "other" | "dollar" | null =>
  wonAfter.test(after) || before.endsWith("₩")
    ? "won"
    : foreignAfter.test(after) || /[₽€£¥]\s?$/u.test(before)
    ? "other"
    : isDollar || dollarAfter.test(after)
    ? "dollar"
    : null

/** Returns the condition of a price in another currency than that of the instrument, or null. */
const foreignPriceOf = (stated: Stated, of: Instrument, isDown: boolean): Condition | null => {
  const currency = currencyOf(stated)
  const isOwn = currency === null || currency === (of.market === "kr" ? "won" : "dollar")
  if (isOwn) return null
  const unit = (wonAfter.exec(stated.after) ?? foreignAfter.exec(stated.after) ?? dollarAfter.exec(stated.after))?.[0]
  const sign = /[₩₽€£¥]\s?$/u.exec(stated.before)?.[0] ?? (stated.isDollar ? "$" : "")
  const amount = `${sign}${stated.value}${unit ?? ""}`
  const won = currency === "won" && of.market === undefined ? stated.value : null
  return { _tag: "Currency", of, amount, won, isDown }
}

const oneOf = (text: string, reading: Reading): Condition => {
  const words = plain(text)
  const numbers = numbersOf(text)
  const percents = numbers.filter(({ kind }) => kind === "percent")
  const metric = metricOf(words, percents.length > 0)
  const spans = numbers.filter(({ kind }) => kind === "span")
  const isHour = spans.every(({ after, value }) => value === 60 || (value === 1 && !/[dwmдмн]/.test(after)))
  if (clock.test(words) || inAWhile.test(words) || (spans.length > 0 && !(metric === "gap" && isHour))) {
    return { _tag: "Timed" }
  }
  const named = subjectsOf(text, reading)
  if (named.coins.length + named.stocks.length > 1) return { _tag: "Together" }
  const isNamed = named.coins.length + named.stocks.length > 0
  const [stock] = isNamed ? named.stocks : reading.coins.length === 0 ? reading.stocks : []
  const of = stock === undefined
    ? { symbol: named.coins[0] ?? coinOf(reading) }
    : { symbol: stock.symbol, market: stock.market }
  const relative = relativeOf(text, of, spans, reading)
  if (relative !== null) return relative
  const values = numbers.filter(({ kind }) => kind === "plain")
  const hasLevel = metric === "vwap_cross" || percents.length + values.length > 0
  const down = under.test(words)
  const foreign = values.map((stated) => foreignPriceOf(stated, of, down)).find((one) => one !== null)
  if (metric === "price" && foreign !== undefined) return foreign
  if (percents.length + values.length > 1) return { _tag: "Together" }
  if (hasStray(hasLevel ? text : text.replace(levelWords, " "), metric, reading)) return { _tag: "Unwatched" }
  if (metric === "gap") {
    const subject = !isNamed && anyCoin.test(words) ? { symbol: "*" } : of
    const isDown = falling.test(words)
    if (isDown !== rising.test(words)) {
      return { _tag: "OneWay", symbol: subject.symbol, percent: percents[0]!.value, isDown }
    }
    return { _tag: "Specs", specs: [{ metric, ...subject, value: percents[0]!.value }] }
  }
  if (metric === "vwap_cross") return { _tag: "Specs", specs: [{ metric, ...of, dir: down ? "below" : "above" }] }
  const minus = metric === "score" ? /(?<![\d\p{L}])[-\u2212]\s?(\d+(?:[.,]\d+)?)/u.exec(words)?.[1] : undefined
  const value = minus === undefined ? values[0]?.value : -Number(minus.replace(",", "."))
  if (value === undefined) return { _tag: stock === undefined ? "Level" : "Together" }
  const change = metric === "price" && values[0] !== undefined ? changeOf(words, values[0], of) : null
  if (change !== null) return change
  if (metric === "price" && !down && !over.test(words) && !crosses.test(words)) {
    return { _tag: "Touch", of, value }
  }
  const op = crosses.test(words) ? (down ? "cross_below" : "cross_above") : down ? "lt" : "gt"
  return { _tag: "Specs", specs: [{ metric, ...of, op, value }] }
}

const ofLevels = rule("levels?|supports?|resistances?", "지지|저항|레벨", "поддержк|сопротивлен|уровн")
const ofResistances = rule("resistances?", "저항", "сопротивлен")
const ofSupports = rule("supports?", "지지", "поддержк")

const there = rule("there|at (?:that|this) (?:level|price)", "거기", "там")

/** A level of an earlier answer that a request for an alert names by its place: "the first one". */
export interface ListedLevel {
  readonly place: number
  readonly isDown: boolean
  readonly tf: Frame
}

export const listedLevelOf = ({ lines, numbers, words }: Reading): ListedLevel | null => {
  const place = ordinalIn(words) ?? (there.test(words) ? 0 : null)
  const earlier = lines.slice(0, -1)
  const line = [words, ...earlier.toReversed()].find((one) => ofLevels.test(one))
  if (place === null || numbers.length > 0 || line === undefined || !earlier.some((one) => ofLevels.test(one))) {
    return null
  }
  const tf = earlier.flatMap((one) => framesOf(one)).at(-1) ?? "4h"
  return { place, isDown: ofSupports.test(line) || !ofResistances.test(line), tf }
}

/** Returns a request with "-5%" written as "5% below", and "+5%" as "5% above". */
const withoutSigns = (reading: Reading): Reading => {
  const question = reading.question.replaceAll(
    /(?<=^|\s)([-\u2212+]|minus |plus |минус |плюс |마이너스 |플러스 )\s?(\d+(?:[.,]\d+)?)\s?(?:%|percent|процент[а-я]*|퍼센트|프로)/giu,
    (_, sign: string, percent: string) => `${percent}% ${/^(?:\+|p|п(?=л)|플)/iu.test(sign) ? "above" : "below"}`
  )
  return question === reading.question ? reading : { ...reading, question, words: plain(question) }
}

/** A smaller number is a figure in percent or an index, and no price, if the question before was about one. */
const leastPrice = 200

/** Returns whether a follow-up is about a figure of the question before that cannot be watched: "alert me above 3%". */
const isOfFigure = ({ lines, named, numbers, words }: Reading): boolean =>
  !named && !/price|가격|цен/u.test(words) && numbers.some(({ value }) => value < leastPrice) &&
  lines.slice(-4, -1).some((line) => unwatched.test(line))

/** Returns the figure that a request for an alert names, or null. */
export const figureIn = ({ lines }: Reading): string | null =>
  lines.slice(-4).toReversed().flatMap((line) => unwatched.exec(line)?.[0].trim() ?? [])[0] ?? null

export const conditionOf = (asked: Reading): Condition => {
  const reading = withoutSigns(asked)
  const { question, words } = reading
  if (listedLevelOf(reading) !== null) return { _tag: "Level" }
  if (unwatched.test(words) || isOfFigure(reading)) return { _tag: "Unwatched" }
  const whole = oneOf(question, reading)
  if (whole._tag !== "Together" || /[a-zа-я가-힣]\s?\/\s?[a-zа-я가-힣]/iu.test(words)) {
    return whole._tag === "Together" ? { _tag: "Unwatched" } : whole
  }
  const parts = question.split(joins).filter((part) => numbersOf(part).length > 0)
  const read = parts.map((part, i) => oneOf(part, i === 0 ? reading : { ...reading, words: plain(part) }))
  const specs = read.flatMap((one) => one._tag === "Specs" ? one.specs : [])
  return specs.length > 1 && specs.length === read.length && specs.length <= 3 ? { _tag: "Specs", specs } : whole
}

import { type Brief, withoutZones } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import { besideNames, namesPattern } from "./besideNames.ts"
import { coinsOf } from "./coinNames.ts"
import { type Day, dayOf } from "./day.ts"
import { type Exclusion, exclusionsIn } from "./exclusions.ts"
import { type Frame, framesOf, type Horizon, horizonOf } from "./horizon.ts"
import { type Metric, metricIn } from "./metrics.ts"
import { type Moment, momentOf } from "./moment.ts"
import { nearNames } from "./nearNames.ts"
import { numbersOf, type Stated } from "./numbers.ts"
import {
  anotherAlert,
  asksBoth,
  asksReason,
  changesRecord,
  comparesWith,
  isBareFrame,
  ofAlerts,
  ordinalIn,
  pairOf,
  removesRecord,
  thatOne
} from "./references.ts"
import { plain, rule } from "./rule.ts"
import { type Assumed, corrected } from "./spelling.ts"
import { isStockTicker, type Stock, stocksOf } from "./stockNames.ts"
import { isTopic } from "./topics.ts"
import { followedNamesIn, isCommodity, isFiller, piecesIn, unknownNameIn } from "./unknownNames.ts"

/** A parsed question, whose subjects are the named instruments or those of the earlier questions. */
export interface Reading {
  readonly lang: Language
  /** The question in the normalised form that `rule` patterns match. */
  readonly words: string
  readonly question: string
  readonly coins: ReadonlyArray<string>
  readonly stocks: ReadonlyArray<Stock>
  /** The coins that the question excludes, which are not among `coins`. */
  readonly excluded: ReadonlyArray<Exclusion>
  /** Names of instruments that are in neither the table of coins nor the table of stocks. */
  readonly strange: ReadonlyArray<string>
  /** The misspelt words of the question, and the words as which they were read. */
  readonly assumed: ReadonlyArray<Assumed>
  /** Words in a comparison that may be names of instruments. */
  readonly unread: ReadonlyArray<string>
  /** Whether the question or the caller named the subject. */
  readonly named: boolean
  readonly numbers: ReadonlyArray<Stated>
  readonly horizon: Horizon | null
  /** The time span of the question, or for a follow-up the span of an earlier question. */
  readonly horizonSpokenOf: Horizon | null
  /** The first time frame of the question, or for a follow-up the frame of an earlier question. */
  readonly frame: Frame | null
  readonly frames: ReadonlyArray<Frame>
  /** The words of the earlier questions of the same thread and of the current question, one line per question. */
  readonly thread: string
  /** The words of the questions about the present subject, oldest first, with the current question. */
  readonly lines: ReadonlyArray<string>
  readonly day: Day | null
  /** The past day of the question, with the time of day if it names one. */
  readonly moment: Moment | null
  /** The past day of the question, or for a follow-up that of an earlier question. */
  readonly momentSpokenOf: Moment | null
  /** Whether the question is a follow-up to an earlier question. */
  readonly follows: boolean
  /** The figure that the earlier questions of the thread are about, or null. */
  readonly topic: Metric | null
  /** Whether the question is about two or more instruments of the earlier questions: "which one is higher". */
  readonly pair: boolean
  /**
   * The place, from 0, of the instrument in the list of an earlier answer that the question or an earlier one names:
   * "chart the first one"; null if a question names the instrument.
   */
  readonly listed: number | null
  /** Whether the question only asks for the reasons of the previous answer: "why?". */
  readonly isReason: boolean
  /** The question about an alert that directly precedes the question, or null. */
  readonly alert: Reading | null
  readonly mentor: boolean
  readonly images: number
}

const goesOn = rule(
  "now with|^with|^vs|^versus|^\\+? ?(?:in|within) \\d+ ?(?:minutes?|min|hours?|h|days?|d)\\??$|and|what about|how about|also|then|same (?:for|with|on)|the same|its|it|that|now for|ok and|but|add|instead",
  "^그럼|^그러면|^그리고|^그건|^그거|^그게|^이게|^이거|은요?\\??$|는요?\\??$|그럼|거기|같은 거|도요?\\??$|추가|바꿔|바꾸",
  "^а |^и |^ну а|^это|^этот|^эта|тоже|то же|а что|его|ее|их|как насчет|теперь|тогда|добавь|поменяй|измени|сделай"
)

const koreanDigits = "일이삼사오육칠팔구"
const koreanScales: Readonly<Record<string, number>> = { 십: 10, 백: 100, 천: 1_000 }
/** Matches amounts in Korean words: "천만원", "오백만원". */
const koreanAmount = /(?<![가-힣\d])([일이삼사오육칠팔구]?)([십백천])(만|억)(?= ?(?:원|달러|불))/gu

/** Replaces NUL characters and lone surrogates in a text. */
const sound = (text: string): string =>
  text.toWellFormed().replaceAll("\0", " ").replaceAll("클레식", "클래식").replaceAll(
    koreanAmount,
    (_, count: string, scale: string, unit: string) =>
      `${(koreanDigits.indexOf(count) + 1 || 1) * (koreanScales[scale] ?? 1)}${unit}`
  )

/** The maximum number of characters of a question that are read. */
const longest = 4_000

const clock = /\d{1,2}:\d{2}|\d ?[ap]m(?![a-z])|(?<![a-z])at \d{1,2}(?!\d)|\d시|(?<![а-я])во? \d/iu

const venues = rule(
  "binance|kraken|upbit|bybit|okx|spread|(?:on|at|from) coinbase",
  "바이낸스|업비트|빗썸|바이비트",
  "бинанс|апбит|байбит|на коинбейс"
)

const readOne = (whole: string, lang: Language) => {
  const { assumed, question } = corrected(sound(whole.slice(0, longest)))
  const stocks = stocksOf(question, lang)
  // CET is a time zone next to a time of day, and a coin elsewhere.
  const { coins, strange } = coinsOf(clock.test(question) ? withoutZones(question) : question, isStockTicker)
  const excluded = exclusionsIn(question)
  const left = coins.filter((coin) => !excluded.some((one) => one.coin === coin))
  // Next to a coin and another venue, Coinbase is the exchange.
  const isVenue = coins.length > 0 && venues.test(plain(question))
  const own = isVenue ? stocks.filter(({ symbol }) => symbol !== "COIN") : stocks
  const symbols = new Set(own.map(({ symbol }) => symbol))
  return {
    lang,
    words: plain(question),
    question,
    // `COIN` and `LINK` are both stocks and coins; a name that matches a stock is read as the stock.
    coins: left.filter((coin) => !symbols.has(coin)),
    stocks: own,
    excluded,
    strange,
    assumed,
    unread: [],
    numbers: numbersOf(question),
    horizon: horizonOf(question),
    frames: framesOf(question),
    day: dayOf(question),
    moment: momentOf(question),
    follows: goesOn.test(plain(question))
  }
}

type ReadOne = ReturnType<typeof readOne>

/** Returns the reading of a part of a question, with the instruments and numbers that the part names. */
export const readPart = (reading: Reading, words: string): Reading => {
  const { coins, day, frames, horizon, moment, numbers, stocks } = readOne(words, reading.lang)
  const lower = new Set(coins)
  const kept = reading.coins.filter((coin) => lower.has(coin))
  return {
    ...reading,
    words,
    question: words,
    coins: kept,
    stocks: reading.stocks.filter(({ symbol }) => stocks.some((stock) => stock.symbol === symbol)),
    numbers,
    horizon,
    frames,
    frame: frames[0] ?? null,
    day,
    moment
  }
}

/** The maximum number of earlier questions from which a trade is read. */
const maxLines = 5

/** The maximum number of earlier questions that are read. */
const remembered = 12

/** The maximum number of words of a short question. */
const shortWords = 6

const ticker = /^[A-Za-z0-9]{1,20}$/

/** Returns whether a name may be the ticker of a coin. */
const isTickerLike = (name: string): boolean => /^[a-z][a-z0-9]{1,9}$/.test(name) && !isCommodity(name)

/** Returns the request for an alert that a follow-up such as "also one for eth at 3400" means, or null. */
const againOf = (question: string, alert: Reading): string | null => {
  const words = plain(question)
  const lead = anotherAlert.exec(words)?.[0]
  if (lead === undefined || !/\d/u.test(words)) return null
  // "And eth 7%" goes in the direction of the alert before.
  const [, way = ""] = /%/u.test(words)
    ? /(?<![a-z])(drops?|falls?|rises?|below|above)(?![a-z])/u.exec(alert.words) ?? []
    : []
  const side = way === "" ? "" : /^(?:rise|above)/u.test(way) ? " above" : " below"
  return `alert ${words.slice(lead.length)}${side}`
}

/** Returns whether a question only names a time, such as "by sunday?". */
const isBareTime = ({ coins, horizon, moment, stocks, words }: ReadOne): boolean =>
  (horizon !== null || moment !== null) && coins.length + stocks.length === 0 && words.split(" ").length <= 3 &&
  piecesIn(words).every(isFiller)

/** Returns the stocks of a comparison, with the earlier stock that they are compared with. */
const besideStocks = ([stock, ...others]: ReadonlyArray<Stock>, earlier: ReadonlyArray<Stock>): ReadonlyArray<Stock> =>
  stock === undefined
    ? []
    : [...earlier.filter(({ symbol }) => symbol !== stock.symbol).slice(0, 1), stock, ...others]

/** Matches follow-ups that consist of a name: "and doge?", "이더는?", "а эфир?". */
const bareName = /^(?:and |ok |what about |how about |а |и |그럼 )*([\p{L}\d]{2,12}?)(?:은|는|도)?\??$/u

/** Returns the calculation of the previous question for the coin of a follow-up such as "and doge?", or null. */
const recalculated = (question: string, previous: Reading): string | null => {
  const [coin] = coinsOf(question, isStockTicker).coins
  const isName = coin !== undefined && bareName.test(plain(question))
  if (!isName || numbersOf(previous.question).length === 0) return null
  const tickers = new RegExp(`(?<![\\p{L}\\d])(?:${previous.coins.join("|")})(?![\\p{L}\\d])`, "giu")
  return `${plain(previous.question).replaceAll(namesPattern, " ").replaceAll(tickers, " ")} ${coin}`
}

/** Returns, for each intent that a reading matches, whether the intent is about one instrument. */
type SubjectsNeeded = (reading: Reading) => ReadonlyArray<boolean>

const aboutUnknown = (reading: Reading, names: readonly [string, ...ReadonlyArray<string>]): Reading =>
  names.length === 1 && isTickerLike(names[0])
    ? { ...reading, coins: [names[0].toUpperCase()], stocks: [], named: true }
    : { ...reading, coins: [], stocks: [], strange: names }

/** Returns the reading of a follow-up such as "and for gold?" with the unknown names as its subject. */
const withFollowedNames = (reading: Reading, subjectsNeeded: SubjectsNeeded): Reading => {
  const isAsking = subjectsNeeded(reading).length > 0
  const [name, ...others] = followedNamesIn(reading.words).filter(({ isSure, name }) =>
    isCommodity(name) ||
    (reading.follows && !isTopic(name) && (nearNames(name).length > 0 || (isSure && !isAsking)))
  ).map(({ name }) => name)
  return name === undefined || (isAsking && !isCommodity(name)) ? reading : aboutUnknown(reading, [name, ...others])
}

/** Returns the reading with its unknown names, which become the subject if the question names no known instrument. */
const withUnknownName = (reading: Reading, subjectsNeeded: SubjectsNeeded): Reading => {
  if (reading.strange.length > 0) return reading
  if (reading.named) {
    const tickers = [...reading.coins, ...reading.stocks.map(({ symbol }) => symbol)]
    return { ...reading, ...besideNames(reading.words, tickers) }
  }
  const unknown = unknownNameIn(reading.words)
  if (unknown === null) return withFollowedNames(reading, subjectsNeeded)
  const { isMeasured, isSure, name } = unknown
  const isDoubtful = isMeasured ? isTopic(name) : !isSure || (reading.follows && isTopic(name))
  if (isDoubtful && !isCommodity(name) && nearNames(name).length === 0) return reading
  if (!subjectsNeeded(reading).every((isNeeded) => isNeeded)) return reading
  return isMeasured ? { ...reading, coins: [], stocks: [], strange: [name] } : aboutUnknown(reading, [name])
}

/** Returns the coins of a question such as "which one is higher" or "compare with AVAX", or null. */
const pairIn = (
  { coins, numbers, stocks, words }: ReadOne,
  last: string | undefined,
  spoken: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> | null => {
  if (coins.length > 1 || stocks.length > 0 || numbers.length > 0 || ofAlerts.test(words)) return null
  const [coin] = coins
  if (coin !== undefined && last !== undefined && coin !== last && comparesWith.test(words)) return [last, coin]
  return asksBoth.test(words) ? pairOf(spoken) : null
}

/**
 * Reads the earlier questions and the current question, oldest first; a subject holds until a question names another.
 * Only the user's words are read, never answers or results.
 */
export const readingsOf = (
  brief: Brief,
  subjectsNeeded: SubjectsNeeded,
  isConversion: (reading: Reading) => boolean
): readonly [...ReadonlyArray<Reading>, Reading] => {
  const { coin, images, lang, mode } = brief
  const common = { mentor: mode === "mentor" }
  let subject: Pick<Reading, "coins" | "stocks" | "strange"> = { coins: [], stocks: [], strange: [] }
  let moment: Moment | null = null
  let frame: Frame | null = null
  let horizon: Horizon | null = null
  let thread = ""
  let lines: ReadonlyArray<string> = []
  let topic: Metric | null = null
  let spoken: ReadonlyArray<ReadonlyArray<string>> = []
  let previous: Reading | null = null
  let alert: Reading | null = null
  let listed: number | null = null
  const ofUnknownSubject = (reading: Reading): Reading => {
    if (reading.named || reading.strange.length > 0 || subject.strange.length === 0) return reading
    const needed = subjectsNeeded(reading)
    return needed.length > 0 && needed.every((isNeeded) => isNeeded)
      ? { ...reading, strange: subject.strange }
      : reading
  }
  const settle = (question: string, given: string | null, images: number): Reading => {
    const again = previous !== null && isConversion(previous) ? recalculated(question, previous) : null
    const read = readOne((alert === null ? again : againOf(question, alert)) ?? question, lang)
    if (previous !== null && asksReason.test(read.words)) return { ...previous, isReason: true, mentor: true, images }
    const pair = pairIn(read, subject.coins[0], spoken)
    const isEdited = alert !== null && (changesRecord.test(read.words) || removesRecord.test(read.words))
    const one = {
      ...read,
      ...(isEdited ? { stocks: [] } : {}),
      follows: read.follows || pair !== null || isBareFrame(read.words) || isBareTime(read)
    }
    // "The second one" after a question about several coins.
    const picked = subject.coins.length > 1 ? subject.coins[ordinalIn(one.words) ?? -1] : undefined
    const asked = picked ?? (given !== null && ticker.test(given) ? given.toUpperCase() : null)
    const coins = one.coins.length > 0 || one.stocks.length > 0 || asked === null ? one.coins : [asked]
    // "Vs NVDA" after a question about TSLA.
    const shares = comparesWith.test(one.words) ? besideStocks(one.stocks, subject.stocks) : one.stocks
    const named = coins.length > 0 || one.stocks.length > 0
    thread = one.follows ? `${thread}\n${one.words}`.trim().slice(-longest) : one.words
    const isOther = named && coins[0] !== undefined && subject.coins.length > 0 && coins[0] !== subject.coins[0]
    lines = [...(isOther ? [] : lines.slice(-maxLines)), one.words]
    // A short question without an instrument, such as "longs or shorts?", is about the same time.
    const keepsTime = one.follows || one.words.split(" ").length <= (named ? 2 : shortWords)
    frame = one.frames[0] ?? (keepsTime ? frame : null)
    horizon = one.horizon ?? (keepsTime ? horizon : null)
    moment = one.moment ?? (one.follows ? moment : null)
    const before: Metric | null = one.follows || !named ? topic : null
    // A question that is only a name, such as "eth?", keeps the topic.
    topic = metricIn(one.words, one.horizon) ?? (one.words.split(" ").length <= 2 ? topic : before)
    const known: Reading = {
      ...one,
      ...common,
      topic: before,
      pair: pair !== null,
      listed: null,
      isReason: false,
      alert,
      ...(pair !== null
        ? { coins: pair, stocks: [] }
        : named || one.strange.length > 0
        ? { coins, stocks: shares }
        : { coins: subject.coins, stocks: subject.stocks }),
      named,
      momentSpokenOf: moment,
      horizonSpokenOf: horizon,
      frame,
      thread,
      lines,
      images
    }
    const place = ordinalIn(one.words) ?? (subject.coins.length > 1 && thatOne.test(one.words) ? 0 : listed)
    listed = named || known.strange.length > 0 || pair !== null ? null : place
    const reading = { ...ofUnknownSubject(withUnknownName(known, subjectsNeeded)), listed }
    // An unknown name replaces the earlier subject, so that a follow-up is not answered about another instrument.
    if (reading.coins.length > 0 && (reading.named || pair !== null)) spoken = [...spoken, reading.coins]
    previous = reading
    // "Delete it" after "make it 115" still refers to the alert.
    alert = isEdited ? alert : ofAlerts.test(one.words) ? reading : null
    if (reading.named || reading.strange.length > 0) {
      subject = { coins: reading.coins, stocks: reading.stocks, strange: reading.named ? [] : reading.strange }
    }
    return reading
  }
  const earlier = brief.earlier.slice(-remembered).map(({ question }) => settle(question, null, 0))
  return [...earlier, settle(brief.question, coin, images)]
}

/** The placeholder for a missing instrument, with which no call is made. */
export const unnamed = ""

/** Returns the coin of an answer, or `unnamed` if no question names a coin. */
export const coinOf = ({ coins }: Reading): string => coins[0] ?? unnamed

export const stockOf = ({ stocks }: Reading, market: Stock["market"]): Stock | undefined =>
  stocks.find((stock) => stock.market === market)

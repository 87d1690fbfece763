import { type Brief, withoutZones } from "@tapeline/core/agent"
import type { Language } from "@tapeline/core/engine"
import { besideNames } from "./besideNames.ts"
import { coinsOf } from "./coinNames.ts"
import { type Day, dayOf } from "./day.ts"
import { type Frame, framesOf, type Horizon, horizonOf } from "./horizon.ts"
import { nearNames } from "./nearNames.ts"
import { numbersOf, type Stated } from "./numbers.ts"
import { plain, rule } from "./rule.ts"
import { isStockTicker, type Stock, stocksOf } from "./stockNames.ts"
import { isTopic } from "./topics.ts"
import { followedNamesIn, isCommodity, unknownNameIn } from "./unknownNames.ts"

/** A question as it was understood: its subjects are those that it names, or those that were spoken of before. */
export interface Reading {
  readonly lang: Language
  /** The question, in the form that rules look at. */
  readonly words: string
  /** As the user wrote it. */
  readonly question: string
  readonly coins: ReadonlyArray<string>
  readonly stocks: ReadonlyArray<Stock>
  /** Names in the place of an instrument, or next to one, that are not in the tables of coins and shares. */
  readonly strange: ReadonlyArray<string>
  /** Words in the place of the other side of a comparison that may be names. */
  readonly unread: ReadonlyArray<string>
  /** Whether the subject was named by the question itself, or by the caller. */
  readonly named: boolean
  readonly numbers: ReadonlyArray<Stated>
  readonly horizon: Horizon | null
  /** That span, or of a question that goes on the one that was spoken of before. */
  readonly horizonSpokenOf: Horizon | null
  /** The first of its time frames; of a question that goes on the one that was spoken of before. */
  readonly frame: Frame | null
  readonly frames: ReadonlyArray<Frame>
  /** Its words, and before them those of the questions that it goes on from. A line for each question. */
  readonly thread: string
  /** A day of the calendar that the question names. */
  readonly day: Day | null
  /** That day, or of a question that goes on the one that was spoken of before. */
  readonly daySpokenOf: Day | null
  /** Whether it goes on from what was asked before. */
  readonly follows: boolean
  readonly mentor: boolean
  readonly images: number
}

const goesOn = rule(
  "^\\+? ?(?:in|within) \\d+ ?(?:minutes?|min|hours?|h|days?|d)\\??$|and|what about|how about|also|then|same (?:for|with|on)|the same|its|it|that|now for|ok and|but|add|instead",
  "^그럼|^그러면|^그리고|^그건|^그거|은요?\\??$|는요?\\??$|그럼|거기|같은 거|도요?\\??$|추가|바꿔|바꾸",
  "^а |^и |^ну а|тоже|то же|а что|его|ее|их|как насчет|теперь|тогда|добавь|поменяй|измени|сделай"
)

/** A text without what no text holds: NUL, and halves of characters. */
const sound = (text: string): string => text.toWellFormed().replaceAll("\0", " ")

/** As much of a question is read. */
const longest = 4_000

const clock = /\d{1,2}:\d{2}|\d ?[ap]m(?![a-z])|(?<![a-z])at \d{1,2}(?!\d)|\d시|(?<![а-я])во? \d/iu

const readOne = (whole: string, lang: Language) => {
  const question = sound(whole.slice(0, longest))
  const stocks = stocksOf(question, lang)
  // CET is a zone next to a time of day, and a coin elsewhere.
  const { coins, strange } = coinsOf(clock.test(question) ? withoutZones(question) : question, isStockTicker)
  const symbols = new Set(stocks.map(({ symbol }) => symbol))
  return {
    lang,
    words: plain(question),
    question,
    // `COIN` and `LINK` may be both: what is named as a share is one.
    coins: coins.filter((coin) => !symbols.has(coin)),
    stocks,
    strange,
    unread: [],
    numbers: numbersOf(question),
    horizon: horizonOf(question),
    frames: framesOf(question),
    day: dayOf(question),
    follows: goesOn.test(plain(question))
  }
}

/** As many earlier questions are looked at. */
const remembered = 12

const ticker = /^[A-Za-z0-9]{1,20}$/

/** Names that may be tickers of coins, which the market's own tools know. */
const isTickerLike = (name: string): boolean => /^[a-z][a-z0-9]{1,9}$/.test(name) && !isCommodity(name)

/** Returns, for each kind of question that a reading matches, whether that kind is about one instrument. */
type SubjectsNeeded = (reading: Reading) => ReadonlyArray<boolean>

/** Returns the reading with unknown names as its subject. */
const aboutUnknown = (reading: Reading, names: readonly [string, ...ReadonlyArray<string>]): Reading =>
  names.length === 1 && isTickerLike(names[0])
    ? { ...reading, coins: [names[0].toUpperCase()], stocks: [], named: true }
    : { ...reading, coins: [], stocks: [], strange: names }

/** Returns the reading of a follow-up such as "and for gold?" with its unknown names as the subject. */
const withFollowedNames = (reading: Reading, subjectsNeeded: SubjectsNeeded): Reading => {
  const isAsking = subjectsNeeded(reading).length > 0
  const [name, ...others] = followedNamesIn(reading.words).filter(({ isSure, name }) =>
    isCommodity(name) ||
    (reading.follows && !isTopic(name) && (nearNames(name).length > 0 || (isSure && !isAsking)))
  ).map(({ name }) => name)
  return name === undefined || (isAsking && !isCommodity(name)) ? reading : aboutUnknown(reading, [name, ...others])
}

/** Returns the reading with its unknown names: in place of its subject, or next to known instruments. */
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

/**
 * Reads a question, and before it what was asked earlier: the subject of the last question that named one holds until
 * another is named. Only the user's own words are read, never answers, facts or results. Readings, oldest first.
 */
export const readingsOf = (
  brief: Brief,
  subjectsNeeded: SubjectsNeeded
): readonly [...ReadonlyArray<Reading>, Reading] => {
  const { coin, images, lang, mode } = brief
  const common = { mentor: mode === "mentor" }
  let subject: Pick<Reading, "coins" | "stocks" | "strange"> = { coins: [], stocks: [], strange: [] }
  let day: Day | null = null
  let frame: Frame | null = null
  let horizon: Horizon | null = null
  let thread = ""
  const ofUnknownSubject = (reading: Reading): Reading => {
    if (reading.named || reading.strange.length > 0 || subject.strange.length === 0) return reading
    const needed = subjectsNeeded(reading)
    return needed.length > 0 && needed.every((isNeeded) => isNeeded)
      ? { ...reading, strange: subject.strange }
      : reading
  }
  const settle = (question: string, given: string | null, images: number): Reading => {
    const one = readOne(question, lang)
    const asked = given !== null && ticker.test(given) ? [given.toUpperCase()] : []
    const coins = one.coins.length > 0 || one.stocks.length > 0 ? one.coins : asked
    const named = coins.length > 0 || one.stocks.length > 0
    thread = one.follows ? `${thread}\n${one.words}`.trim().slice(-longest) : one.words
    frame = one.frames[0] ?? (one.follows ? frame : null)
    horizon = one.horizon ?? (one.follows ? horizon : null)
    day = one.day ?? (one.follows ? day : null)
    const known: Reading = {
      ...one,
      ...common,
      ...(named || one.strange.length > 0
        ? { coins, stocks: one.stocks }
        : { coins: subject.coins, stocks: subject.stocks }),
      named,
      daySpokenOf: day,
      horizonSpokenOf: horizon,
      frame,
      thread,
      images
    }
    const reading = ofUnknownSubject(withUnknownName(known, subjectsNeeded))
    // An unknown name is the subject, too: a follow-up is not answered about the instrument before it.
    if (reading.named || reading.strange.length > 0) {
      subject = { coins: reading.coins, stocks: reading.stocks, strange: reading.named ? [] : reading.strange }
    }
    return reading
  }
  const earlier = brief.earlier.slice(-remembered).map(({ question }) => settle(question, null, 0))
  return [...earlier, settle(brief.question, coin, images)]
}

/** Stands for an instrument that nobody named. No call that holds it is made. */
export const unnamed = ""

/** The coin that an answer is about, `unnamed` if neither this question nor an earlier one names a coin. */
export const coinOf = ({ coins }: Reading): string => coins[0] ?? unnamed

/** The first share of a market. */
export const stockOf = ({ stocks }: Reading, market: Stock["market"]): Stock | undefined =>
  stocks.find((stock) => stock.market === market)

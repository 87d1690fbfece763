import { coinsOf } from "./coinNames.ts"
import { numbersOf, numberWith, type Stated } from "./numbers.ts"
import type { Reading } from "./reading.ts"
import { rule } from "./rule.ts"
import { isStockTicker } from "./stockNames.ts"

const entryWord =
  /entry|enter(?:ing)?|entered|buy(?:ing)? at|bought at|open(?:ed)? at|from|진입가?|매수가?|진입은|вход[а-я]*|вхожу|купил[а-я]* по|от/u
export const stopWord = /stop(?:[- ]?loss)?(?: at)?|sl|손절(?:가|선)?|스탑|стоп(?:[- ]?лосс)?[а-я]*/u
export const targetWord = /targets?|take(?:[- ]?profit)?|tp|목표가?|익절(?:가)?|цел[ьияею]+|тейк[а-я]*/u
export const accountWord =
  /acc(?:ount)?(?: of| is| size)?|(?:%|percent) of(?: an?| my)?|(?:%|процент[а-я]*) от|balance|capital|deposit|계좌|자본|잔고|시드|депо(?:зит)?[а-я]*|счет[а-я]*|капитал[а-я]*/u
export const riskWord = /risk(?:ing)?(?: of)?|리스크|위험|риск[а-я]*|рискую/u
const sideWord = /long|short| at|롱|숏|лонг[а-я]*|шорт[а-я]*| по/u
export const sizeWord = /size|amount|규모|금액|размер[а-я]*|объем[а-я]*|на сумму/u

/** Returns the entry price: among the otherwise unused numbers, the number next to an entry word or a side. */
export const entryOf = (numbers: ReadonlyArray<Stated>): number | null => {
  const taken = [stopWord, targetWord, accountWord, riskWord].map((word) => numberWith(numbers, word))
  const left = numbers.filter(({ value }) => !taken.includes(value))
  return numberWith(left, entryWord) ?? numberWith(left, sideWord)
}

export const sideOf = (words: string): "long" | "short" | null =>
  rule("short|sell(?:ing)?", "숏|매도", "шорт|продаж").test(words)
    ? "short"
    : rule("long|buy(?:ing)?", "롱|매수", "лонг|покуп").test(words)
    ? "long"
    : null

/** The values of a trade that the questions of a thread state. */
export interface Trade {
  readonly coin: string | null
  readonly side: "long" | "short" | null
  readonly quantity: number | null
  readonly usd: number | null
  readonly krw: number | null
  /** The amount that the trade may lose, in dollars. */
  readonly risk: number | null
  readonly entry: number | null
  readonly stop: number | null
  readonly target: number | null
  readonly leverage: number | null
  readonly percent: number | null
}

const isUsd = ({ after, isDollar }: Stated): boolean =>
  isDollar || /^\s?(?:usdt?|dollars?|bucks|\$|долл|бакс|달러|불)/u.test(after)
const isWon = ({ after }: Stated): boolean => /^\s?(?:krw|won(?![a-z])|₩|원|вон(?![а-я]))/u.test(after)

/** Returns the coin of which a number is the quantity: "0.5 btc", "이더 3개", or null. */
const coinAfter = ({ after, before }: Stated): string | null => {
  const next = /^\s?[\p{L}]+/u.exec(after)?.[0] ?? ""
  // After a number, a word such as "link" is a ticker.
  const [coin] = coinsOf(`1 ${next.trim()}`, isStockTicker).coins
  if (coin !== undefined) return coin
  return /^\s?개/u.test(after) ? coinsOf(before, isStockTicker).coins.at(-1) ?? null : null
}

const bought = rule("bought", "샀", "купил")
const leverageWord = /leverage|lev|плеч[а-я]*|레버리지/u
const targetLead =
  /(?<=from \$?[\d.,]+k? )to|(?:goes|go|gets|rises|falls|drops|moves|hits|reaches|back) ?(?:up |down )?to|(?:hits|reaches)|target(?: is| of)?|до(?![а-я])|(?:가|갈|되|도달하)/u
const entryLead = /(?:at|from|@|entry(?: at)?)|по|с|от|вход[а-я]*(?: по)?/u

/** Returns whether a number is the value of a position: "on a 25k long". */
const isPositionValue = ({ after, before }: Stated): boolean =>
  /^\s?margin/u.test(after) || /margin(?: of)? \$?$/u.test(before) ||
  /(?:^|[^\p{L}])(?:an?|my|on|with) \$?$/u.test(before) &&
    /^\s?(?:usdt? |dollars? |[a-z]{2,5} )?(?:long|short|position|bag)(?![a-z])/u.test(after)

/** Returns the entry among the prices that are no stop and no target: "long sol 125 sl 119". */
const loneEntry = (prices: ReadonlyArray<Stated>, side: Trade["side"]): number | null => {
  const taken = [accountWord, riskWord].map((word) => numberWith(prices, word))
  const left = prices.filter(({ value }) => !taken.includes(value))
  const [only, ...others] = left
  return numberWith(left, entryWord) ?? numberWith(left, sideWord) ??
    (side !== null && only !== undefined && others.length === 0 ? only.value : null)
}

/** Reads the values of a trade in one question. */
const tradeIn = (words: string): Trade => {
  const numbers = numbersOf(words)
  const plain = numbers.filter(({ kind }) => kind === "plain")
  const counted = plain.find((stated) => coinAfter(stated) !== null && !isUsd(stated))
  const stop = numberWith(plain, stopWord)
  const leverage = numbers.find(({ kind }) => kind === "times")?.value ?? numberWith(plain, leverageWord)
  const target = numberWith(plain, targetWord) ?? numberWith(plain, targetLead)
  const risk = numberWith(plain.filter(isUsd), riskWord)
  const taken = [stop, leverage, target, risk]
  const prices = plain.filter((stated) => stated !== counted && !taken.includes(stated.value))
  const near = prices.find(({ before }) => new RegExp(`(?<![\\p{L}])(?:${entryLead.source}) ?\\$?$`, "u").test(before))
  const marked = prices.find(({ after }) => /^\s?(?:달러|불|에서?|진입)*\s?(?:에|에서|진입|매수)/u.test(after))
  const usd =
    prices.find((stated) => (isUsd(stated) || isPositionValue(stated)) && stated !== near && stated !== marked) ?? null
  const side = sideOf(words) ?? (bought.test(words) ? "long" : null)
  return {
    coin: counted === undefined ? null : coinAfter(counted),
    side,
    quantity: counted?.value ?? null,
    usd: usd?.value ?? null,
    krw: plain.find(isWon)?.value ?? null,
    risk,
    entry: near?.value ?? marked?.value ?? loneEntry(prices.filter((stated) => stated !== usd), side),
    stop,
    target,
    leverage,
    percent: numbers.find(({ kind }) => kind === "percent")?.value ?? null
  }
}

/** Returns the values of the trade that a question states. */
export const ownTradeOf = ({ words }: Reading): Trade => tradeIn(words)

/** Returns the values of the trade of a conversation, in which later questions replace values of earlier ones. */
export const tradeOf = ({ lines }: Reading): Trade => {
  const [first = tradeIn(""), ...others] = lines.map(tradeIn)
  const merged = others.reduce((one, other): Trade => ({
    coin: other.coin ?? one.coin,
    side: other.side ?? one.side,
    quantity: other.quantity ?? one.quantity,
    usd: other.usd ?? one.usd,
    krw: other.krw ?? one.krw,
    risk: other.risk ?? one.risk,
    entry: other.entry ?? one.entry,
    stop: other.stop ?? one.stop,
    target: other.target ?? one.target,
    leverage: other.leverage ?? one.leverage,
    percent: other.percent ?? one.percent
  }), first)
  return merged
}

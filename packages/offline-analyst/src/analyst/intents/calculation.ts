import type { Findings } from "../Findings.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { ownTradeOf, tradeOf } from "../reading/trade.ts"

/** The calculation that a question requests. */
export type Calculation =
  | "cross"
  | "sizing"
  | "liquidation"
  | "ratio"
  | "leverage"
  | "gain"
  | "risk"
  | "share"
  | "convert"
  | "carry"
  | "distance"

export const calculationWords: Readonly<Record<Calculation, RegExp>> = {
  cross: rule("ratio|cross rate|pair|in (?:btc|eth)", "비율|교차", "соотношени|курс .+ к|в битках|пара"),
  liquidation: rule("liq(?:uidation)?(?: price| level)?|liquidated", "청산", "ликвидаци|ликвид"),
  ratio: rule(
    "r:r|r/r|rr|risk[ -/]?(?:to[ -])?reward|reward",
    "손익비|알알",
    "риск[ -/]?(?:к )?(?:прибыл|профит|доходност)|соотношени"
  ),
  leverage: rule("leverage", "레버리지", "плеч[оаеу]"),
  gain: rule(
    "pnl|p&l|profit|make|made|earn|gain|lose|loss|worth if|how much do i|return",
    "수익|손익|벌|손실|이익",
    "заработ|прибыл|убыт|потеря|pnl|профит|результат"
  ),
  risk: rule("risk(?:ing)?|at stake|lose at", "리스크|위험|잃", "риск|потеря"),
  sizing: rule("risk(?:ing)?|size|how (?:many|much|big)", "리스크|위험|수량|몇 ?개|얼마", "риск|размер|сколько"),
  share: rule("% of|percent of|is (?=\\d+(?:\\.\\d+)? ?%)", "의 (?=\\d+ ?%)|%는|프로는", "% от|процент[а-я]* от"),
  convert: rule(
    "convert|worth|in (?:won|krw|usd|dollars?|btc|eth|sats?)|how (?:much|many)|to (?:usd|won|krw|dollars?|[a-z]{2,5})$|is (?=\\$?\\d)",
    "몇 ?개|얼마|바꾸|환산|원화|원으로|살 수",
    "сколько|конверт|перевед|в (?:долларах|вонах|битках)"
  ),
  carry: rule("hold", "들고|보유|유지", "держ|удержива"),
  distance: rule(
    "how far|(?:what|how (?:much|many)) (?:%|percent)|(?:%|percent) (?:to|away|from)|away from",
    "몇 ?(?:프로|퍼(?:센트)?|%)|얼마나 (?:올라야|내려야|더 올라|남았)",
    "сколько (?:процентов|%|осталось)|на сколько (?:процентов|%)|далеко"
  )
}
/** Matches questions about the loss at the stop of the conversation. */
const atStop = rule(
  "(?:get |got |gets )?stopped(?: out)?|(?:my|the) stop (?:hits?|gets hit|is hit)|hits? (?:my|the) stop",
  "손절(?:되|당하|나가|맞)",
  "по стопу|выбь[её]т|стоп сработает"
)
export const rises = rule(
  "\\+ ?\\d+(?:\\.\\d+)? ?%|rises?|up|gains?|pumps?|rall(?:y|ies)|goes up|climbs?",
  "오르|올라|상승",
  "раст|вырас|подним"
)
export const falls = rule(
  "falls?|down|drops?|dumps?|dips?|loses|crash(?:es)?",
  "떨어|내리|하락|빠지",
  "упад|пада|опуст|снизит|просяд"
)
export const ofTrade = rule(
  "entry|enter(?:ed|ing)?|from|bought|sold|long|short|stops?(?:[ -]?loss)?|sl|targets?|tp|goes|hits?|reaches|away|price|leverage|position|bag|account|isolated|profit|coins?|bucks|usdt?|dollars?|drops?|rises?",
  "진입|매수|매도|롱|숏|손절가?|목표가?|익절|가격|레버리지|포지션|코인|달러|도달|하면|되면|가면",
  "вход|лонг|шорт|стоп|цель|тейк|цен|плеч|позици|монет|доллар|дойд|если"
)
/** Matches the exchanges whose prices in won are answered with the kimchi premium. */
const koreanExchanges = rule("upbit|bithumb", "업비트|빗썸", "апбит|битхамб")
export const howMuch = rule(
  "what|which|how (?:much|high|big)|max",
  "몇 ?배|얼마|최대",
  "какое|какой|сколько|максимальн"
)
export const inWon = rule("won|krw", "원화|원으로|원이야|원 얼마", "вон(?:а|ах|ы)?(?![а-я])")
export const satoshis = rule("sats?|satoshis?", "사토시", "сатош")
/** Matches subjects whose numbers are no amounts to convert. */
const others = rule(
  "hedge|options?|calls?|puts?|slippage|market|order|alert|funding|liquidat\\w*|volume|moved?|backtest",
  "헤지|옵션|슬리피지|시장가|호가|알려|알림|펀딩|청산|거래량",
  "хедж|опцион|проскальз|рынк|стакан|алерт|сообщи|фандинг|ликвидац|объем"
)
const ofMine = rule("my", "내|제", "мо[йяеи]")

/** Returns whether a question asks for an amount of dollars in won: "how many won is 1 usdt". */
export const isDollarsInWon = (reading: Reading): boolean => {
  const { krw, quantity, side, usd } = ownTradeOf(reading)
  return usd !== null && krw === null && quantity === null && side === null && inWon.test(reading.words) &&
    reading.coins.every((coin) => coin === "USDT" || coin === "USDC")
}

/** Returns what a question asks to calculate, or null; each of its numbers has to be part of the calculation. */
export const calculationOf = (reading: Reading): Calculation | null => {
  const kind = kindOf(reading)
  if (kind === null) return null
  const used = usedIn(reading, kind)
  const isUsed = ({ kind, value }: Reading["numbers"][number]) => kind === "span" || used.includes(value)
  return reading.numbers.every(isUsed) ? kind : null
}

/** Returns the only plain number of a question, or null. */
export const levelOf = ({ numbers }: Reading): number | null => {
  const [level, ...others] = numbers.filter(({ kind }) => kind === "plain")
  return level === undefined || others.length > 0 ? null : level.value
}

const worthNow = rule("worth(?: now)?|now", "지금|얼마", "стоит|сейчас|сколько")
const lands = rule(
  "(?:where|what) (?:does|would|will|is|price|do)|where|land|what's that|how much (?:is|would|will)",
  "얼마|어디|몇 ?달러",
  "сколько (?:будет|станет|это)|какая цена|где (?:окажется|будет)|куда"
)
const maxBareWords = 4

/** Returns the kind of calculation that the words of a question ask for, or null. */
const kindOf = (reading: Reading): Calculation | null => {
  const { horizon, stocks, words: asked } = reading
  if (stocks.length > 0) return null
  const is = (kind: Calculation) => calculationWords[kind].test(asked)
  if (is("cross") && reading.coins.length === 2 && horizon === null && !others.test(asked)) return "cross"
  const own = ownTradeOf(reading)
  const trade = tradeOf(reading)
  if (own.risk !== null && trade.stop !== null && own.percent === null && is("sizing")) return "sizing"
  if (is("ratio") && trade.stop !== null && trade.target !== null) return "ratio"
  if (is("liquidation") && trade.leverage !== null && (own.leverage !== null || trade.entry !== null)) {
    return "liquidation"
  }
  if (atStop.test(asked) && trade.stop !== null && trade.entry !== null && trade.quantity !== null) return "risk"
  // "With 20x?" after a stated trade.
  const isBareLeverage = own.leverage !== null && own.entry === null && asked.split(" ").length <= maxBareWords
  if (isBareLeverage && trade.entry !== null && reading.lines.length > 1) return "liquidation"
  if (own.quantity !== null && own.entry !== null && own.side !== null && !asked.endsWith("?")) return "gain"
  if (is("leverage") && howMuch.test(asked) && own.leverage === null) return "leverage"
  if (is("carry") && own.usd !== null && horizon !== null) return "carry"
  if (is("share") && own.percent !== null && own.entry === null && own.usd === null) return "share"
  if (is("risk") && trade.stop !== null && trade.entry !== null && trade.quantity !== null && own.percent === null) {
    return "risk"
  }
  const isHeld = trade.entry !== null && (trade.quantity !== null || trade.usd !== null)
  const isMove = own.percent !== null && directionOf(asked) !== 0
  // "And if it goes to 3400?", "what's my P&L" after a stated position.
  const goesOn = isHeld && reading.lines.length > 1 && own.entry === null && own.quantity === null
  if (goesOn && (is("gain") || own.target !== null || isMove)) return "gain"
  const isWhole = own.entry !== null && own.target !== null && own.side !== null && own.stop === null
  if (isWhole && !others.test(asked.replace(/hits?|drops?/gu, " "))) return "gain"
  // "10k USD in SOL at 100, what is it worth now?", "short 500 LINK from 5.50, pnl?"
  const isOpened = own.entry !== null && (own.usd !== null || own.quantity !== null) && own.stop === null
  if (isOpened && own.percent === null && (is("gain") || worthNow.test(asked))) return "gain"
  // "If BTC drops 8 %, where does it land?"
  const isLanding = isMove && own.quantity === null && own.usd === null && own.krw === null && own.entry === null &&
    reading.coins.length === 1 && lands.test(asked) && !others.test(asked)
  if (isLanding) return "gain"
  if (isMove && is("gain") && (own.usd !== null || own.quantity !== null)) return "gain"
  if (is("gain") && (own.target !== null || (trade.entry !== null && own.quantity === null)) && !ofMine.test(asked)) {
    return trade.quantity !== null || trade.entry !== null ? "gain" : null
  }
  const isDistance = is("distance") && reading.coins.length === 1 && levelOf(reading) !== null && own.side === null
  if (isDistance && !others.test(asked)) return "distance"
  const hasAmount = own.quantity !== null || own.usd !== null || own.krw !== null
  if (others.test(asked) || koreanExchanges.test(asked)) return null
  // "이더 가격 원화로" is the price of one coin.
  if (is("convert") && !hasAmount && inWon.test(asked) && reading.coins.length === 1 && horizon === null) {
    return "convert"
  }
  const isSame = !hasAmount && reading.lines.length > 1 && trade.quantity !== null && inWon.test(asked)
  if (isSame) return "convert"
  if (isDollarsInWon(reading)) return "convert"
  const buysFor = /(?<![a-z])buy (?:for|with)(?![a-z])/u.test(asked)
  const isPlain = own.stop === null && own.leverage === null && (own.side === null || buysFor) && own.target === null
  return is("convert") && hasAmount && isPlain && own.entry === null ? "convert" : null
}

/** Returns 1 for a rise, -1 for a fall, and 0 if a question names no direction of a move. */
export const directionOf = (words: string): number => Number(rises.test(words)) - Number(falls.test(words))

/** Returns the numbers of a question that its calculation uses. */
const usedIn = (reading: Reading, kind: Calculation): ReadonlyArray<number> => {
  const own = ownTradeOf(reading)
  const { entry, krw, leverage, percent, quantity, risk, stop, target, usd } = own
  const used: Readonly<Record<Calculation, ReadonlyArray<number | null>>> = {
    cross: [],
    sizing: [risk, stop, entry],
    liquidation: [leverage, entry, quantity, usd, stop, target],
    ratio: [entry, stop, target],
    leverage: [percent, entry, stop],
    gain: [entry, target, quantity, usd, leverage, directionOf(reading.words) === 0 ? null : percent],
    risk: [entry, stop, quantity],
    share: [percent],
    convert: [quantity, usd, krw],
    carry: [usd],
    distance: [levelOf(reading)]
  }
  return used[kind].filter((value) => value !== null)
}

/** Returns the numbers of a question that its calculation uses. */
export const usedNumbers = (reading: Reading): ReadonlyArray<number> => {
  const kind = kindOf(reading)
  return kind === null ? [] : usedIn(reading, kind)
}

/** Returns the coin of a calculation. */
export const coinIn = (reading: Reading): string =>
  tradeOf(reading).coin ?? (satoshis.test(reading.words) ? "BTC" : coinOf(reading))

export const entryOrPrice = (reading: Reading, found: Findings): number | null =>
  tradeOf(reading).entry ?? found.of("get_price", { coin: coinIn(reading) }).num("price")

/** Returns the coin in which the worth of another coin is stated: "3.5 sol to eth". */
export const otherCoinsOf = (reading: Reading): ReadonlyArray<string> => {
  const others = reading.coins.filter((coin) => coin !== coinIn(reading))
  return others.length === 1 && ownTradeOf(reading).quantity !== null ? others : []
}

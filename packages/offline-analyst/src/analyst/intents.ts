import { type Brief, unwatched } from "@tapeline/core/agent"
import { Findings } from "./Findings.ts"
import type { Intent } from "./intent.ts"
import { backtest } from "./intents/backtest.ts"
import { basis } from "./intents/basis.ts"
import { binary } from "./intents/binary.ts"
import { calculationOf } from "./intents/calculation.ts"
import { calculator } from "./intents/calculator.ts"
import { chart } from "./intents/chart.ts"
import { compare, correlation } from "./intents/compare.ts"
import { funding, openInterest } from "./intents/derivatives.ts"
import { glossary } from "./intents/glossary.ts"
import { journal, trades } from "./intents/journal.ts"
import { kimchi, krListings } from "./intents/koreanCoins.ts"
import { krFilings, krFlows, krMarket, krStock } from "./intents/koreanStocks.ts"
import { levels } from "./intents/levels.ts"
import { asksSide, liquidations } from "./intents/liquidations.ts"
import { calendar, yields } from "./intents/macro.ts"
import { dominance, fearGreed, movers, overview } from "./intents/market.ts"
import { coil, orderBook, volatility, vwap } from "./intents/microstructure.ts"
import { cause, news } from "./intents/news.ts"
import { probability } from "./intents/odds.ts"
import { onchain, stablecoins, token } from "./intents/onchain.ts"
import { optionQuote } from "./intents/optionQuote.ts"
import { impliedVolatility, optionFlow, optionsPositioning } from "./intents/options.ts"
import { optionStrategy } from "./intents/optionStrategy.ts"
import { peg } from "./intents/peg.ts"
import { recordPosition, riskSizing, tasks, watchlist } from "./intents/personal.ts"
import { pools } from "./intents/pools.ts"
import { positions } from "./intents/positions.ts"
import { asksPrice, price } from "./intents/price.ts"
import { priceOn } from "./intents/priceOn.ts"
import { ranking } from "./intents/ranking.ts"
import { recordFollowUp } from "./intents/recordFollowUp.ts"
import { screen } from "./intents/screen.ts"
import { seasonality } from "./intents/seasonality.ts"
import { hitRate, score, signals } from "./intents/signals.ts"
import { social, trending } from "./intents/social.ts"
import { stockCorrelation } from "./intents/stockCorrelation.ts"
import { stockIndicators } from "./intents/stockIndicators.ts"
import { declined, help, noData, noPromise, outside, secrets, self, thanks, trade } from "./intents/talk.ts"
import { threshold } from "./intents/threshold.ts"
import { indicators, trend } from "./intents/trend.ts"
import { usMarket } from "./intents/usMarket.ts"
import { usEarnings, usFundamentals } from "./intents/usReports.ts"
import { usInsiders, usOptions, usRatings, usStock } from "./intents/usStocks.ts"
import { watch } from "./intents/watch.ts"
import { asksCompare, asksCorrelation } from "./reading/besideNames.ts"
import { unreadWords } from "./reading/coverage.ts"
import { type Reading, readingsOf, readPart } from "./reading/reading.ts"
import { asksBoth } from "./reading/references.ts"
import { rule } from "./reading/rule.ts"

/** All intents; if two intents replace all others, the earlier intent wins. */
export const intents: ReadonlyArray<Intent> = [
  secrets,
  recordFollowUp,
  tasks,
  watch,
  trade,
  self,
  outside,
  declined,
  thanks,
  noPromise,
  noData,
  screen,
  optionQuote,
  peg,
  calculator,
  ranking,
  threshold,
  glossary,
  trades,
  journal,
  positions,
  watchlist,
  recordPosition,
  riskSizing,
  backtest,
  chart,
  priceOn,
  price,
  trend,
  indicators,
  levels,
  funding,
  openInterest,
  basis,
  liquidations,
  impliedVolatility,
  optionsPositioning,
  optionStrategy,
  optionFlow,
  kimchi,
  krListings,
  krMarket,
  krFlows,
  krFilings,
  krStock,
  stockCorrelation,
  usMarket,
  usEarnings,
  usFundamentals,
  usRatings,
  usInsiders,
  usOptions,
  stockIndicators,
  usStock,
  calendar,
  yields,
  stablecoins,
  pools,
  token,
  onchain,
  social,
  trending,
  cause,
  news,
  binary,
  probability,
  score,
  hitRate,
  signals,
  compare,
  correlation,
  volatility,
  vwap,
  orderBook,
  coil,
  seasonality,
  fearGreed,
  dominance,
  movers,
  overview,
  help
]

/** The maximum number of intents in one answer. */
const most = 3

const joined = rule(
  "and|plus|with|as well as|also",
  ",|그리고|하고|(?:와|과|랑|이랑|및)\\s|도\\s",
  "и |плюс|а также|с "
)

const ofCoins: ReadonlySet<Intent> = new Set([
  indicators,
  funding,
  basis,
  liquidations,
  onchain,
  social,
  score,
  backtest,
  correlation,
  volatility,
  vwap,
  coil,
  seasonality,
  screen
])

const apart =
  / (?:and|plus|also|then) |[,;?!] ?|\. |그리고|(?:띄우|그리|그려\s?주|보여\s?주|알려\s?주)고 |(?:이랑|랑|하고) |(?<=얼마|언제|어디|뭐|무엇)(?:이)?고 | (?:и|а также|плюс) /u
/** Matches a part of a question that is a question of its own, unlike "with RSI and volume". */
const asksItself = rule(
  "what|what's|whats|how|where|is|are|which|why|tell|say|show me|give|price",
  "얼마|어때|어디|알려|말해|몇|도$|는요?$|은요?$|있어",
  "скажи|сколько|как(?:ой|ая|ое|ие)?|где|почем|что|почему|цен"
)

const besideChart = (reading: Reading): ReadonlyArray<Intent> =>
  reading.words.split(apart).flatMap((words) => {
    const part = { ...reading, words, question: words }
    return chart.asked(part) || !asksItself.test(words)
      ? []
      : intents.filter(({ asked, over }) => over !== "all" && asked(part)).slice(0, 1)
  })

const isQuote = (intent: Intent): boolean => intent === usStock || intent === krStock
const asksQuote = rule("price|quote|share price|how much", "주가|가격|시세|얼마", "цен|котировк|почем|сколько стоит")

const covered = ({ general, name }: Intent, whole: ReadonlyArray<Intent>): boolean =>
  whole.some((other) =>
    other.name === name || (general === true && other.general === true) ||
    (name === "volatility" && other === impliedVolatility)
  )

const detectedAt = (reading: Reading): ReadonlyArray<Intent> => {
  const shares = reading.stocks.length > 0 && reading.coins.length === 0
  const asked = intents.filter((intent) => !(shares && ofCoins.has(intent)) && intent.asked(reading))
  // An intent that would answer alone is dropped if another intent replaces it by name.
  const [sole] = asked.filter((intent) =>
    intent.over === "all" && !asked.some(({ over }) => over !== "all" && over?.includes(intent.name))
  )
  if (sole === chart) return [chart, ...besideChart(reading)].slice(0, most)
  if (sole !== undefined) return [sole]
  const particular = asked.filter(({ general }) => general !== true)
  // A price of options is not the price of the coin.
  const several = asksPrice.test(reading.words) && !asked.includes(optionStrategy) &&
    (joined.test(reading.words) || reading.question.includes(","))
  const kept = asked.filter(({ general, name }) =>
    !asked.some(({ name: other, over }) =>
      other !== name && over !== undefined && over !== "all" && over.includes(name) &&
      !(several && name === "price")
    ) && (general !== true || particular.length === 0 || (several && name === "price"))
  )
  return (kept.length > 0 ? kept : asked)
}

/** Returns the intents of a question, in the order of the question's parts. */
const detected = (reading: Reading): ReadonlyArray<Intent> => {
  const whole = detectedAt(reading)
  // A correlation or comparison is about all of the named instruments.
  if (whole.length === 0 || whole.some((intent) => intent.over === "all" || intent === correlation)) {
    return whole.slice(0, most)
  }
  const parts = reading.words.split(apart).filter((part) => part.trim() !== "")
  if (parts.length < 2) return whole.slice(0, most)
  const besides = parts.flatMap((words) => detectedAt({ ...reading, words, question: words }))
    .filter(({ over }) => over !== "all")
  const ordered = besides.filter((intent) =>
    whole.includes(intent) || ((!isQuote(intent) || asksQuote.test(reading.words)) && !covered(intent, whole))
  )
  return [...new Set([...ordered, ...whole])].slice(0, most)
}

/** An intent with the reading of the part of the question that it answers. */
export interface Part {
  readonly intent: Intent
  readonly reading: Reading
}

/**
 * Returns the parts of a question of which each names its own instrument and subject: "btc price and eth funding".
 * Returns none if one subject applies to the whole question.
 */
export const partsOf = (reading: Reading): ReadonlyArray<Part> => {
  if (reading.coins.length + reading.stocks.length < 2 || reading.pair) return []
  if (asksCorrelation.test(reading.words)) return []
  const own = reading.words.split(apart).filter((words) => words.trim() !== "").map((words) => readPart(reading, words))
  const named = own.filter(({ coins, stocks }) => coins.length + stocks.length > 0)
  const parts = own.flatMap((part): ReadonlyArray<Part> => {
    const [intent] = detectedAt(part)
    return intent === undefined || intent.over === "all" || asksCompare.test(part.words)
      ? []
      : [{ intent, reading: part }]
  })
  const isEach = own.length > 1 && parts.length === own.length && named.length > 1 && !asksCompare.test(reading.words)
  return isEach && new Set(parts.map(({ intent }) => intent.name)).size > 1 ? parts.slice(0, most) : []
}

const noFindings = new Findings([])

/** Returns whether an intent's calls depend on the named instrument. */
const takesSubject = (intent: Intent, reading: Reading): boolean => {
  const [stock] = reading.stocks
  const planOf = (coins: ReadonlyArray<string>, stocks: Reading["stocks"] = []) =>
    JSON.stringify(intent.plan({ ...reading, coins, stocks, named: coins.length + stocks.length > 0 }, noFindings))
  // A watch with unsupported words has no plan, whatever instrument it names.
  const isOpen = intent === glossary || (intent === watch && !unwatched.test(reading.words))
  const ofStock = stock !== undefined && planOf([]) !== planOf([], [stock])
  return isOpen || ofStock || planOf([]) !== planOf(["?"])
}

export const readingsFor = (brief: Brief): readonly [...ReadonlyArray<Reading>, Reading] =>
  readingsOf(
    brief,
    (reading) => detected(reading).map((intent) => takesSubject(intent, reading)),
    (reading) => calculationOf(reading) === "convert"
  )

/** The maximum number of instruments of which each has a part of the answer. */
const maxEach = 3

/** Coins that only quote the price of another coin. */
const quoteCoins: ReadonlySet<string> = new Set(["USDT", "USDC"])

/**
 * Returns the parts of a question that names several instruments, of which its intents only answer about the first one:
 * "kimchi premium btc and eth". Returns none for other questions.
 */
export const partsOfEach = (reading: Reading, whole: ReadonlyArray<Intent>): ReadonlyArray<Part> => {
  const coins = reading.coins.filter((coin) => !quoteCoins.has(coin))
  const each = [
    ...coins.map((coin) => ({ ...reading, coins: [coin], stocks: [] })),
    ...reading.stocks.map((stock) => ({ ...reading, coins: [], stocks: [stock] }))
  ]
  const [first, second] = each
  if (first === undefined || second === undefined || each.length > maxEach) return []
  const planned = (intent: Intent, one: Reading) => JSON.stringify(intent.plan(one, noFindings))
  const single = whole.filter((intent) =>
    intent !== watch && intent !== calculator && planned(intent, reading) === planned(intent, first) &&
    planned(intent, first) !== planned(intent, second)
  )
  // A comparison of scores does not compare the figure that the question names.
  const others = whole.filter((intent) => !single.includes(intent) && intent !== compare)
  return single.length === 0 || others.length > 0
    ? []
    : each.flatMap((one) => single.map((intent) => ({ intent, reading: one })))
}

const bySubject = ({ coins, stocks, strange }: Reading): ReadonlyArray<Intent> => {
  if (stocks[0] !== undefined) return [stocks[0].market === "kr" ? krStock : usStock]
  if (coins.length > 1) return [compare]
  return coins.length > 0 || strange.length > 0 ? [trend] : []
}

/** Matches requests to edit a chart, such as a different time frame or another line. */
const edits = rule(
  "add|make it|change (?:it )?to|switch (?:it )?to|put|remove",
  "추가|바꿔|바꾸|넣어|빼\\s?줘",
  "добавь|сделай|поменяй|измени|переключи|убери"
)

const withParts = rule("with|add", "이랑|랑|같이|추가", "с |со |добав|вместе")

/** Returns whether a follow-up only names parts of a chart: "now with rsi", "daily". */
const isChartEdit = (reading: Reading): boolean =>
  reading.follows && (reading.frames.length > 0 || withParts.test(reading.words)) && !asksItself.test(reading.words) &&
  unreadWords(reading, [chart]).length === 0

/**
 * Returns the intents of the last question, where a follow-up question inherits what is missing from earlier questions.
 */
export const intentsOf = (
  readings: readonly [...ReadonlyArray<Reading>, Reading]
): ReadonlyArray<Intent> => {
  let before: ReadonlyArray<Intent> = []
  for (const reading of readings) {
    if (reading.isReason) continue
    const isSide = before.includes(liquidations) && !reading.named && isShort(reading) && asksSide.test(reading.words)
    const found = isSide ? [liquidations] : detected(reading)
    // A follow-up without a calculation is no follow-up to one.
    const canGoOn = !before.includes(calculator) || calculationOf(reading) !== null
    const goesOn = before.length > 0 && canGoOn && (reading.follows || reading.named) &&
      (found.every(({ name, general }) => general === true && (name === "usStock" || name === "krStock")) ||
        (before.includes(chart) && (edits.test(reading.words) || isChartEdit(reading))))
    if (found.length > 0 && !goesOn) before = found
    else if (goesOn) before = carried(before, reading)
    else if (
      before.length > 0 && !reading.named && isShort(reading) && !asksBoth.test(reading.words) &&
      unreadWords(reading, before).length === 0
    ) {
      continue
    } else if (!canGoOn && reading.coins.length > 0) before = [price]
    else if ((reading.horizon === null && !reading.follows) || (before.length === 0 && reading.named)) {
      before = bySubject(reading.named || reading.strange.length > 0 ? reading : { ...reading, coins: [], stocks: [] })
    }
  }
  const last = readings.at(-1)
  if (last?.isReason === true && last.coins.length === 1 && before.every(({ name }) => moves.has(name))) {
    return [...before, cause]
  }
  return before.length > 0 ? before : [outside]
}

const isShort = ({ words }: Reading): boolean => words.split(" ").length <= 6

/** Intents whose answers are explained by what moved the price. */
const moves: ReadonlySet<string> = new Set(["price", "priceOn", "trend", "threshold"])

/**
 * Returns the earlier intents for the instruments of a follow-up; a stock of another market gets that market's quote.
 */
const carried = (before: ReadonlyArray<Intent>, reading: Reading): ReadonlyArray<Intent> => {
  const market = reading.stocks[0]?.market
  // "What about last week?" after the price of a day asks for the change over the span.
  if (before.includes(priceOn) && reading.moment === null && (reading.horizon?.minutes ?? 0) > 1_440) return [price]
  const wrong = before.some(({ name }) =>
    (name === "usStock" && market === "kr") || (name === "krStock" && market === "us")
  )
  const refused = before.every(({ over, plan }) => over === "all" && plan.length === 0)
  // An answer about the whole market does not answer for the instrument that a follow-up names.
  const isOfMarket = (reading.named || reading.strange.length > 0) &&
    !before.some((intent) => takesSubject(intent, reading))
  if (wrong || refused || isOfMarket) return bySubject(reading)
  if (market === undefined && reading.named && before.every(({ name }) => /^(us|kr)Stock$/.test(name))) {
    return bySubject(reading)
  }
  if (market !== undefined && before.every(({ name }) => name === "price" || name === "trend")) {
    return bySubject(reading)
  }
  return before
}

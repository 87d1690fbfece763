import type { Findings } from "../Findings.ts"
import { ask, type Desk, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import type { Format } from "../writing/format.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { priceOn } from "./priceOn.ts"
import { questions } from "./questions.ts"

export const asksPrice = rule(
  "(?<!(?:above|below|under|over|in) the )prices?|quote|trading at|(?:whats|what's|what is) [a-z]{3,8} at|how much is|how much are|worth|cost|rate of|market ?cap|mcap|capitali[sz]ation|volume|hi ?/ ?lo|high ?/ ?low|high and low|(?:day's|todays?|24h) (?:high|low|range)",
  "가격|시세|얼마|현재가|시가총액|시총|거래량|거래대금|고점|저점|고가|저가",
  "цен[аыуеой]|курс|сколько стоит|сколько сто[ия]т|ско[к](?:а)? (?:щас|сейчас|стоит)|почем|котировк|капитализац|капа(?![а-я])|объем торг|оборот|хай|лоу(?![а-я])|максимум и минимум"
)
const asksRange = rule(
  "hi ?/ ?lo|high ?/ ?low|high and low|(?:day's|todays?|24h) (?:high|low|range)",
  "고점|저점|고가|저가",
  "хай|лоу(?![а-я])|максимум и минимум"
)
const asksCap = rule("market ?cap|mcap|capitali[sz]ation", "시가총액|시총", "капитализац|капа(?![а-я])")
const asksVolume = rule("volume", "거래량|거래대금", "объем|оборот")
/** Matches questions about the high or the low of a span: "eth high last week". */
const asksExtreme = rule(
  "highs?|lows?|highest|lowest|peak|bottom",
  "고점|저점|고가|저가|최고가|최저가",
  "хай|лоу(?![а-я])|максимум|минимум"
)
/** Matches questions about the distance to the highest price. */
const asksPeak = rule(
  "aths?|all[- ]?time highs?|(?:its|the) peak",
  "ath|전고점|역대 ?최고[가점]?|사상 ?최고[가점]?|신고가",
  "ath|атх|историческ[а-я]+ максимум[а-я]*|пика(?![а-я])"
)
const past = rule(
  "ago|vs|since|changed?|moved?|gain(?:ed|s)?|lost|up over|returns?|over the|in the last|in the past|past (?:hour|day|week|month)|last (?:hour|day|week|month)|performance|performed",
  "\\d+\\s?(?:분|시간|일|주|개월|달)\\s?전|전(?:보다|에 비해|과 비교|에| 대비)|동안|사이|변동률|수익률|올랐|내렸|변했|움직였|대비",
  "назад|за (?:последн|сутк|час|день|недел|месяц|полчас|\\d)|измени|вырос|упал|прибав|потерял|сдвину"
)

const said = {
  verdict: text(
    "{name} trades at {price}, {change} over 24 hours.",
    "{name} 현재가는 {price}, 24시간 변동률은 {change}입니다.",
    "{name} торгуется по {price}, за 24 часа {change}."
  ),
  now: text("{name} trades at {price}.", "{name} 현재가는 {price}입니다.", "{name} торгуется по {price}."),
  moved: text(
    "{name} moved {change} since {time}: {earlier} then, {price} now.",
    "{name} 변동률은 {time} 이후 {change}입니다. 당시 {earlier}, 현재 {price}.",
    "{name} с {time}: {change}; тогда {earlier}, сейчас {price}."
  ),
  rangeOf: text(
    "{name}: 24-hour high {high}, low {low}; now {price}.",
    "{name} 24시간 고가 {high}, 저가 {low}, 현재가 {price}입니다.",
    "{name} за 24 часа: максимум {high}, минимум {low}; сейчас {price}."
  ),
  capOf: text(
    "{name}'s market capitalisation is {cap} at {price}.",
    "{name} 시가총액은 {cap}입니다(현재가 {price}).",
    "Капитализация {name}: {cap} при цене {price}."
  ),
  volumeOf: text(
    "{name}'s 24-hour volume is {volume}; it trades at {price}.",
    "{name} 24시간 거래대금은 {volume}, 현재가는 {price}입니다.",
    "Объем торгов {name} за 24 часа: {volume}; цена {price}."
  ),
  range: text(
    "Day's range: {low} to {high}.",
    "24시간 범위: 저가 {low}, 고가 {high}.",
    "Диапазон за 24 часа: от {low} до {high}."
  ),
  volume: text("24-hour volume: {volume}.", "24시간 거래대금: {volume}.", "Объем за 24 часа: {volume}."),
  cap: text("Market capitalisation: {cap}.", "시가총액: {cap}.", "Капитализация: {cap}."),
  extremes: text(
    "{name} over the last {days} days: high {high}, low {low}; now {price}.",
    "{name} 최근 {days}일 고가 {high}, 저가 {low}, 현재가 {price}입니다.",
    "{name} за последние {days} дн.: максимум {high}, минимум {low}; сейчас {price}."
  ),
  peak: text(
    "{name} is {distance} from its highest price in the {days} days that I read: {high}, now {price}. I have no older high.",
    "{name}은(는) 확인 가능한 {days}일의 최고가 {high}에서 {distance}, 현재가 {price}입니다. 그 이전의 고점은 알 수 없습니다.",
    "{name}: {distance} от максимума за {days} дн., которые я вижу: {high}, сейчас {price}. Более ранних максимумов у меня нет."
  ),
  today: text("Over 24 hours {change}.", "24시간 변동률 {change}.", "За 24 часа {change}."),
  score: text(
    "Composite score {score} on a scale from -100 to 100: {bias}.",
    "종합 점수 {score}(-100~100): {bias}.",
    "Сводный балл {score} по шкале от -100 до 100: уклон {bias}."
  ),
  change: text(
    "A break of {high} would say that buyers go on; a fall below {low} would undo the day.",
    "{high} 상향 돌파는 매수세 지속을, {low} 하향 이탈은 오늘 흐름의 무효를 뜻합니다.",
    "Пробой {high} покажет, что покупатели продолжают; уход ниже {low} отменит картину дня."
  ),
  why: text(
    "A price alone says little: its place within the day's range says who was in control, and the score sums up trend, momentum and positioning.",
    "가격만으로는 알 수 있는 것이 적습니다. 하루 범위 안에서의 위치는 누가 주도했는지를, 점수는 추세·모멘텀·포지셔닝을 요약해 줍니다.",
    "Сама по себе цена говорит мало: место в диапазоне дня показывает, кто сильнее, а балл сводит вместе тренд, импульс и позиции."
  )
}

/** The maximum age of raw prices in the store, in minutes. */
const longestMinutes = 43_200

/** The maximum number of daily candles in which a high is searched. */
const longestDays = 365

/** Matches questions about a coming move, which are no questions about a past one. */
const expected = rule("expected move", "예상 변동", "ожидаем[а-я]* (?:ход|движен)")

/** Matches questions about the market cap of all coins together. */
const ofAll = rule("total (?:market )?(?:cap|mcap)", "전체\\s?시총|전체\\s?시가총액", "общ[а-я]+ капитализац")

const asksNow = ({ coins, horizon, named, stocks, words }: Reading): boolean =>
  (asksPrice.test(words) || (coins.length > 0 && extremeDays({ horizon, words }) !== null) ||
    (named && coins.length > 0 && horizon !== null && past.test(words))) &&
  (stocks.length === 0 || coins.length > 0)

/** Returns the number of days of which a question asks for the high or the low, or null. */
const extremeDays = ({ horizon, words }: Pick<Reading, "horizon" | "words">): number | null =>
  asksPeak.test(words)
    ? longestDays
    : horizon === null || horizon.minutes < 2 * 1_440 || horizon.minutes > longestDays * 1_440 ||
        !asksExtreme.test(words)
    ? null
    : Math.round(horizon.minutes / 1_440)

const extremesOf = (reading: Reading, found: Findings, { format, say }: Desk): string | null => {
  const name = coinOf(reading)
  const days = extremeDays(reading)
  const candles = found.of("get_price_history", { coin: name }).list("candles")
  if (days === null || candles.length === 0) return null
  const high = Math.max(...candles.flatMap((row) => row.num("high") ?? []))
  const price = found.of("get_price", { coin: name }).num("price")
  return say(asksPeak.test(reading.words) ? said.peak : said.extremes, {
    name,
    days: format.count(asksPeak.test(reading.words) ? candles.length : days),
    high: format.usd(high),
    low: format.usd(Math.min(...candles.flatMap((row) => row.num("low") ?? []))),
    price: format.usd(price),
    distance: format.change(price === null ? null : 100 * (price / high - 1))
  })
}

const mostCoins = 4

const coinsIn = (reading: Reading): readonly [string, ...ReadonlyArray<string>] => {
  const [first = coinOf(reading), ...others] = reading.coins.slice(0, mostCoins)
  return [first, ...others]
}

const factsOf = (name: string, found: Findings, format: Format) => {
  const data = found.of("get_price", { coin: name })
  const then = found.of("get_price_at", { coin: name })
  const day = format.change(data.num("change_24h_pct"))
  return {
    name,
    price: format.usd(data.num("price")),
    low: format.usd(data.num("low_24h")),
    high: format.usd(data.num("high_24h")),
    volume: format.bigUsd(data.num("volume_24h_usd")),
    cap: format.bigUsd(data.num("market_cap_usd")),
    time: format.time(then.str("time")),
    earlier: format.usd(then.num("price")),
    change: then.raw === null ? day : format.change(then.num("change_pct")),
    day
  }
}

/** Returns the requested range, market cap or volume of a coin, or null if the question asks for the price. */
const particular = (words: string, known: ReturnType<typeof factsOf>, { say }: Desk): string | null =>
  asksRange.test(words)
    ? say(said.rangeOf, known)
    : asksCap.test(words)
    ? say(said.capOf, known)
    : asksVolume.test(words)
    ? say(said.volumeOf, known)
    : null

export const price: Intent = {
  name: "price",
  reads: [
    asksPrice,
    asksExtreme,
    asksRange,
    asksCap,
    asksVolume,
    asksPeak,
    past,
    rule("far|below|distance|off", "얼마나|멀", "далеко|ниже")
  ],
  spans: ({ horizon, words }) =>
    horizon !== null &&
    (asksExtreme.test(words) || horizon.minutes === 1_440 || (past.test(words) && horizon.minutes <= longestMinutes)),
  general: true,
  asked: (reading) =>
    asksNow(reading) && !expected.test(reading.words) && !ofAll.test(reading.words) && !priceOn.asked(reading),
  plan: (reading) => {
    const [coin, ...others] = coinsIn(reading)
    const { horizon, words } = reading
    return [
      ask("get_price", { coin }),
      ...others.map((other) => ask("get_price", { coin: other })),
      ...(others.length === 0 ? [ask("get_score", { coin })] : []),
      ...(extremeDays(reading) !== null
        ? [ask("get_price_history", { coin, tf: "1d", bars: Math.max(3, extremeDays(reading) ?? 0) })]
        : horizon !== null && past.test(words)
        ? [ask("get_price_at", { coin, minutes_ago: Math.min(longestMinutes, horizon.minutes) })]
        : [])
    ]
  },
  write: (reading, found, desk) => {
    const { format, lang, say } = desk
    const name = coinOf(reading)
    const data = found.of("get_price", { coin: name })
    const score = found.of("get_score", { coin: name })
    const known = factsOf(name, found, format)
    const { high, low } = known
    const moved = say(said.moved, known)
    const verdicts = (coin: string) => {
      const values = factsOf(coin, found, format)
      return say(said.verdict, values) ?? say(said.now, values)
    }
    return {
      verdict: extremesOf(reading, found, desk) ?? particular(reading.words, known, desk) ?? moved ?? verdicts(name),
      evidence: [
        ...coinsIn(reading).slice(1).map(verdicts),
        moved === null ? null : say(said.today, { change: known.day }),
        asksRange.test(reading.words) ? null : say(said.range, { low, high }),
        asksVolume.test(reading.words) ? null : say(said.volume, { volume: format.bigUsd(data.num("volume_24h_usd")) }),
        asksCap.test(reading.words) ? null : say(said.cap, { cap: format.bigUsd(data.num("market_cap_usd")) }),
        say(said.score, { score: format.fixed(score.num("score"), 1), bias: wordOf(lang, score.str("bias")) })
      ],
      change: say(said.change, { low, high }),
      why: say(said.why, {})
    }
  },
  next: [
    questions.levels,
    questions.funding,
    questions.outlook
  ]
}

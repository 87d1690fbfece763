import type { Findings } from "../Findings.ts"
import { ask, type Intent, type Planned } from "../intent.ts"
import { unreadWords } from "../reading/coverage.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { questions } from "./questions.ts"

const asksWhether = rule(
  "^(?:so |and |but |ok )?(?:is|was|has|did|does|do|are|have)|(?:over|under|above|below) \\$?[\\d.,]+k?%?(?: (?:today|now|yet|rn|already))? ?\\?",
  "[가-힣]*(?:했|넘었|깼|갔|됐|졌|랐|렸|뚫었)(?:어|나|나요|어요|음|니|습니까)|이상이?야|이하야|위야|아래야|넘어\\?",
  "(?:[а-я]+ )?ли(?![а-я])|[а-я][^?]*\\?$"
)
const above = rule(
  "above|over|higher than|more than|broke|break|broken|reach(?:ed)?|hit|cross(?:ed)?|past|>",
  "이상|넘|위|뚫|돌파|over",
  "выше|больше|пробил|достиг|превы|перевалил|>"
)
const below = rule(
  "below|under|lower than|less than|lost|<",
  "이하|아래|밑|미만|깨|under",
  "ниже|меньше|потерял|<"
)
const rose = rule(
  "rise|rose|risen|up|pump(?:ed|ing)?|gain(?:ed)?|green|rall(?:y|ied)|climb(?:ed)?|rising",
  "올랐|오르|상승|급등",
  "вырос|раст[её]т|подорожал|поднял"
)
const fell = rule(
  "drop(?:ped|ping)?|fall(?:en|ing)?|fell|down|dump(?:ed|ing)?|lose|lost|red|crash(?:ed|ing)?|sink|sank",
  "떨어|내렸|하락|급락|빠졌",
  "упал|пада|снизил|подешевел|просел"
)
const others = rule(
  "why|will|would|should|when|how (?:far|many)|if|alert|odds|probability|chances?|worth|good|trend|uptrend|downtrend|market|doubl\\w*|times",
  "왜|까\\??$|확률|알려|면|전망|추세|시장|장세",
  "почему|будет|стоит|когда|если|шанс|вероятност|сообщи|дойд[её]т|тренд|рынок"
)

const said = {
  yes: text("Yes: {fact}", "네. {fact}", "Да: {fact}"),
  no: text("No: {fact}", "아니요. {fact}", "Нет: {fact}"),
  figure: text(
    "{metric} of {name} is {value}, against {level}.",
    "{name} {metric}은(는) {value}, 기준은 {level}입니다.",
    "{metric} {name}: {value}, порог {level}."
  ),
  touched: text(
    "in the last 24 hours {name} traded between {low} and {high}; now {price}.",
    "최근 24시간 {name} 범위는 {low} ~ {high}, 현재가 {price}입니다.",
    "за последние 24 часа {name} торговался от {low} до {high}; сейчас {price}."
  ),
  moved: text(
    "{name} is {change} over 24 hours, at {price}.",
    "{name} 24시간 변동률은 {change}, 현재가 {price}입니다.",
    "{name} за 24 часа {change}, цена {price}."
  ),
  since: text(
    "{name} is {change} since {time}, at {price}.",
    "{name}은(는) {time} 이후 {change}, 현재가 {price}입니다.",
    "{name} с {time}: {change}, цена {price}."
  ),
  range: text(
    "24-hour range {low} to {high}.",
    "24시간 범위 {low} ~ {high}.",
    "Диапазон за 24 часа: от {low} до {high}."
  ),
  price: text("the price", "가격", "цена"),
  rsi: text("the RSI(14) on {tf}", "RSI(14)({tf}봉)", "RSI(14) на {tf}"),
  funding: text("the funding rate per interval", "펀딩비", "ставка фандинга"),
  yearly: text("the annualised funding", "연환산 펀딩비", "фандинг в годовых")
}

type Kind = "price" | "rsi" | "funding" | "yearly" | "move"

const figures: ReadonlyArray<readonly [Kind, RegExp]> = [
  ["rsi", rule("rsi", "rsi", "rsi")],
  ["yearly", rule("funding.*(?:annual\\w*|apr|a year|yearly)", "펀딩.*(?:연|환산)", "фандинг.*годов")],
  ["funding", rule("funding", "펀딩|펀비", "фандинг")],
  [
    "price",
    /^(?!.*(?:volum|volat|interest|oi|score|support|level|ema|ma|average|dominance|premium|option|iv|공포|점수|변동성|프리미엄|балл|объем|волатильн|скользящ|преми)(?![a-z]))/u
  ]
]

/** Returns the figure, the threshold and the direction that a question asks about, or null. */
const wantedOf = (reading: Reading) => {
  const { coins, numbers, stocks, topic, words } = reading
  if (coins.length !== 1 || stocks.length > 0 || !asksWhether.test(words) || others.test(words)) return null
  const level = numbers.find(({ kind }) => kind === "plain" || kind === "percent")?.value ?? null
  const kind = figures.find(([, pattern]) => pattern.test(words))?.[0]
  if (kind === undefined) return null
  if (level === null) {
    // "Is it rising?" after a question about another figure.
    if (!reading.named && topic !== null && topic.name !== "change") return null
    const isRise = rose.test(words)
    return kind === "price" && isRise !== fell.test(words) ? { kind: "move" as const, level: 0, isAbove: isRise } : null
  }
  const isAbove = above.test(words)
  return isAbove !== below.test(words) ? { kind, level, isAbove } : null
}

const frameOf = ({ frame }: Reading): string => frame ?? "4h"

const planOf = (reading: Reading): ReadonlyArray<Planned> => {
  const coin = coinOf(reading)
  const minutes = reading.horizon?.minutes ?? 0
  switch (wantedOf(reading)?.kind) {
    case "rsi":
      return [ask("get_indicators", { coin, tf: frameOf(reading) })]
    case "funding":
    case "yearly":
      return [ask("get_derivatives", { coin })]
    case "move":
      return [
        ask("get_price", { coin }),
        ...(minutes > 1_440 || (minutes > 0 && minutes < 1_440)
          ? [ask("get_price_at", { coin, minutes_ago: Math.min(43_200, minutes) })]
          : [])
      ]
    default:
      return [ask("get_price", { coin })]
  }
}

const valueOf = (kind: Kind, coin: string, found: Findings): number | null => {
  switch (kind) {
    case "rsi":
      return found.of("get_indicators", { coin }).num("rsi")
    case "funding":
      return found.of("get_derivatives", { coin }).num("funding_rate_pct")
    case "yearly":
      return found.of("get_derivatives", { coin }).num("funding_annualised_pct")
    case "move":
      return found.of("get_price_at", { coin }).num("change_pct") ??
        found.of("get_price", { coin }).num("change_24h_pct")
    case "price":
      return found.of("get_price", { coin }).num("price")
  }
}

/** Questions whether a figure of a coin is above or below a number, or whether its price rose or fell. */
export const threshold: Intent = {
  name: "threshold",
  reads: [
    asksWhether,
    above,
    below,
    rose,
    fell,
    ...figures.slice(0, 3).map(([, words]) => words),
    rule("prices?|today|annuali[sz]ed|a year", "가격|오늘", "цен|сегодня|годов")
  ],
  spans: true,
  numbers: true,
  asked: (reading) => wantedOf(reading) !== null && unreadWords(reading, [threshold]).length === 0,
  over: "all",
  plan: planOf,
  write: (reading, found, { format, say }) => {
    const wanted = wantedOf(reading)
    const name = coinOf(reading)
    if (wanted === null) return { verdict: null, evidence: [] }
    const value = valueOf(wanted.kind, name, found)
    const data = found.of("get_price", { coin: name })
    const then = found.of("get_price_at", { coin: name })
    const range = { name, low: format.usd(data.num("low_24h")), high: format.usd(data.num("high_24h")) }
    const price = format.usd(data.num("price"))
    // "Did ETH break 3500 today" asks for the extreme of the day, and not for the present price.
    const isTouch = wanted.kind === "price" && /^(?:did|has)|was|었|갔|пробил|достиг|был/u.test(reading.words)
    const extreme = isTouch ? data.num(wanted.isAbove ? "high_24h" : "low_24h") : null
    const compared = extreme ?? value
    if (compared === null) return { verdict: null, evidence: [] }
    const isTrue = wanted.isAbove ? compared > wanted.level : compared < wanted.level
    const write = wanted.kind === "price" ? format.usd : wanted.kind === "rsi" ? format.number : format.rate
    const fact = wanted.kind === "move"
      ? say(said.since, { name, change: format.change(value), time: format.time(then.str("time")), price }) ??
        say(said.moved, { name, change: format.change(value), price })
      : extreme !== null
      ? say(said.touched, { ...range, price })
      : say(said.figure, {
        metric: wanted.kind === "rsi"
          ? say(said.rsi, { tf: format.frame(frameOf(reading)) })
          : say(said[wanted.kind], {}),
        name,
        value: write(value),
        level: write(wanted.level)
      })
    return {
      verdict: say(isTrue ? said.yes : said.no, { fact }),
      evidence: [extreme !== null ? null : say(said.range, range)]
    }
  },
  next: [
    questions.outlook,
    questions.probability
  ]
}

import type { Findings } from "../Findings.ts"
import { ask, type Intent } from "../intent.ts"
import { dayMsOf } from "../reading/moment.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { asksWhy } from "./news.ts"

const asks = rule(
  "highs?|lows?|range|prices?|quote|where was|how much was|was|were|traded?|trading|closed?|opened?|cost|worth",
  "고점|저점|고가|저가|가격|시세|얼마|종가|시가(?!총)",
  "хай|лоу(?![а-я])|максимум|минимум|цен[аыуеой]|курс|сколько сто[ия]|почем|котировк|торговал|был[аио]?(?![а-я])|закры"
)
/** Matches questions about what a coin did on a past day. */
const asksCourse = rule(
  "what (?:did|was|happened)|how (?:did|was)|do|did",
  "어땠|뭐 ?했|어떻게",
  "что (?:делал|было|с)|как (?:вел|прош|был|закры|себя)"
)
/** Matches questions about a change, which another intent answers. */
const changes = rule(
  "since|moved?|how much did|changed?",
  "대비|동안|올랐|내렸|변했|움직였",
  "с (?:вчера|тех пор)|измени|вырос|упал|сдвину"
)
/** Matches dates of option expiries and futures, which ask for no past price. */
const others = rule(
  "expir\\w*|options?|futures?|max pain|by|next|will|going to|forecast|predict\\w*|odds|probability|chances?",
  "만기|옵션|선물|다음|까지|전망|예측|확률|갈까|될까|오를까",
  "экспирац|опцион|фьючерс|будет|прогноз|следующ|вероятност|шанс|(?<![а-я])к (?:пятниц|понедельник|сред|четверг|вторник|суббот)"
)

const said = {
  verdict: text(
    "{name} was at {earlier} at {time}; since then {change}.",
    "{time} {name} 가격은 {earlier}였고, 그 뒤 변동률은 {change}입니다.",
    "{name} на {time}: {earlier}; с тех пор {change}."
  ),
  tooFar: text(
    "I look prices of {name} up within the last 30 days only, and that day is not among them: I have no number for it.",
    "{name} 가격은 최근 30일까지만 조회할 수 있는데 그날은 그 안에 없어, 알려 드릴 수치가 없습니다.",
    "Цены {name} я смотрю только за последние 30 дней, а того дня среди них нет: числа для него у меня нет."
  ),
  now: text("Now {price}.", "현재가는 {price}입니다.", "Сейчас {price}."),
  candle: text(
    "{name} on {date} (UTC): close {close}, open {open}, range {low} to {high}.",
    "{name} {date}(UTC): 종가 {close}, 시가 {open}, 범위 {low} ~ {high}.",
    "{name} за {date} (UTC): закрытие {close}, открытие {open}, диапазон от {low} до {high}."
  ),
  ahead: text(
    "That time is still ahead: I have no number for it.",
    "아직 오지 않은 시각이라 가격이 없습니다.",
    "Это время ещё не наступило, цены нет."
  ),
  why: text(
    "A day is taken from its beginning in UTC: the price of one instant, not of the day's range.",
    "그날의 UTC 시작 시각을 기준으로 합니다. 하루 범위가 아니라 한 시점의 가격입니다.",
    "День берется с его начала по UTC: это цена одного момента, а не диапазон дня."
  )
}

/** The maximum age of raw prices in the store, in minutes. */
const longestMinutes = 43_200

/** Returns how many minutes ago the requested time was, or null if the current time is unknown. */
const minutesAgo = ({ momentSpokenOf }: Reading, found: Findings, coin: string): number | null => {
  const nowMs = Date.parse(found.of("get_price", { coin }).str("as_of") ?? "")
  if (momentSpokenOf === null || Number.isNaN(nowMs)) return null
  return Math.floor((nowMs - dayMsOf(momentSpokenOf, nowMs)) / 60_000) - (momentSpokenOf.minute ?? 0)
}

const isRecent = (minutes: number | null): minutes is number =>
  minutes !== null && minutes >= 0 && minutes <= longestMinutes

/** Returns whether a question names a day without a time, whose candle answers it: "yesterday". */
const isWholeDay = ({ momentSpokenOf }: Reading): boolean =>
  momentSpokenOf !== null && momentSpokenOf.day === null && momentSpokenOf.minute === null

/** The price of a coin on a calendar day, or at a time of that day. */
export const priceOn: Intent = {
  name: "priceOn",
  reads: [asks, asksCourse, changes],
  spans: true,
  numbers: true,
  asked: ({ coins, moment, stocks, words }) =>
    moment !== null && coins.length > 0 && stocks.length === 0 && !others.test(words) &&
    ((asks.test(words) && !changes.test(words)) ||
      (asksCourse.test(words) && moment.back !== 0 && moment.day === null && !asksWhy.test(words))),
  over: ["price", "trend"],
  plan: (reading, found) => {
    const coin = coinOf(reading)
    const minutes = minutesAgo(reading, found, coin)
    return [
      ask("get_price", { coin }),
      ...(isRecent(minutes)
        ? [
          isWholeDay(reading)
            ? ask("get_price_history", { coin, tf: "1d", bars: Math.ceil(minutes / 1_440) + 1 })
            : ask("get_price_at", { coin, minutes_ago: minutes })
        ]
        : [])
    ]
  },
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const now = found.of("get_price", { coin: name })
    const then = found.of("get_price_at", { coin: name })
    const minutes = minutesAgo(reading, found, name)
    const nowMs = Date.parse(now.str("as_of") ?? "")
    const date = minutes === null ? null : new Date(nowMs - minutes * 60_000).toISOString().slice(0, 10)
    const candle = found.of("get_price_history", { coin: name }).list("candles")
      .find((row) => row.str("time")?.slice(0, 10) === date)
    const earlier = isWholeDay(reading)
      ? say(said.candle, {
        name,
        date,
        close: format.usd(candle?.num("close") ?? null),
        open: format.usd(candle?.num("open") ?? null),
        low: format.usd(candle?.num("low") ?? null),
        high: format.usd(candle?.num("high") ?? null)
      })
      : say(said.verdict, {
        name,
        time: format.time(then.str("time")),
        earlier: format.usd(then.num("price")),
        change: format.change(then.num("change_pct"))
      })
    return {
      verdict: minutes === null || isRecent(minutes)
        ? earlier
        : say(minutes < 0 ? said.ahead : said.tooFar, { name }),
      evidence: [say(said.now, { price: format.usd(now.num("price")) })],
      why: say(said.why, {})
    }
  },
  next: [
    text(
      "How did {name} move over the last week?",
      "{name} 지난주 변동률은 어떤가요?",
      "Как изменился {name} за неделю?"
    ),
    text("Draw a daily chart of {name}", "{name} 일봉 차트를 그려 주세요", "Построй дневной график {name}")
  ]
}

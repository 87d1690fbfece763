import type { Findings } from "../Findings.ts"
import { ask, type Intent } from "../intent.ts"
import { beginningOf } from "../reading/day.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"

const asks = rule(
  "prices?|quote|where was|how much was|was|were|traded?|trading|closed?|opened?|cost|worth",
  "가격|시세|얼마|종가|시가(?!총)",
  "цен[аыуеой]|курс|сколько сто[ия]|почем|котировк|торговал|был[аио]?(?![а-я])|закры"
)
/** Matches dates of option expiries and futures, which ask for no past price. */
const others = rule("expir\\w*|options?|futures?", "만기|옵션|선물", "экспирац|опцион|фьючерс")

const said = {
  looks: text(
    "{name}: the price now, and from its time how far back that day is.",
    "{name}: 현재가를 보고, 그 시각에서 그날이 얼마나 전인지 계산합니다.",
    "{name}: смотрю цену сейчас и отсчитываю от ее времени тот день."
  ),
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
  why: text(
    "A day is taken from its beginning in UTC: the price of one instant, not of the day's range.",
    "그날의 UTC 시작 시각을 기준으로 합니다. 하루 범위가 아니라 한 시점의 가격입니다.",
    "День берется с его начала по UTC: это цена одного момента, а не диапазон дня."
  )
}

/** The maximum age of raw prices in the store, in minutes. */
const longestMinutes = 43_200

/**
 * Returns how many minutes ago the requested day began, or null if the current time or the day's prices are
 * unavailable.
 */
const minutesAgo = ({ daySpokenOf }: Reading, found: Findings, coin: string): number | null => {
  const nowMs = Date.parse(found.of("get_price", { coin }).str("as_of") ?? "")
  if (daySpokenOf === null || Number.isNaN(nowMs)) return null
  const minutes = Math.floor((nowMs - beginningOf(daySpokenOf, nowMs)) / 60_000)
  return minutes < 0 || minutes > longestMinutes ? null : minutes
}

/** The price of a coin on a calendar day. */
export const priceOn: Intent = {
  name: "priceOn",
  asked: ({ coins, day, stocks, words }) =>
    day !== null && coins.length > 0 && stocks.length === 0 && asks.test(words) && !others.test(words),
  over: ["price", "trend"],
  looks: said.looks,
  plan: (reading, found) => {
    const coin = coinOf(reading)
    const minutes = minutesAgo(reading, found, coin)
    return [
      ask("get_price", { coin }),
      ...(minutes === null ? [] : [ask("get_price_at", { coin, minutes_ago: minutes })])
    ]
  },
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const now = found.of("get_price", { coin: name })
    const then = found.of("get_price_at", { coin: name })
    const far = now.str("as_of") !== null && minutesAgo(reading, found, name) === null
    return {
      verdict: far ? say(said.tooFar, { name }) : say(said.verdict, {
        name,
        time: format.time(then.str("time")),
        earlier: format.usd(then.num("price")),
        change: format.change(then.num("change_pct"))
      }),
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

import { ask, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { priceOn } from "./priceOn.ts"

const asks = rule(
  "prices?|quote|trading at|how much is|how much are|worth|cost|rate of|market cap|capitali[sz]ation|volume",
  "가격|시세|얼마|현재가|시가총액|시총|거래량",
  "цен[аыуеой]|курс|сколько стоит|сколько сто[ия]т|почем|котировк|капитализац|объем торг"
)
const past = rule(
  "ago|since|changed?|moved?|gain(?:ed|s)?|lost|up over|returns?|over the|in the last|in the past|past (?:hour|day|week|month)|last (?:hour|day|week|month)|performance|performed",
  "전(?:보다|에 비해|과 비교|에| 대비)|동안|사이|변동률|수익률|올랐|내렸|변했|움직였|대비",
  "назад|за (?:последн|сутк|час|день|недел|месяц|\\d)|измени|вырос|упал|прибав|потерял"
)

const said = {
  looks: text(
    "{name}: the price with its day's range, and the score as a measure of where it leans.",
    "{name}: 현재가와 하루 변동 폭을 보고, 방향을 가늠하려고 종합 점수를 함께 봅니다.",
    "{name}: смотрю цену и диапазон за сутки, а чтобы понять уклон рынка, и сводный балл."
  ),
  verdict: text(
    "{name} trades at {price}, {change} over 24 hours.",
    "{name} 현재가는 {price}, 24시간 변동률은 {change}입니다.",
    "{name} торгуется по {price}, за 24 часа {change}."
  ),
  now: text("{name} trades at {price}.", "{name} 현재가는 {price}입니다.", "{name} торгуется по {price}."),
  range: text(
    "Day's range: {low} to {high}.",
    "24시간 범위: 저가 {low}, 고가 {high}.",
    "Диапазон за 24 часа: от {low} до {high}."
  ),
  volume: text("24-hour volume: {volume}.", "24시간 거래대금: {volume}.", "Объем за 24 часа: {volume}."),
  cap: text("Market capitalisation: {cap}.", "시가총액: {cap}.", "Капитализация: {cap}."),
  earlier: text(
    "At {time} it was {earlier}; since then {change}.",
    "{time} 가격 {earlier}, 그 뒤 변동률 {change}.",
    "На {time} цена была {earlier}; с тех пор {change}."
  ),
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

/** How far back the store of raw prices is asked. */
const longestMinutes = 43_200

const asksNow = ({ coins, horizon, named, stocks, words }: Reading): boolean =>
  (asks.test(words) || (named && coins.length > 0 && horizon !== null && past.test(words))) &&
  (stocks.length === 0 || coins.length > 0)

export const price: Intent = {
  name: "price",
  general: true,
  asked: (reading) => asksNow(reading) && !priceOn.asked(reading),
  looks: said.looks,
  plan: (reading) => {
    const coin = coinOf(reading)
    const { horizon, words } = reading
    return [
      ask("get_price", { coin }),
      ask("get_score", { coin }),
      ...(horizon !== null && past.test(words)
        ? [ask("get_price_at", { coin, minutes_ago: Math.min(longestMinutes, horizon.minutes) })]
        : [])
    ]
  },
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_price", { coin: name })
    const score = found.of("get_score", { coin: name })
    const then = found.of("get_price_at", { coin: name })
    const low = format.usd(data.num("low_24h"))
    const high = format.usd(data.num("high_24h"))
    const price = format.usd(data.num("price"))
    return {
      verdict: say(said.verdict, { name, price, change: format.change(data.num("change_24h_pct")) }) ??
        say(said.now, { name, price }),
      evidence: [
        say(said.earlier, {
          time: format.time(then.str("time")),
          earlier: format.usd(then.num("price")),
          change: format.change(then.num("change_pct"))
        }),
        say(said.range, { low, high }),
        say(said.volume, { volume: format.bigUsd(data.num("volume_24h_usd")) }),
        say(said.cap, { cap: format.bigUsd(data.num("market_cap_usd")) }),
        say(said.score, { score: format.fixed(score.num("score"), 1), bias: wordOf(lang, score.str("bias")) })
      ],
      change: say(said.change, { low, high }),
      why: say(said.why, {})
    }
  },
  next: [
    text(
      "Where are {name}'s support and resistance?",
      "{name} 지지선과 저항선은 어디인가요?",
      "Где у {name} поддержка и сопротивление?"
    ),
    text("How is {name}'s funding?", "{name} 펀딩비는 어떤가요?", "Какой сейчас фандинг у {name}?"),
    text("What is the outlook for {name} today?", "오늘 {name} 전망은 어떤가요?", "Какой прогноз по {name} на сегодня?")
  ]
}

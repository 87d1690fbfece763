import { ask, type Desk, type Intent } from "../intent.ts"
import { numbersOf } from "../reading/numbers.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksProbability = rule(
  "expected move|probabilit(?:y|ies)|chances?|odds|likely|likelihood|will (?:it|[a-z]+) (?:go|be|rise|fall|hit|reach|drop|pump|crash|moon|double)|guarantee[sd]?|certain(?:ly)?|for sure|promise|definitely|going to (?:rise|fall|hit|moon|pump|dump)|binar(?:y|ies)|hold (?:above |over )?\\$?\\d[\\d.,]*k?|(?:reach|hit(?! ?rates?)|touch)(?:es)?",
  "예상 변동|확률|가능성|떡상각|오를까|내릴까|갈까|도달|보장|확실|장담|무조건|오르나|떨어질까|오른다고|약속|바이너리",
  "ожидаем[а-я]* (?:ход|движен)|вероятност|шанс|дойдет ли|достигнет|вырастет ли|упадет ли|будет ли|гаранти|точно(?!ст)|обеща|наверняка|пойдет ли|вырастет|упадет|дойдет|бинарн"
)

const certain = rule(
  "guarantee[sd]?|certain(?:ly)?|for sure|promise|definitely|sure thing|100%",
  "보장|확실|장담|무조건|약속|100%",
  "гаранти|точно(?!ст)|обеща|наверняка|100%"
)

const horizons = [10, 30, 60, 240, 1_440] as const

/** Returns the probability model's horizon, in minutes, that is nearest to the requested horizon. */
export const horizonFor = ({ horizonSpokenOf }: Reading): number => {
  const wanted = Math.log(horizonSpokenOf?.minutes ?? 1_440)
  return horizons.reduce(
    (best, minutes) => Math.abs(Math.log(minutes) - wanted) < Math.abs(Math.log(best) - wanted) ? minutes : best,
    horizons[0]
  )
}

const priceIn = (numbers: Reading["numbers"]): number | null =>
  numbers.findLast(({ kind, value }) => kind === "plain" && value > 0)?.value ?? null

/** Returns the price that a question names; a follow-up about the same coin uses the price of an earlier question. */
export const targetOf = ({ follows, named, numbers, thread }: Reading): number | null =>
  numbers.find(({ kind, value }) => kind === "plain" && value > 0)?.value ??
    (follows && !named ? priceIn(numbersOf(thread)) : null)

const next = [
  questions.score,
  questions.hitRate,
  questions.backtest
]

const said = {
  minutes: text("{n} minutes", "{n}분", "{n} мин."),
  hours: text("{n} h", "{n}시간", "{n} ч"),
  noPromise: text(
    "Nobody can promise a direction; I give odds.",
    "방향은 누구도 보장할 수 없어 확률로 말씀드립니다.",
    "Направление не может обещать никто; говорю вероятностями."
  ),
  tooFar: text(
    "My model looks no further than a day, so I have no odds for {asked}. Within a day: {verdict}",
    "제 모형은 최대 하루까지만 계산해 {asked} 뒤의 확률은 없습니다. 하루 기준: {verdict}",
    "Моя модель считает не дальше суток, вероятности на {asked} у меня нет. За сутки: {verdict}"
  ),
  nearest: text(
    "You asked for {asked}; the nearest horizon of the model is {horizon}.",
    "물으신 기간은 {asked}이며, 모형에서 가장 가까운 기간은 {horizon}입니다.",
    "Вы спросили про {asked}; ближайший горизонт модели {horizon}."
  ),
  touch: text(
    "{name} touches {target} within {horizon} with probability {touch}; {horizon} from now it stands above with {above} (now {price}).",
    "{name} {horizon} 안에 {target} 도달 확률은 {touch}, {horizon} 뒤 그 위에 있을 확률은 {above}입니다(현재가 {price}).",
    "{name} коснется {target} за {horizon} с вероятностью {touch}; через {horizon} будет выше с вероятностью {above} (сейчас {price})."
  ),
  upOnly: text(
    "Up at the end of {horizon}: {up}.",
    "{horizon} 뒤 현재가보다 높을 확률 {up}.",
    "Рост к концу срока ({horizon}): {up}."
  ),
  days: text("{n} days", "{n}일", "{n} дн."),
  up: text(
    "{name} over {horizon}: up with probability {up}, from {price}.",
    "{name} {horizon} 뒤 상승 확률은 {up}, 현재가 {price}입니다.",
    "{name} за {horizon}: вероятность роста {up}, от {price}."
  ),
  range: text(
    "Expected move ±{move}; 68% of outcomes between {low} and {high}.",
    "예상 변동폭 ±{move}, 68% 구간 {low} ~ {high}.",
    "Ожидаемое движение ±{move}; 68% исходов между {low} и {high}."
  ),
  sigma: text(
    "Volatility used: {sigma} a year (n = {n}).",
    "사용한 변동성: 연 {sigma}(n = {n}).",
    "Использованная волатильность: {sigma} годовых (n = {n})."
  ),
  score: text(
    "Score {score} ({bias}) is a lean, and no promise.",
    "점수 {score}({bias})는 기울기일 뿐 약속이 아닙니다.",
    "Балл {score} (уклон {bias}) это перевес, а не обещание."
  ),
  oddsChange: text(
    "A jump of volatility widens the range at once; longer horizons than a day are beyond this model.",
    "변동성이 튀면 구간이 바로 넓어지며, 하루를 넘는 기간은 이 모형의 범위 밖입니다.",
    "Скачок волатильности сразу расширит диапазон; горизонты длиннее суток за пределами модели."
  ),
  oddsWhy: text(
    "Without drift the odds of up are near one half: what the data does tell is how far price may go, not where.",
    "추세를 가정하지 않으므로 상승 확률은 절반 근처입니다. 데이터가 말하는 것은 방향이 아니라 폭입니다.",
    "Без дрейфа вероятность роста около половины: данные говорят, как далеко может уйти цена, а не куда."
  )
}

const longest = 1_440

const spanOf = (minutes: number | null, { format, say }: Desk): string | null =>
  minutes === null || minutes < 60
    ? say(said.minutes, { n: format.count(minutes) })
    : minutes <= longest
    ? say(said.hours, { n: format.plain(minutes / 60) })
    : say(said.days, { n: format.plain(minutes / 1_440) })

export const probability: Intent = {
  name: "probability",
  reads: [
    rule(
      "green|red|end|tags|break\\w*|above|below|up|down",
      "깨|넘|위|아래|오르|내리|말",
      "через|конц|выше|ниже|вырас|упад"
    ),
    asksProbability,
    certain
  ],
  // A day of the week is no span.
  spans: ({ horizon }) => horizon !== null,
  numbers: true,
  asked: ({ stocks, words }) => asksProbability.test(words) && stocks.length === 0,
  over: ["price", "trend", "overview", "score"],
  plan: (reading) => {
    const coin = coinOf(reading)
    const target = targetOf(reading)
    return [
      ask("get_probability", { coin, horizon_min: horizonFor(reading), ...(target === null ? {} : { target }) }),
      ask("get_score", { coin })
    ]
  },
  write: (reading, found, desk) => {
    const { format, lang, say } = desk
    const name = coinOf(reading)
    const data = found.of("get_probability", { coin: name })
    const score = found.of("get_score", { coin: name })
    const horizon = spanOf(data.num("horizon_min"), desk)
    const values = {
      name,
      horizon,
      price: format.usd(data.num("price")),
      up: format.odds(data.num("p_up")),
      target: format.usd(data.num("target")),
      above: format.odds(data.num("p_above")),
      touch: format.odds(data.num("p_touch"))
    }
    const touch = say(said.touch, values)
    const told = touch ?? say(said.up, values)
    const wanted = reading.horizonSpokenOf?.minutes ?? null
    const asked = wanted === null ? null : spanOf(wanted, desk)
    const verdict = told === null || wanted === null || wanted <= longest
      ? told
      : say(said.tooFar, { asked, verdict: told })
    const promise = certain.test(reading.words) ? say(said.noPromise, {}) : null
    return {
      verdict: verdict === null ? promise : promise === null ? verdict : `${promise} ${verdict}`,
      evidence: [
        wanted !== null && wanted < longest && wanted !== data.num("horizon_min")
          ? say(said.nearest, { asked, horizon })
          : null,
        touch === null ? null : say(said.upOnly, values),
        say(said.range, {
          move: format.percent(data.num("expected_move_pct")),
          low: format.usd(data.num("range_68.low")),
          high: format.usd(data.num("range_68.high"))
        }),
        say(said.sigma, {
          sigma: format.percent(data.num("sigma_annualised_pct")),
          n: format.count(data.num("sigma_window.n"))
        }),
        say(said.score, { score: format.fixed(score.num("score"), 1), bias: wordOf(lang, score.str("bias")) })
      ],
      change: say(said.oddsChange, {}),
      why: say(said.oddsWhy, {})
    }
  },
  next
}

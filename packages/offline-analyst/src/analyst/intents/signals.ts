import { ask, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksScore = rule("scores?|composite|factors?", "점수|스코어|팩터", "балл|скор|рейтинг монет|фактор")

const asksSignals = rule(
  "signals?|active (?:trades|signals)|open signals?|paper trades?",
  "시그널|신호|페이퍼",
  "сигнал"
)

const asksHitRate = rule(
  "hit ?rates?|reliab(?:le|ility)|win ?rates?|accura(?:te|cy)|track record|how good|how often|success rate|outcomes?|trust|(?:win|right(?! now)|correct|profitable)(?= |\\?|$)",
  "적중률|믿|승률|정확도|성적|성과|실적이",
  "точност|верить|доверя|надежн|процент (?:успеш|прибыльн|попадан)|винрейт|хитрейт|результативн|как часто|попада|сбыва|отрабатыва|насколько (?:точн|хорош)|статистик[а-я]* сигнал|доля (?:успеш|прибыльн)"
)

/** Matches questions about the change of a score. */
const asksCourse = rule(
  "improv\\w*|wors\\w*|history|chang\\w*|risen|fallen|rising|falling|over the (?:last|past)|trend(?:ing)? of",
  "좋아졌|나빠졌|변화|변했|추이|올랐|내렸|히스토리",
  "меня|измен|улучш|ухудш|истори|вырос|упал|динамик"
)

/** Returns the hours of score history to fetch, from 2 to 720. */
const hoursOf = ({ horizon }: Reading): number =>
  Math.min(720, Math.max(2, Math.round((horizon?.minutes ?? 1_440) / 60)))

const next = [
  questions.score,
  questions.hitRate,
  questions.backtest
]

const said = {
  scoreVerdict: text(
    "{name} scores {score} of ±100: {bias}.",
    "{name} 종합 점수는 {score}(±100), {bias}입니다.",
    "Балл {name}: {score} из ±100, уклон {bias}."
  ),
  factor: text("{name} {points}", "{name} {points}", "{name} {points}"),
  factors: text("Contributions: {factors}.", "기여도: {factors}.", "Вклад: {factors}."),
  scoreCourse: text(
    "{name}'s score went from {earlier} at {time} to {score} now: {bias}.",
    "{name} 종합 점수: {time} {earlier} → 현재 {score}, {bias}입니다.",
    "Балл {name}: было {earlier} на {time}, сейчас {score}, уклон {bias}."
  ),
  scoreThen: text("At {time} it was {earlier}.", "{time} 당시 {earlier}.", "На {time} был {earlier}."),
  scoreChange: text(
    "The score turning its sign, or a factor of large weight doing so, would change the view.",
    "점수나 비중 큰 요소의 부호가 바뀌면 판단이 달라집니다.",
    "Смена знака балла или весомого фактора изменит взгляд."
  ),
  signals: text(
    "Paper signals open now: {n}.",
    "현재 열린 페이퍼 시그널은 {n}개입니다.",
    "Открыто бумажных сигналов: {n}."
  ),
  noSignal: text(
    "No paper signal of {name} is open now.",
    "현재 {name} 시그널은 없습니다.",
    "По {name} открытых сигналов сейчас нет."
  ),
  signal: text(
    "{coin} {side}: entry {entry}, take {take}, stop {stop}, now {pct}.",
    "{coin} {side}: 진입 {entry}, 익절 {take}, 손절 {stop}, 현재 {pct}.",
    "{coin} {side}: вход {entry}, тейк {take}, стоп {stop}, сейчас {pct}."
  ),
  signalsChange: text(
    "These are rules on paper before fees: look at their hit rate before you follow one.",
    "수수료 전 규칙 기반 신호입니다. 따라가기 전에 적중률을 확인하세요.",
    "Это правила на бумаге до комиссий: прежде чем следовать, посмотрите точность."
  ),
  hit: text(
    "After {horizon} {rate} of the signals were right (n = {n}, 95% interval {low} to {high}).",
    "{horizon} 뒤 시그널 적중률은 {rate}입니다(n = {n}, 95% 구간 {low} ~ {high}).",
    "Через {horizon} верны {rate} сигналов (n = {n}, 95% интервал от {low} до {high})."
  ),
  hours: text("{n} h", "{n}시간", "{n} ч"),
  hitRow: text(
    "After {horizon}: {rate} (n = {n}), mean return {mean}.",
    "{horizon} 뒤: {rate}(n = {n}), 평균 수익률 {mean}.",
    "Через {horizon}: {rate} (n = {n}), средняя доходность {mean}."
  ),
  hitChange: text(
    "An interval that includes one half says that chance cannot be excluded; more signals narrow it.",
    "구간에 절반이 들어 있으면 우연을 배제할 수 없습니다. 표본이 늘면 좁아집니다.",
    "Если интервал включает половину, случайность не исключена; больше сигналов сузят его."
  )
}

export const score: Intent = {
  name: "score",
  reads: [asksScore, asksCourse],
  spans: true,
  asked: ({ coins, words }) => asksScore.test(words) && coins.length > 0,
  over: ["price", "trend"],
  plan: (reading) => {
    const coin = coinOf(reading)
    return [ask("get_score", { coin }), ask("get_score_history", { coin, hours: hoursOf(reading) })]
  },
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_score", { coin: name })
    const first = found.of("get_score_history", { coin: name }).list("points")[0]
    const factors = data.list("factors")
      .toSorted((a, b) => Math.abs(b.num("contribution") ?? 0) - Math.abs(a.num("contribution") ?? 0))
    const values = {
      name,
      score: format.fixed(data.num("score"), 1),
      bias: wordOf(lang, data.str("bias")),
      time: format.time(first?.str("time") ?? null),
      earlier: format.fixed(first?.num("score") ?? null, 1)
    }
    const course = asksCourse.test(reading.words) ? say(said.scoreCourse, values) : null
    return {
      verdict: course ?? say(said.scoreVerdict, values),
      evidence: [
        say(said.factors, {
          factors: format.list(
            factors.slice(0, 5).flatMap((factor) =>
              say(said.factor, {
                name: wordOf(lang, factor.str("name")),
                points: format.fixed(factor.num("contribution"), 1)
              }) ?? []
            )
          )
        }),
        course === null ? say(said.scoreThen, values) : null
      ],
      change: say(said.scoreChange, {})
    }
  },
  next: next.slice(1)
}

export const signals: Intent = {
  name: "signals",
  reads: [
    rule("longs?|shorts?|buy|sell|tp|sl|open|live", "롱|숏|매수|매도|익절|손절", "лонг|шорт|покупк|продаж|тейк|стоп"),
    asksSignals
  ],
  asked: ({ words }) => asksSignals.test(words) && !asksHitRate.test(words),
  over: ["price", "trend", "overview"],
  plan: () => [ask("get_active_signals")],
  write: ({ coins, named }, found, { format, lang, say }) => {
    const data = found.of("get_active_signals")
    const all = data.list("signals")
    const own = named ? all.filter((row) => coins.includes(row.str("coin") ?? "")) : all
    return {
      verdict: data.raw === null
        ? null
        : named && own.length === 0
        ? say(said.noSignal, { name: coins[0] ?? null })
        : say(said.signals, { n: format.count(own.length) }),
      evidence: (own.length === 0 ? all : own).slice(0, 5).map((row) =>
        say(said.signal, {
          coin: row.str("coin"),
          side: wordOf(lang, row.str("side")),
          entry: format.usd(row.num("entry")),
          take: format.usd(row.num("take")),
          stop: format.usd(row.num("stop")),
          pct: format.change(row.num("unrealised_pct"))
        })
      ),
      change: say(said.signalsChange, {})
    }
  },
  next
}

const hitHours = [1, 4, 24]

export const hitRate: Intent = {
  name: "hitRate",
  reads: [rule("horizon|share|right|win", "신호|시그널", "сигнал|горизонт"), asksHitRate, asksSignals],
  spans: true,
  asked: ({ words }) =>
    asksHitRate.test(words) && (asksSignals.test(words) || /hit ?rates?|적중률/u.test(words) || asksScore.test(words)),
  over: ["price", "trend", "overview", "score", "probability"],
  plan: ({ coins }) => [ask("get_hit_rate", coins[0] === undefined ? {} : { coin: coins[0] })],
  write: ({ horizon }, found, { format, say }) => {
    const data = found.of("get_hit_rate")
    const at = (hours: number, field: string) => data.num(`horizons.${hours}h.${field}`)
    const chosen = hitHours.find((hours) => hours * 60 === horizon?.minutes) ?? 24
    const span = (hours: number) => say(said.hours, { n: format.count(hours) })
    return {
      verdict: say(said.hit, {
        horizon: span(chosen),
        rate: format.share(at(chosen, "hit_rate")),
        n: format.count(at(chosen, "n")),
        low: format.share(at(chosen, "wilson_low")),
        high: format.share(at(chosen, "wilson_high"))
      }),
      evidence: hitHours.map((hours) =>
        say(said.hitRow, {
          horizon: span(hours),
          rate: format.share(at(hours, "hit_rate")),
          n: format.count(at(hours, "n")),
          mean: format.change(at(hours, "mean_return_pct"))
        })
      ),
      change: say(said.hitChange, {})
    }
  },
  next
}

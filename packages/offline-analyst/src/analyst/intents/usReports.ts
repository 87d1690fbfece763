import { ask, type Intent } from "../intent.ts"
import { stockOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { named, nameOf, next, symbolOf } from "./usCompany.ts"

const asksEarnings = rule(
  "earnings|eps|beat|miss(?:ed)?|last quarter|report(?:s|ed)? (?:results|on)|quarterly results|when (?:does|do|will|is) .*report\\w*",
  "실적|어닝|eps",
  "отчет|отчит|eps|прибыль на акцию|квартальн"
)

const asksFundamentals = rule(
  "fundamentals?|revenue|income|margins?|balance sheet|cash ?flow|debt|financials",
  "재무|매출|영업이익|순이익|현금흐름|부채|펀더멘털",
  "фундаментал|выручк|чист[а-я]+ прибыл|баланс|денежн[а-я]+ поток|долг|финансов[а-я]+ показател"
)

const said = {
  earnings: text(
    "{name} reports next on {date} ({when}), EPS expected {estimate}.",
    "{name} 다음 실적 발표는 {date}({when}), 예상 EPS {estimate}입니다.",
    "{name} отчитывается {date} ({when}), ожидаемая EPS {estimate}."
  ),
  nextDate: text(
    "{name} reports next on {date}.",
    "{name} 다음 실적 발표는 {date}입니다.",
    "{name} отчитывается {date}."
  ),
  last: text(
    "Last report {date}: EPS {eps} against {estimate}, surprise {surprise}, price {move} after.",
    "직전 발표 {date}: EPS {eps}(예상 {estimate}), 서프라이즈 {surprise}, 주가 반응 {move}.",
    "Прошлый отчет {date}: EPS {eps} против {estimate}, сюрприз {surprise}, реакция цены {move}."
  ),
  move: text(
    "Mean move after reports {mean}; options imply ±{implied} by {expiry}.",
    "발표 후 평균 변동 {mean}, 옵션이 반영한 {expiry}까지 예상 변동 ±{implied}.",
    "Средняя реакция на отчет {mean}; опционы закладывают ±{implied} к {expiry}."
  ),
  upcoming: text("Next US reports: {reports}.", "다가오는 미국 실적: {reports}.", "Ближайшие отчеты в США: {reports}."),
  report: text("{name} {date}", "{name} {date}", "{name} {date}"),
  earningsChange: text(
    "Guidance moves the price more than the past quarter: a surprise that does not lift it is a warning.",
    "지난 분기보다 가이던스가 주가를 더 움직입니다. 서프라이즈에도 오르지 않으면 경고 신호입니다.",
    "Прогноз компании двигает цену сильнее прошлого квартала: сюрприз без роста это предупреждение."
  ),
  fundamentals: text(
    "{name}: revenue {revenue} and net income {income} over twelve months, EPS {eps}.",
    "{name}: 최근 12개월 매출 {revenue}, 순이익 {income}, EPS {eps}.",
    "{name}: за двенадцать месяцев выручка {revenue}, чистая прибыль {income}, EPS {eps}."
  ),
  operating: text("Operating income {operating}.", "영업이익 {operating}.", "Операционная прибыль {operating}."),
  quarter: text(
    "Quarter {period}: revenue {revenue}, net income {income}.",
    "{period} 분기: 매출 {revenue}, 순이익 {income}.",
    "Квартал {period}: выручка {revenue}, чистая прибыль {income}."
  ),
  balance: text(
    "Cash {cash}, debt {debt}, equity {equity} ({period}).",
    "현금 {cash}, 부채(차입) {debt}, 자본 {equity}({period}).",
    "Деньги {cash}, долг {debt}, капитал {equity} ({period})."
  ),
  fundamentalsChange: text(
    "Two quarters of falling revenue, or debt that grows faster than it, would change the picture.",
    "매출이 두 분기 연속 줄거나 차입이 더 빨리 늘면 그림이 달라집니다.",
    "Два квартала падения выручки или долг, растущий быстрее нее, изменят картину."
  )
}

export const usEarnings: Intent = {
  name: "usEarnings",
  reads: [
    rule(
      "estimates?|beat|miss|implied|move|next|last|date|report\\w*",
      "예상|컨센서스|언제|발표",
      "ожида|прогноз|когда|ход|отчит"
    ),
    asksEarnings
  ],
  spans: "own",
  asked: (reading) =>
    asksEarnings.test(reading.words) && reading.coins.length === 0 && stockOf(reading, "kr") === undefined,
  over: ["price", "trend", "usStock", "usMarket", "overview"],
  plan: (reading) => [ask("get_us_earnings", named(reading) ? { symbol: symbolOf(reading) } : {})],
  write: (reading, found, { format, lang, say }) => {
    const data = found.of("get_us_earnings", named(reading) ? { symbol: symbolOf(reading) } : {})
    const last = data.list("history").at(-1)
    const name = nameOf(reading)
    const date = format.date(data.str("next.date"))
    return {
      verdict: named(reading)
        ? say(said.earnings, {
          name,
          date,
          when: wordOf(lang, data.str("next.when")),
          estimate: format.usd(data.num("next.eps_estimate"))
        }) ?? say(said.nextDate, { name, date })
        : say(said.upcoming, {
          reports: format.list(
            data.list("upcoming").slice(0, 6).flatMap((report) =>
              say(said.report, { name: report.str("name"), date: format.date(report.str("date")) }) ?? []
            )
          )
        }),
      evidence: [
        say(said.last, {
          date: format.date(last?.str("date") ?? null),
          eps: format.usd(last?.num("eps") ?? null),
          estimate: format.usd(last?.num("eps_estimate") ?? null),
          surprise: format.change(last?.num("surprise_pct") ?? null),
          move: format.change(last?.num("move_pct") ?? null)
        }),
        say(said.move, {
          mean: format.percent(data.num("mean_abs_move_pct")),
          implied: format.percent(data.num("implied_move_pct")),
          expiry: format.date(data.str("implied_expiry"))
        })
      ],
      change: say(said.earningsChange, {})
    }
  },
  next
}

export const usFundamentals: Intent = {
  name: "usFundamentals",
  reads: [
    rule("cash|debt|net|income|revenue|margin", "현금|부채|매출|이익", "долг|выручк|прибыл|кэш"),
    asksFundamentals
  ],
  spans: "own",
  asked: (reading) => named(reading) && asksFundamentals.test(reading.words),
  over: ["price", "trend", "usStock"],
  plan: (reading) => [ask("get_us_fundamentals", { symbol: symbolOf(reading) })],
  write: (reading, found, { format, say }) => {
    const data = found.of("get_us_fundamentals", { symbol: symbolOf(reading) })
    const quarter = data.list("income.quarters").at(-1)
    const balance = data.list("balance.quarters").at(-1)
    return {
      verdict: say(said.fundamentals, {
        name: nameOf(reading),
        revenue: format.bigUsd(data.num("income.ttm.revenue_usd")),
        income: format.bigUsd(data.num("income.ttm.net_income_usd")),
        eps: format.usd(data.num("income.ttm.eps_usd"))
      }),
      evidence: [
        say(said.operating, { operating: format.bigUsd(data.num("income.ttm.operating_income_usd")) }),
        say(said.quarter, {
          period: quarter?.str("period") ?? null,
          revenue: format.bigUsd(quarter?.num("revenue_usd") ?? null),
          income: format.bigUsd(quarter?.num("net_income_usd") ?? null)
        }),
        say(said.balance, {
          cash: format.bigUsd(balance?.num("cash_usd") ?? null),
          debt: format.bigUsd(balance?.num("total_debt_usd") ?? null),
          equity: format.bigUsd(balance?.num("equity_usd") ?? null),
          period: balance?.str("period") ?? null
        })
      ],
      change: say(said.fundamentalsChange, {})
    }
  },
  next
}

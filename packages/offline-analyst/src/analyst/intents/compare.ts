import { ask, type Intent } from "../intent.ts"
import { asksCompare, asksCorrelation } from "../reading/besideNames.ts"
import { type Reading, unnamed } from "../reading/reading.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const said = {
  verdict: text(
    "{best} looks stronger: score {score} against {otherScore} of {other}.",
    "{best} 쪽이 더 강합니다. 점수 {score}, {other}는 {otherScore}입니다.",
    "Сильнее выглядит {best}: балл {score} против {otherScore} у {other}."
  ),
  row: text(
    "{coin}: {price}, 1 day {day}, 7 days {week}, 30 days {month}.",
    "{coin}: {price}, 1일 {day}, 7일 {week}, 30일 {month}.",
    "{coin}: {price}, 1 день {day}, 7 дней {week}, 30 дней {month}."
  ),
  risk: text(
    "{coin}: volatility of 30 days {vol}, drawdown of 90 days {drawdown}, Sharpe {sharpe}, funding {funding}, score {score} ({bias}).",
    "{coin}: 30일 변동성 {vol}, 90일 최대 낙폭 {drawdown}, 샤프 {sharpe}, 펀딩비 {funding}, 점수 {score}({bias}).",
    "{coin}: волатильность за 30 дней {vol}, просадка за 90 дней {drawdown}, Шарп {sharpe}, фандинг {funding}, балл {score} ({bias})."
  ),
  correlation: text(
    "Mean correlation {mean} over {days} days (n = {n}).",
    "최근 {days}일 평균 상관계수 {mean}(n = {n}).",
    "Средняя корреляция {mean} за {days} дн. (n = {n})."
  ),
  beta: text("Beta to BTC of {coin}: {beta}.", "{coin}의 BTC 베타: {beta}.", "Бета {coin} к BTC: {beta}."),
  pair: text("{a} and {b}: {value}.", "{a}·{b}: {value}.", "{a} и {b}: {value}."),
  change: text(
    "If the stronger one's funding gets stretched or its score falls below the other's, the order turns.",
    "강한 쪽의 펀딩비가 과열되거나 점수가 역전되면 순서가 바뀝니다.",
    "Если у сильного перегреется фандинг или балл опустится ниже, порядок сменится."
  ),
  correlationChange: text(
    "Correlations rise together in sell-offs: a spread over several coins protects least when it is needed most.",
    "급락장에서는 상관이 함께 높아져, 분산이 가장 필요할 때 효과가 가장 작습니다.",
    "В распродажах корреляции растут: диверсификация слабее всего, когда нужна больше всего."
  ),
  why: text(
    "Returns tell what was; volatility and drawdown tell what it cost; funding tells how many are in it already.",
    "수익률은 결과, 변동성과 낙폭은 대가, 펀딩비는 이미 들어온 사람의 수를 말해 줍니다.",
    "Доходность говорит, что было, волатильность и просадка, чего это стоило, фандинг, сколько уже внутри."
  )
}

const next = [
  text("How correlated are they?", "둘의 상관관계는 어떤가요?", "Какая между ними корреляция?"),
  questions.funding,
  questions.outlookOfWeek
]

/** Returns the coins to compare: a single coin is compared with the largest other coin, unless a name is unknown. */
const coinsOf = ({ coins, strange }: Reading): ReadonlyArray<string> =>
  coins.length > 1
    ? coins.slice(0, 5)
    : strange.length > 0
    ? []
    : coins.length === 0
    ? [unnamed]
    : [...new Set(["BTC", ...coins, "ETH"])].slice(0, 2)

export const compare: Intent = {
  name: "compare",
  reads: [asksCompare],
  spans: true,
  asked: ({ coins, words }) => coins.length > 1 && asksCompare.test(words),
  over: ["price", "trend", "overview"],
  plan: (reading) => [ask("compare_coins", { coins: [...coinsOf(reading)] })],
  write: (_, found, { format, lang, say }) => {
    const rows = found.of("compare_coins").list("rows")
    const [best, other] = rows.toSorted((a, b) => (b.num("score") ?? -Infinity) - (a.num("score") ?? -Infinity))
    return {
      verdict: say(said.verdict, {
        best: best?.str("coin") ?? null,
        score: format.fixed(best?.num("score") ?? null, 1),
        other: other?.str("coin") ?? null,
        otherScore: format.fixed(other?.num("score") ?? null, 1)
      }),
      evidence: rows.flatMap((row) => [
        say(said.row, {
          coin: row.str("coin"),
          price: format.usd(row.num("price")),
          day: format.change(row.num("return_1d_pct")),
          week: format.change(row.num("return_7d_pct")),
          month: format.change(row.num("return_30d_pct"))
        }),
        say(said.risk, {
          coin: row.str("coin"),
          vol: format.percent(row.num("realised_30d_pct")),
          drawdown: format.percent(row.num("max_drawdown_90d_pct")),
          sharpe: format.fixed(row.num("sharpe_90d"), 2),
          funding: format.rate(row.num("funding_rate_pct")),
          score: format.fixed(row.num("score"), 1),
          bias: wordOf(lang, row.str("bias"))
        })
      ]),
      change: say(said.change, {}),
      why: say(said.why, {})
    }
  },
  next
}

export const correlation: Intent = {
  name: "correlation",
  reads: [asksCorrelation],
  spans: true,
  asked: ({ words }) => asksCorrelation.test(words),
  over: ["price", "trend", "compare", "overview"],
  plan: (reading) => {
    const coins = coinsOf(reading)
    if (coins.length === 0) return []
    const days = Math.min(365, Math.max(7, Math.round((reading.horizon?.minutes ?? 43_200) / 1_440)))
    return [ask("get_correlation", { coins: [...coins], days })]
  },
  write: (_, found, { format, say }) => {
    const data = found.of("get_correlation")
    const coins = data.strings("coins")
    const matrix = data.get("matrix")
    const first: unknown = Array.isArray(matrix) ? matrix[0] : null
    const value: unknown = Array.isArray(first) ? first[1] : null
    return {
      verdict: say(said.correlation, {
        mean: format.fixed(data.num("mean_correlation"), 2),
        days: format.count(data.num("days")),
        n: format.count(data.num("n"))
      }),
      evidence: [
        say(said.pair, {
          a: coins[0] ?? null,
          b: coins[1] ?? null,
          value: format.fixed(typeof value === "number" ? value : null, 2)
        }),
        ...data.list("beta_to_btc").filter((row) => row.str("coin") !== "BTC").map((row) =>
          say(said.beta, { coin: row.str("coin"), beta: format.fixed(row.num("beta"), 2) })
        )
      ],
      change: say(said.correlationChange, {}),
      why: say(said.why, {})
    }
  },
  next: next.slice(1)
}

import { ask, type Intent } from "../intent.ts"
import { asksCorrelation } from "../reading/besideNames.ts"
import { coinOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { questions } from "./questions.ts"

const others = rule(
  "nasdaq|s&p(?: 500)?|spx|ndx|dow(?: jones)?|stocks?|equities|gold|dxy|dollar index|vix|oil|bonds?|kospi",
  "나스닥|s&p|다우|증시|주식|주가|금(?:값|이랑|과|하고)|달러\\s?인덱스|vix|유가|국채|코스피",
  "насдак|nasdaq|s&p|сипи|доу|акци|фондов|золот|dxy|индекс доллар|vix|нефт|облигац|коспи"
)

const said = {
  verdict: text(
    "I cannot compute that: correlations are there between coins only, and no tool sets a coin beside an index, a share or gold.",
    "그 상관관계는 계산할 수 없습니다. 상관계수 도구는 코인끼리만 비교하며, 코인을 지수·주식·금과 비교하는 도구는 없습니다.",
    "Этого посчитать не могу: корреляция есть только между монетами, сравнить монету с индексом, акцией или золотом инструмента нет."
  ),
  today: text(
    "Today: {name} {coin} over 24 hours, {index} {change} against its previous close; one day says nothing of a correlation.",
    "오늘은 {name} 24시간 {coin}, {index} 전일 대비 {change}입니다. 하루로는 상관관계를 알 수 없습니다.",
    "Сегодня: {name} за 24 часа {coin}, {index} к прошлому закрытию {change}; по одному дню о корреляции не судят."
  )
}

/** The intent for a correlation of a coin with another asset class, which no tool provides. */
export const stockCorrelation: Intent = {
  name: "stockCorrelation",
  reads: [asksCorrelation, others],
  asked: ({ coins, stocks, words }) =>
    asksCorrelation.test(words) && coins.length < 2 && (others.test(words) || stocks.length > 0),
  over: "all",
  plan: (reading) => [ask("get_price", { coin: coinOf(reading) }), ask("get_us_market")],
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const indices = found.of("get_us_market").list("indices")
    const wanted = rule("nasdaq|ndx", "나스닥", "насдак|nasdaq").test(reading.words) ? /nasdaq/i : /s&p/i
    const index = indices.find((row) => wanted.test(row.str("name") ?? ""))
    return {
      verdict: say(said.verdict, {}),
      evidence: [
        say(said.today, {
          name,
          coin: format.change(found.of("get_price", { coin: name }).num("change_24h_pct")),
          index: index?.str("name") ?? null,
          change: format.change(index?.num("change_pct") ?? null)
        })
      ]
    }
  },
  next: [
    text(
      "How correlated are BTC and ETH?",
      "비트코인과 이더리움의 상관관계는 어떤가요?",
      "Какая корреляция у BTC и ETH?"
    ),
    questions.usMarket,
    questions.outlook
  ]
}

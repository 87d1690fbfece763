import { ask, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksStrategy = rule(
  "options? (?:strateg(?:y|ies)|structures?|trade|play)|(?:which|what) options?|(?:with|using|via|through) options|hedge|spread to (?:buy|sell)|straddle|condor|strangle|(?:call|put) spread",
  "옵션\\s?(?:전략|구조|매매)|어떤\\s?옵션|헤지|헷지|스트래들|(?:콜|풋)\\s?스프레드|콘도르|스트랭글",
  "опционн[а-я]+ (?:стратеги|конструкци)|какой опцион|какие опцион|хедж|(?:колл|пут)[ -]?спред|стрэддл|стреддл|кондор|стрэнгл"
)

export const noStock = ({ stocks }: Reading) => stocks.every(({ market }) => market !== "us")

export const strategyAsked = ({ words }: Reading) => asksStrategy.test(words)

export const next = [
  text(
    "Which option strategy fits {name} now?",
    "지금 {name}에 맞는 옵션 전략은 무엇인가요?",
    "Какая опционная стратегия подходит для {name} сейчас?"
  ),
  text("Where is {name}'s max pain?", "{name} 맥스페인은 어디인가요?", "Где max pain у {name}?"),
  questions.impliedVolatility,
  text(
    "How volatile was {name} lately?",
    "최근 {name} 실현 변동성은 어느 정도인가요?",
    "Какая реализованная волатильность у {name}?"
  )
]

const viewOf = ({ words }: Reading): string | null => {
  if (rule("bullish|upside|rise|up", "강세|상승|오를", "быч|рост|вверх").test(words)) return "bullish"
  if (
    rule("bearish|downside|fall|drop|down|protect|hedge", "약세|하락|내릴|헤지|헷지", "медвеж|паден|вниз|хедж|защит")
      .test(words)
  ) {
    return "bearish"
  }
  if (rule("neutral|sideways|range", "중립|횡보", "нейтрал|боковик").test(words)) return "neutral"
  return rule(
      "volatile|big move|breakout",
      "변동성\\s?(?:확대|매수)|큰\\s?움직임",
      "сильн[а-я]+ движени|рост волатильн"
    ).test(words)
    ? "volatile"
    : null
}

const said = {
  strat: text(
    "For a {view} view on {name}, {family} fits (expiry {expiry}).",
    "{name} {view} 관점에는 {family} 구조가 맞습니다(만기 {expiry}).",
    "Под взгляд «{view}» по {name} подходит {family} (экспирация {expiry})."
  ),
  debit: text(
    "It costs {cost}; most to win {profit}, most to lose {loss}.",
    "비용 {cost}, 최대 이익 {profit}, 최대 손실 {loss}.",
    "Стоит {cost}; максимум прибыли {profit}, максимум убытка {loss}."
  ),
  credit: text(
    "It takes in {cost}; most to win {profit}, most to lose {loss}.",
    "받는 프리미엄 {cost}, 최대 이익 {profit}, 최대 손실 {loss}.",
    "Приносит премию {cost}; максимум прибыли {profit}, максимум убытка {loss}."
  ),
  debitOnly: text(
    "It costs {cost}; most to lose {loss}.",
    "비용 {cost}, 최대 손실 {loss}.",
    "Стоит {cost}; максимум убытка {loss}."
  ),
  odds: text(
    "Break-evens {points}; probability of profit {odds}.",
    "손익분기 {points}, 이익 확률 {odds}.",
    "Безубыток {points}; вероятность прибыли {odds}."
  ),
  leg: text("{side} {strike} {type}", "{strike} {type} {side}", "{side} {strike} {type}"),
  legs: text("Legs: {legs}.", "구성: {legs}.", "Ноги: {legs}."),
  market: text(
    "Implied {iv}, realised {realised} (30 days).",
    "내재 {iv}, 실현 {realised}(30일).",
    "Подразумеваемая {iv}, реализованная {realised} (30 дней)."
  ),
  stratChange: text(
    "Another volatility regime or a move beyond a break-even calls for another structure.",
    "변동성 국면이 바뀌거나 손익분기를 벗어나면 다른 구조가 필요합니다.",
    "Другой режим волатильности или выход за точку безубытка потребует другой конструкции."
  ),
  stratWhy: text(
    "Cheap implied volatility favours buying options, dear one selling them; the wings bound what can be lost.",
    "내재 변동성이 싸면 옵션 매수, 비싸면 매도가 유리하며, 날개가 손실을 제한합니다.",
    "Дешевая волатильность за покупку опционов, дорогая за продажу; крылья ограничивают убыток."
  )
}

export const optionStrategy: Intent = {
  name: "optionStrategy",
  reads: [
    asksStrategy,
    rule(
      "options?|strateg\\w*|calls?|puts?|spreads?|bullish|bearish|upside|downside|neutral|sideways|range|volatile|big move|breakout|protect\\w*|hedge|cheap\\w*|structure|trade|rise|fall|drop|up|down|view|bags?|perps?",
      "옵션|전략|콜|풋|강세|약세|상승|하락|중립|횡보|변동성|헤지|헷지|보호",
      "опцион|стратеги|колл|пут|быч|медвеж|рост|паден|нейтрал|боковик|волатильн|хедж|защит"
    )
  ],
  asked: (reading) => noStock(reading) && strategyAsked(reading),
  over: ["price", "trend", "optionsPositioning", "orderBook"],
  plan: (reading) => {
    const view = viewOf(reading)
    return [ask("get_option_strategy", { coin: coinOf(reading), ...(view === null ? {} : { view }) })]
  },
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_option_strategy", { coin: name })
    const [first] = data.list("structures")
    const debit = first?.num("debit_usd") ?? null
    const money = {
      cost: format.usd(debit === null ? null : Math.abs(debit)),
      profit: format.usd(first?.num("max_profit_usd") ?? null),
      loss: format.usd(first?.num("max_loss_usd") ?? null)
    }
    const points = first?.get("break_evens")
    return {
      verdict: say(said.strat, {
        name,
        view: wordOf(lang, data.str("view")),
        family: wordOf(lang, first?.str("family") ?? null),
        expiry: format.date(data.str("expiry"))
      }),
      evidence: [
        say(said.legs, {
          legs: format.list((first?.list("legs") ?? []).flatMap((leg) =>
            say(said.leg, {
              side: wordOf(lang, leg.str("side") === "sell" ? "leg_sell" : "leg_buy"),
              strike: format.usd(leg.num("strike")),
              type: wordOf(lang, leg.str("type"))
            }) ?? []
          ))
        }),
        say((debit ?? 0) < 0 ? said.credit : said.debit, money) ?? say(said.debitOnly, money),
        say(said.odds, {
          points: format.list(
            Array.isArray(points) ? points.flatMap((x) => format.usd(typeof x === "number" ? x : null) ?? []) : []
          ),
          odds: format.share(first?.num("probability_of_profit") ?? null)
        }),
        say(said.market, {
          iv: format.percent(data.num("market.iv_30d_pct")),
          realised: format.percent(data.num("market.realised_30d_pct"))
        })
      ],
      change: say(said.stratChange, {}),
      why: say(said.stratWhy, {})
    }
  },
  next
}

import { ask, type Intent } from "../intent.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { rsiOf } from "./chart.ts"
import { questions } from "./questions.ts"
import { asksIndicators } from "./trend.ts"

/** Returns the time frame of a stock chart, which has no 4-hour candles. */
const frameOf = ({ frame }: Reading): string => frame === "4h" ? "1h" : frame ?? "1d"

const said = {
  rsi: text(
    "RSI(14) of {name} on {tf} bars is {rsi}.",
    "{name} {tf}봉 RSI(14)는 {rsi}입니다.",
    "RSI(14) по {name} на {tf}: {rsi}."
  ),
  hot: text("Above 70: overbought.", "70 위: 과매수.", "Выше 70: перекупленность."),
  cold: text("Below 30: oversold.", "30 아래: 과매도.", "Ниже 30: перепроданность."),
  price: text("Newest price {price}.", "최근 가격 {price}.", "Последняя цена {price}."),
  chart: text("Its chart: {url}", "차트: {url}", "График: {url}"),
  only: text(
    "Of shares I have the RSI and what a chart shows; other indicators are of coins.",
    "주식은 RSI와 차트에 나타나는 값만 있고, 다른 지표는 코인만 제공합니다.",
    "По акциям есть RSI и то, что видно на графике; остальные индикаторы только по монетам."
  )
}

const extremes = rule("over(?:bought|sold)", "과매[수도]", "пере(?:куплен|продан)")

export const stockIndicators: Intent = {
  name: "stockIndicators",
  reads: [asksIndicators, extremes],
  spans: ({ frames }) => frames.length > 0,
  asked: ({ coins, stocks, words }) =>
    (asksIndicators.test(words) || extremes.test(words)) && stocks.length > 0 && coins.length === 0,
  over: ["price", "trend", "usStock", "krStock"],
  plan: (reading) =>
    reading.stocks.slice(0, 1).map(({ symbol }) =>
      ask("make_chart", { symbol, tf: frameOf(reading), panels: ["rsi"] })
    ),
  write: (reading, found, { format, say }) => {
    const [stock] = reading.stocks
    const data = found.of("make_chart")
    const rsi = rsiOf(data)
    return {
      verdict: say(said.rsi, {
        name: stock?.name ?? null,
        tf: format.frame(data.str("tf")),
        rsi: format.fixed(rsi, 1)
      }),
      evidence: [
        rsi === null ? null : rsi > 70 ? say(said.hot, {}) : rsi < 30 ? say(said.cold, {}) : null,
        say(said.price, {
          price: stock?.market === "kr" ? format.krw(data.num("close")) : format.usd(data.num("close"))
        }),
        say(said.chart, { url: data.str("url") }),
        say(said.only, {})
      ]
    }
  },
  next: [
    text("How is {name}'s share?", "{name} 주가는 어떤가요?", "Как акции {name}?"),
    text("Any news on {name}?", "{name} 관련 뉴스가 있나요?", "Есть новости по {name}?"),
    questions.movers
  ]
}

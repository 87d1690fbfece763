import type { Data } from "../Findings.ts"
import { ask, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asks = rule(
  "(?<!on (?:the |a |its )?(?:\\w+ )?)charts?|draw|plot|graph|picture of|visuali[sz]e|candlesticks?",
  "차트(?!\\s?(?:상|에서|로 보|기준))|그려|그래프",
  "(?<!на (?:[а-я]+ )?)график|нарису|построй|чарт"
)
const overlays: ReadonlyArray<readonly [string, RegExp]> = [
  ["levels", rule("levels?|supports?|resistances?", "지지|저항|레벨", "уровн|поддержк|сопротивлен")],
  ["bollinger", rule("bollinger(?: bands?)?|bb", "볼린저|볼밴", "боллинджер|полосы")],
  ["vwap", rule("vwap", "vwap", "vwap")],
  ["liquidations", rule("liquidations?", "청산", "ликвидац")],
  [
    "ema20",
    rule("ema ?20(?!\\d)|moving averages?|ema(?! ?\\d)", "이평선|이동평균|ema(?! ?\\d)", "ema(?! ?\\d)|скользящ")
  ],
  ["ema50", rule("ema ?50|moving averages?", "이평선|이동평균|ema ?50", "ema ?50|скользящ")],
  ["ema200", rule("ema ?200", "ema ?200", "ema ?200")]
]
const panels: ReadonlyArray<readonly [string, RegExp]> = [
  ["rsi", rule("rsi", "rsi", "rsi")],
  ["macd", rule("macd", "macd", "macd")],
  ["funding", rule("funding", "펀딩", "фандинг")],
  ["oi", rule("open interest|oi", "미결제", "открыт[а-я]+ интерес")],
  ["score", rule("score", "점수", "балл")],
  ["volume", rule("volume", "거래량", "объем")]
]

/** The panel that shows the figure of an earlier question. */
const panelOfTopic: Readonly<Record<string, string>> = {
  funding: "funding",
  stretched: "funding",
  openInterest: "oi",
  rsi: "rsi",
  volume: "volume",
  score: "score"
}

const said = {
  verdict: text("Here is the chart: {title}\n{url}", "차트입니다: {title}\n{url}", "Вот график: {title}\n{url}"),
  shown: text(
    "{n} candles of {tf}: {close} at the last, {change} from the first.",
    "{tf}봉 {n}개: 마지막 {close}, 첫 봉 대비 {change}.",
    "Свечей {tf}: {n}; последняя {close}, от первой {change}."
  ),
  drawn: text("Drawn with it: {parts}.", "함께 그린 지표: {parts}.", "Также на графике: {parts}."),
  rsi: text("RSI(14) {value}.", "RSI(14) {value}.", "RSI(14) {value}."),
  price: text(
    "{name} trades at {price}, {change} over 24 hours.",
    "{name} 현재가 {price}, 24시간 {change}.",
    "{name} по {price}, за 24 часа {change}."
  ),
  change: text(
    "A picture of one time frame hides the others: look at the next larger one before you decide.",
    "한 시간 단위의 그림은 다른 것을 가립니다. 더 큰 시간 단위도 확인하세요.",
    "Один таймфрейм скрывает остальные: перед решением взгляните на старший."
  )
}

const matching = (table: typeof overlays, words: string): Array<string> =>
  table.flatMap(([name, pattern]) => pattern.test(words) ? [name] : [])

/** Returns the overlays and panels that the last chart request and its follow-ups name. */
const partsIn = ({ follows, lines, thread, topic }: Reading) => {
  // "Chart it" after a question about funding asks for a chart with the funding.
  const panel = follows && topic !== null && !asks.test(lines.at(-2) ?? "") ? panelOfTopic[topic.name] : undefined
  const about = panel === undefined ? [] : [panel]
  const questions = thread.split("\n")
  const request = questions.slice(Math.max(0, questions.findLastIndex((words) => asks.test(words)))).join("\n")
  return { overlays: matching(overlays, request), panels: [...new Set([...about, ...matching(panels, request)])] }
}

const frameMinutes: Readonly<Record<string, number>> = { "15m": 15, "1h": 60, "4h": 240, "1d": 1_440 }

/** Returns the minutes of the span that a chart shows, or null if the question names no span beyond a day. */
const spanOf = ({ horizon }: Reading): number | null =>
  horizon === null || horizon.minutes <= 1_440 ? null : horizon.minutes

/** Returns the time frame of which a span has about a hundred candles, or null without a span. */
const spanFrame = (reading: Reading): string | null => {
  const minutes = spanOf(reading)
  return minutes === null ? null : minutes <= 10_080 ? "1h" : minutes <= 43_200 ? "4h" : "1d"
}

const [fewestBars, mostBars] = [20, 500]

const spanBars = (reading: Reading, tf: string): number | null => {
  const minutes = spanOf(reading)
  return minutes === null
    ? null
    : Math.min(mostBars, Math.max(fewestBars, Math.round(minutes / (frameMinutes[tf] ?? 60))))
}

const argumentsOf = (reading: Reading) => {
  const { frame, stocks } = reading
  const drawn = partsIn(reading)
  const tf = frame ?? (stocks[0] === undefined ? spanFrame(reading) ?? "1h" : "1d")
  const bars = spanBars(reading, tf)
  return {
    ...(stocks[0] === undefined ? { coin: coinOf(reading) } : { symbol: stocks[0].symbol }),
    tf,
    ...(bars === null ? {} : { bars }),
    ...(drawn.overlays.length > 0 ? { overlays: drawn.overlays } : {}),
    ...(drawn.panels.length > 0 ? { panels: drawn.panels } : {})
  }
}

/** Returns the newest RSI from a chart's alternative text, or null if the text has no RSI. */
export const rsiOf = (data: Data): number | null => {
  const stated = /RSI \(14\) (\d+(?:\.\d+)?)/.exec(data.str("alt") ?? "")?.[1]
  return stated === undefined ? null : Number(stated)
}

const partsOf = (reading: Reading): ReadonlyArray<string> =>
  Object.values(partsIn(reading)).flat()
    .flatMap((part) => wordOf(reading.lang, part === "levels" ? "chart_levels" : part) ?? [])

export const chart: Intent = {
  name: "chart",
  reads: [
    rule("\\d+ ?(?:m|h|d)|with|candles?|bars?", "\\d+\\s?(?:분|시간)봉?|봉", "\\d+ ?[чмд]|свеч|днев"),
    asks,
    ...[...overlays, ...panels].map(([, words]) => words)
  ],
  spans: true,
  asked: ({ words }) => asks.test(words),
  over: "all",
  plan: (reading) => [
    ask("make_chart", argumentsOf(reading)),
    ...(reading.stocks.length === 0 ? [ask("get_price", { coin: coinOf(reading) })] : [])
  ],
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const data = found.of("make_chart")
    const price = found.of("get_price", { coin: name })
    return {
      verdict: say(said.verdict, { title: data.str("title"), url: data.str("url") }),
      evidence: [
        say(said.shown, {
          n: format.count(data.num("bars")),
          tf: format.frame(data.str("tf")),
          close: reading.stocks[0]?.market === "kr" ? format.krw(data.num("close")) : format.usd(data.num("close")),
          change: format.change(data.num("change_pct"))
        }),
        say(said.rsi, { value: format.fixed(rsiOf(data), 1) }),
        say(said.drawn, { parts: format.list(partsOf(reading).filter((part) => part !== "RSI")) }),
        reading.stocks.length > 0 ? null : say(said.price, {
          name,
          price: format.usd(price.num("price")),
          change: format.change(price.num("change_24h_pct"))
        })
      ],
      change: data.raw === null ? null : say(said.change, {})
    }
  },
  next: [
    questions.levels,
    text("What do {name}'s indicators say?", "{name} 지표는 어떤가요?", "Что показывают индикаторы {name}?"),
    questions.alertOnBreak
  ]
}

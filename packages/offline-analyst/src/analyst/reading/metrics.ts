import type { Format } from "../writing/format.ts"
import { type Text, text } from "../writing/text.ts"
import type { Horizon } from "./horizon.ts"
import { rule } from "./rule.ts"

/** A figure by which coins can be ordered. */
export interface Metric {
  readonly name: string
  readonly words: RegExp
  /** The field of `screen_coins`, if all coins can be ordered by the metric. */
  readonly field?: string
  /** The tool and the path of the metric of one coin. */
  readonly of: readonly [tool: string, path: string]
  readonly label: Text<never>
  /** The name of the field of `screen_coins`, if it is another figure than that of one coin. */
  readonly fieldLabel?: Text<never>
  readonly format: (format: Format) => (value: number | null) => string | null
}

const percent = (format: Format) => format.percent
const change = (format: Format) => format.change

/** The metrics, of which the first that a question names applies. */
export const metrics: ReadonlyArray<Metric> = [
  {
    name: "stretched",
    words: rule("(?:more|most|over)[ -]?(?:stretched|crowded|extended|heated)", "과열|쏠린", "перегрет"),
    of: ["get_derivatives", "funding_percentile_90d"],
    label: text(
      "percentile of funding over 90 days",
      "90일 펀딩비 백분위",
      "перцентиль фандинга за 90 дней"
    ),
    format: (format) => (value) => format.fixed(value, 0)
  },
  {
    name: "funding",
    words: rule("funding(?: rates?)?", "펀딩비?|펀비", "фандинг"),
    field: "funding_rate_pct",
    of: ["get_derivatives", "funding_rate_pct"],
    label: text("funding", "펀딩비", "фандинг"),
    format: (format) => format.rate
  },
  {
    name: "interestChange",
    words: rule(
      "(?:open interest|oi) (?:change|increase|growth|rise|drop|jump)s?|(?:rise|drop|increase|jump|change)s? (?:in|of) (?:open interest|oi)",
      "미결제(?:약정)? ?(?:변화|증가|감소|급증)",
      "(?:изменени|рост|прирост|паден)[а-я]* (?:открытого интереса|ои)"
    ),
    field: "oi_change_24h_coin_pct",
    of: ["get_derivatives", "oi_change_24h_coin_pct"],
    label: text("24-hour change of open interest", "미결제약정 24시간 변화", "изменение открытого интереса за 24 часа"),
    format: change
  },
  {
    name: "openInterest",
    words: rule("open interest|oi", "미결제(?:약정)?", "(?:открыт[а-я]+|опен) интерес[а-я]*"),
    of: ["get_derivatives", "open_interest_usd"],
    label: text("open interest", "미결제약정", "открытый интерес"),
    format: (format) => format.bigUsd
  },
  {
    name: "impliedVolatility",
    words: rule("iv|implied(?: vol(?:atility)?)?", "내재 ?변동성|iv", "iv|подразумеваем[а-я]*"),
    of: ["get_iv_metrics", "atm_iv_pct.30d"],
    label: text("implied volatility of 30 days", "30일 내재 변동성", "подразумеваемая волатильность на 30 дней"),
    format: percent
  },
  {
    name: "volatility",
    words: rule("volatil\\w*|vol|calm(?:er|est)?", "변동성|변동|잔잔", "волатильн[а-я]*|спокойн[а-я]*"),
    field: "atr_pct",
    of: ["get_volatility", "realised_30d_pct"],
    label: text("realised volatility of 30 days", "30일 실현 변동성", "реализованная волатильность за 30 дней"),
    fieldLabel: text("ATR (1h)", "ATR(1시간봉)", "ATR (1ч)"),
    format: percent
  },
  {
    name: "rsi",
    words: rule("rsi|over(?:bought|sold)", "rsi|과매[수도]", "rsi|пере(?:куплен|продан)[а-я]*"),
    field: "rsi",
    of: ["get_indicators", "rsi"],
    label: text("RSI", "RSI", "RSI"),
    format: (format) => (value) => format.fixed(value, 1)
  },
  {
    name: "drawdown",
    words: rule("drawdown", "낙폭", "просадк"),
    of: ["compare_coins", "max_drawdown_90d_pct"],
    label: text("drawdown of 90 days", "90일 최대 낙폭", "просадка за 90 дней"),
    format: change
  },
  {
    name: "cap",
    words: rule(
      "market ?caps?|mcap|capitali[sz]ation|(?:biggest|largest) (?:coins?|cryptos?|alts?)",
      "시가총액|시총",
      "капитализац"
    ),
    of: ["get_price", "market_cap_usd"],
    label: text("market capitalisation", "시가총액", "капитализация"),
    format: (format) => format.bigUsd
  },
  {
    name: "volume",
    words: rule("volumes?|traded|turnover|liquid", "거래대금|거래량", "объем|оборот|торгуем"),
    field: "volume_24h_usd",
    of: ["get_price", "volume_24h_usd"],
    label: text("24-hour volume", "24시간 거래대금", "объем за 24 часа"),
    format: (format) => format.bigUsd
  },
  {
    name: "change",
    words: rule(
      "gainers?|losers?|movers?|perform\\w*|gain(?:s|ed)?|up|down|rose|rall(?:y|ied)|fell|pump\\w*|dump\\w*|mov(?:e|ed|ing)|change\\w*|returns?",
      "급등|급락|상승|하락|오른|올랐|내린|떨어진|떨어졌|등락|수익률",
      "рост[а-я]*|вырос[а-я]*|раст[а-я]*|пада[а-я]*|паден[а-я]*|упал[а-я]*|лузер[а-я]*|гейнер[а-я]*|доходност[а-я]*|изменени[а-я]*"
    ),
    field: "change_24h_pct",
    of: ["compare_coins", "return_1d_pct"],
    label: text("change", "변동률", "изменение"),
    format: change
  },
  {
    name: "score",
    words: rule(
      "scores?|strong\\w*|weak\\w*|bullish|bearish|better|worse|best|worst|healthier",
      "점수|강[한해하]|약[한해하]|센|쎈|세\\?*$|나은|좋[은아]|유망",
      "балл[а-я]*|скор[а-я]*|сильн[а-я]*|слаб[а-я]*|лучш[а-я]*|хуж[а-я]*"
    ),
    field: "score",
    of: ["get_score", "score"],
    label: text("score", "종합 점수", "сводный балл"),
    format: (format) => (value) => format.fixed(value, 1)
  }
]

const ofScore = rule("scores?", "점수", "балл|скор")

/**
 * Returns the first metric that a text names, or undefined. "Which did better this week" asks for the change, because a
 * score has no span.
 */
export const metricIn = (words: string, horizon: Horizon | null = null): Metric | undefined => {
  const named = metrics.find((metric) => metric.words.test(words))
  const isOutcome = named?.name === "score" && horizon !== null && !ofScore.test(words)
  return isOutcome ? metrics.find(({ name }) => name === "change") : named
}

/** Matches requests for the smallest value. */
export const asksLowest = rule(
  "low(?:er|est)?|least|less|smaller|smallest|weak(?:er|est)|worse|worst|losers?|calm(?:er|est)?|cheap(?:er|est)|oversold|fell|falling|dump\\w*|down|bearish|negative",
  "낮|작[은아]|적[은어]|약[한해하]|급락|하락|내린|떨어|과매도|잔잔|음수",
  "ниже|низк|меньше|наименьш|слаб|хуже|худш|паден|упал|пада|лузер|перепродан|спокойн|отрицательн"
)

import type { Schema } from "effect"
import { ask, type Intent } from "../intent.ts"
import { numbersOf, numberWith } from "../reading/numbers.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { warningIn } from "../writing/warnings.ts"
import { questions } from "./questions.ts"

const asksBacktest = rule(
  "(?:is|does|do|did) (?:buying|selling|shorting|longing) .{1,60}(?:good|work|profitable|pay|worth)|back-?test(?:ed|ing)?|test (?:a|the|this) (?:strategy|rule)|would .* have (?:worked|made)|strategy of|crossover|golden cross|(?:beat|outperform)s? (?:hodl|hold|buy and hold)|(?:buy|long) .{1,60} (?:sell|exit) .{0,60}(?:hodl|work|profit)",
  "백테|전략\\s?(?:검증|테스트)|과거에 (?:통했|먹혔)|골든\\s?크로스|교차 전략|매수.{0,60}매도\\s?전략|전략.{0,60}(?:존버|홀딩)",
  "бэктест|бектест|протестируй|проверь (?:стратеги|правил)|стратеги[яюи] (?:пересечен|на)|пересечени|как бы сработал|обгоняет (?:холд|buy)|лучше холд|покупк.{0,60} продаж.{0,60}холд"
)

const next = [
  questions.score,
  questions.hitRate,
  questions.backtest
]

interface Rule {
  readonly label: string
  readonly strategy: Readonly<Record<string, Schema.Json>>
}

const crossing = (kind: "ema" | "sma", fast: number, slow: number): Rule => ({
  label: `${kind.toUpperCase()} ${fast}/${slow}`,
  strategy: {
    entry: [{ left: `${kind}(${fast})`, op: "cross_above", right: `${kind}(${slow})` }],
    exit: [{ left: `${kind}(${fast})`, op: "cross_below", right: `${kind}(${slow})` }]
  }
})

const macd: Rule = {
  label: "MACD(12, 26, 9)",
  strategy: {
    entry: [{ left: "macd", op: "cross_above", right: "macd.signal" }],
    exit: [{ left: "macd", op: "cross_below", right: "macd.signal" }]
  }
}

const turning = (low: number, high: number): Rule => ({
  label: `RSI(14) < ${low}, > ${high}`,
  strategy: {
    entry: [{ left: "rsi(14)", op: "lt", right: low }],
    exit: [{ left: "rsi(14)", op: "gt", right: high }]
  }
})

const breaking = (bars: number): Rule => ({
  label: `> max(${bars})`,
  strategy: {
    entry: [{ left: "price", op: "cross_above", right: `highest(${bars})` }],
    exit: [{ left: "price", op: "cross_below", right: `lowest(${Math.max(2, Math.floor(bars / 2))})` }]
  }
})

/**
 * Returns the integers of a question that may be parameters of a trading rule, and those joined by a slash, such as
 * 20/50.
 */
const figuresOf = ({ numbers, words }: Reading) => {
  const joined = Array.from(words.matchAll(/(\d{1,3})\s?\/\s?(\d{1,3})/g), ([, a, b]) => [Number(a), Number(b)]).flat()
  const plain = numbers.filter(({ kind, value }) => kind === "plain" && value !== 14).map(({ value }) => value)
  return { joined, all: plain.filter((value) => Number.isInteger(value)) }
}

const asksBreakout = rule("breakout|highest", "돌파|신고가", "пробо")
const asksAverages = rule(
  "ema|sma|ma cross|moving averages?|golden cross",
  "ema|sma|이평|이동평균|골든",
  "ema|sma|ема|скользящ|золот"
)

/** Returns a follow-up such as "what about ETH" with the words and numbers of the question that named the rule. */
const withRule = (reading: Reading): Reading => {
  const isRule = (words: string) =>
    asksAverages.test(words) || asksBreakout.test(words) || /macd|rsi/u.test(words) || asksBacktest.test(words)
  const words = isRule(reading.words) ? undefined : reading.thread.split("\n").findLast(isRule)
  return words === undefined ? reading : { ...reading, words, question: words, numbers: numbersOf(words) }
}

/** Returns the trading rules that a question names, or a moving-average cross if the question names no rule. */
const rulesOf = (asked: Reading): readonly [Rule, ...ReadonlyArray<Rule>] => {
  const reading = withRule(asked)
  const { words } = reading
  const { all, joined } = figuresOf(reading)
  const several = [/macd/u, /rsi/u, asksBreakout, asksAverages].filter((named) => named.test(words)).length > 1
  const golden = rule("golden", "골든", "золот").test(words)
  // Numbers joined by a slash are periods of moving averages; if several rules are named, no other number is used.
  const figures = several || joined.length > 0 ? joined : all
  const [low = 30, high = 70] = several ? [] : figures.filter((value) => value > 0 && value < 100)
  const [bars = 48] = several ? [] : figures.filter((value) => value > 1 && value <= 500)
  const [fast = golden ? 50 : 20, slow = golden ? 200 : 50] = figures
    .filter((value) => value > 1 && value <= 400).toSorted((a, b) => a - b)
  const averages = crossing(golden || /sma/u.test(words) ? "sma" : "ema", fast, slow)
  const [first, ...others] = [
    ...(asksAverages.test(words) ? [averages] : []),
    ...(/macd/u.test(words) ? [macd] : []),
    ...(/rsi/u.test(words) ? [turning(low, high)] : []),
    ...(asksBreakout.test(words) ? [breaking(bars)] : [])
  ]
  return first === undefined ? [averages] : [first, ...others.slice(0, 2)]
}

const said = {
  unread: text(
    "I read no rule that I can test, so I tested nothing. I can test RSI, MACD, moving averages and breakouts, as in “backtest buying RSI below 30 on BTC”.",
    "검증할 수 있는 규칙을 찾지 못해 아무것도 검증하지 않았습니다. RSI, MACD, 이동평균, 돌파 규칙을 검증할 수 있습니다. 예: “비트코인 RSI 30 매수 백테스트해줘”.",
    "Правила, которое можно проверить, я не нашёл и ничего не проверял. Умею проверять RSI, MACD, скользящие средние и пробои: «бэктест покупки BTC при RSI ниже 30»."
  ),
  noStop: text(
    "The test has no stop: I cannot add one.",
    "손절은 검증에 포함되지 않습니다. 추가할 수 없습니다.",
    "Стопа в тесте нет: добавить его я не могу."
  ),
  testBetter: text(
    "The rule ({rule}) would have returned {gain}, ahead of holding {name} ({hold}).",
    "규칙({rule}) 수익률 {gain}, {name} 보유({hold})보다 나았습니다.",
    "Правило ({rule}) дало бы {gain}, лучше удержания {name} ({hold})."
  ),
  testWorse: text(
    "The rule ({rule}) would have returned {gain}, behind holding {name} ({hold}).",
    "규칙({rule}) 수익률 {gain}, {name} 보유({hold})에 못 미쳤습니다.",
    "Правило ({rule}) дало бы {gain}, хуже удержания {name} ({hold})."
  ),
  other: text(
    "Beside it {rule}: {gain}, trades {trades}.",
    "비교: {rule} {gain}, 거래 {trades}회.",
    "Рядом {rule}: {gain}, сделок {trades}."
  ),
  testRisk: text(
    "Trades {trades}, win rate {win}, Sharpe {sharpe}, worst drawdown {drawdown}.",
    "거래 {trades}회, 승률 {win}, 샤프 {sharpe}, 최대 낙폭 {drawdown}.",
    "Сделок {trades}, доля прибыльных {win}, Шарп {sharpe}, просадка {drawdown}."
  ),
  testSpan: text(
    "{bars} bars of {tf} from {from} to {to}; fee {fee} bps, slippage {slip} bps.",
    "{tf}봉 {bars}개, {from} ~ {to}, 수수료 {fee}bp, 슬리피지 {slip}bp.",
    "Баров {tf}: {bars}, с {from} по {to}; комиссия {fee} б.п., проскальзывание {slip} б.п."
  ),
  warning: text("Warning: {warning}", "경고: {warning}", "Предупреждение: {warning}"),
  testChange: text(
    "One window proves little: a walk-forward test and fresh data would.",
    "한 구간으로는 증명되지 않습니다. 워크포워드와 새 데이터가 필요합니다.",
    "Одно окно доказывает мало: нужен walk-forward и свежие данные."
  ),
  testWhy: text(
    "Signals act on the next bar's open, and a bar that touches stop and take counts as the stop: the test leans to caution.",
    "신호는 다음 봉 시가에 체결되고 손절과 익절에 모두 닿은 봉은 손절로 봅니다. 보수적인 검증입니다.",
    "Сигналы исполняются по открытию следующего бара, бар с касанием стопа и тейка считается стопом: тест осторожен."
  )
}

const minutesOf = { "15m": 15, "1h": 60, "4h": 240, "1d": 1_440 }
const [fewestBars, mostBars] = [200, 20_000]

const barsOf = ({ horizon }: Reading, tf: keyof typeof minutesOf): number | undefined =>
  horizon === null || horizon.minutes < 1_440
    ? undefined
    : Math.min(mostBars, Math.max(fewestBars, Math.round(horizon.minutes / minutesOf[tf])))

const feeWord = /fees?|commissions?|수수료|комисси[а-я]*/u

/** Returns the fee of a question in basis points, or null if the question names no fee. */
const feeOf = ({ numbers }: Reading): number | null => {
  const percent = numberWith(numbers, feeWord, "percent")
  return percent === null ? null : Math.min(1_000, Number((percent * 100).toPrecision(6)))
}

/** Returns the bars of a backtest; "1d" is read as the time frame and not as the length of the backtest. */
const trialOf = (reading: Reading) => {
  const tf = reading.frame ?? "1h"
  const spanned = reading.horizon?.minutes === 1_440 && reading.frames.includes("1d") ? null : reading.horizon
  const [bars, fee] = [barsOf({ ...reading, horizon: spanned }, tf), feeOf(reading)]
  return { tf, ...(bars === undefined ? {} : { bars }), ...(fee === null ? {} : { fee_bps: fee }) }
}

/** Matches questions whether the averages have crossed, which no backtest answers. */
const asksCross =
  /^(?:is|was|did|has|have) (?:there |we |it |[a-z]{2,6} )(?:a |had |have |has |form\w* )*(?:golden|death) cross/u

const asksStrategy = rule("strateg(?:y|ies)|rule", "전략|규칙", "стратеги|правил")
const ofOptions = rule("options?|calls?|puts?", "옵션|콜|풋", "опцион|колл|пут")

/** Matches rules that no indicator describes: "after three red days", "every Monday". */
const otherRules = rule(
  "after \\d+|red days?|green days?|every (?:day|week|month|monday|tuesday|wednesday|thursday|friday)|the dip|dca|news|halving|(?:is|does|do|did) (?:buying|selling)",
  "연속|음봉|양봉|매주|매달|적립식|뉴스|반감기",
  "подряд|красн|зелен|кажд[а-я]+ (?:день|недел|понедельник|месяц)|новост|халвинг"
)

/** Returns whether a question names a rule that can be tested, or no rule at all. */
const hasRule = (reading: Reading): boolean => isTestable(withRule(reading))

const isTestable = ({ words }: Reading): boolean =>
  asksAverages.test(words) || asksBreakout.test(words) || /macd|rsi/u.test(words) || !otherRules.test(words)

export const backtest: Intent = {
  name: "backtest",
  reads: [
    asksBacktest,
    asksAverages,
    asksBreakout,
    asksStrategy,
    otherRules,
    rule(
      "rsi|macd|buy\\w*|sell\\w*|when|under|over|below|above|cross\\w*|good|hold|hodl|beat\\w*|fees?|profit\\w*|bars?|candles?|years?",
      "rsi|macd|매수|매도|존버|홀딩|수수료|이하|이상|아래|위|봉|년",
      "rsi|macd|покупк|продаж|холд|комисси|ниже|выше|при|год"
    )
  ],
  spans: true,
  numbers: true,
  asked: ({ words }) =>
    (asksBacktest.test(words) && !asksCross.test(words)) ||
    (asksStrategy.test(words) && (asksAverages.test(words) || asksBreakout.test(words) || /rsi|macd/u.test(words)) &&
      !ofOptions.test(words)),
  over: "all",
  plan: (reading) => {
    const trial = trialOf(reading)
    if (!hasRule(reading)) return []
    return rulesOf(reading).map(({ strategy }) => ask("run_backtest", { coin: coinOf(reading), strategy, ...trial }))
  },
  write: (reading, found, { format, lang, say }) => {
    if (!hasRule(reading)) return { verdict: say(said.unread, {}), evidence: [] }
    const name = coinOf(reading)
    const tried = rulesOf(reading).map(({ label, strategy }) => ({
      label,
      data: found.of("run_backtest", { strategy })
    }))
    const [best = { label: "", data: found.of("run_backtest") }, ...others] = tried.toSorted((a, b) =>
      (b.data.num("metrics.return") ?? -Infinity) - (a.data.num("metrics.return") ?? -Infinity)
    )
    const { data, label } = best
    const gain = data.num("metrics.return")
    const hold = data.num("buy_and_hold.return")
    return {
      verdict: say((gain ?? 0) > (hold ?? 0) ? said.testBetter : said.testWorse, {
        rule: label,
        name,
        gain: format.gain(gain),
        hold: format.gain(hold)
      }),
      evidence: [
        rule("stop(?:[- ]?loss)?", "손절", "стоп").test(reading.words) ? say(said.noStop, {}) : null,
        ...others.map((other) =>
          say(said.other, {
            rule: other.label,
            gain: format.gain(other.data.num("metrics.return")),
            trades: format.count(other.data.num("metrics.trades"))
          })
        ),
        say(said.testRisk, {
          trades: format.count(data.num("metrics.trades")),
          win: format.share(data.num("metrics.win_rate")),
          sharpe: format.fixed(data.num("metrics.sharpe"), 2),
          drawdown: format.percent(data.num("metrics.max_drawdown_pct"))
        }),
        say(said.testSpan, {
          bars: format.count(data.num("bars")),
          tf: format.frame(data.str("tf")),
          from: format.date(data.str("from")),
          to: format.date(data.str("to")),
          fee: format.plain(data.num("fee_bps")),
          slip: format.plain(data.num("slippage_bps"))
        }),
        ...data.strings("warnings").flatMap((warning) => warningIn(lang, warning) ?? []).slice(0, 2).map((warning) =>
          say(said.warning, { warning })
        )
      ],
      change: say(said.testChange, {}),
      why: say(said.testWhy, {})
    }
  },
  next: next.slice(0, 2)
}

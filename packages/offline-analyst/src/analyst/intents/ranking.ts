import type { Data, Findings } from "../Findings.ts"
import { ask, type Desk, type Intent, type Planned } from "../intent.ts"
import { unreadWords } from "../reading/coverage.ts"
import { asksLowest, type Metric, metricIn, metrics } from "../reading/metrics.ts"
import { countIn } from "../reading/numbers.ts"
import type { Reading } from "../reading/reading.ts"
import { comparesWith } from "../reading/references.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

/** Matches requests to order instruments: "which is higher", "most volatile coin", "by how much". */
export const asksOrder = rule(
  "which|rank(?:ed|ing)?|who(?:'?s| is)|by how much|highest|lowest|most|least|biggest|largest|smallest|strongest|weakest|best|worst|top|gainers?|losers?",
  "급등|급락|(?:어디|누)가 (?:더|제일)|얼마나\\??$|뭐가|무엇이|어느|누가|어떤|둘 ?중|제일|가장|상위|순위|얼마나 (?:더|차이)|젤",
  "какая|какой|какие|кто|у кого|что (?:из них )?(?:ближе|выше|ниже|больше|сильнее|слабее)|где|сам(?:ая|ый|ые|ой)|топ|на ?сколько|лидер|рейтинг"
)
/** Matches words for coins in general. */
const ofCoins = rule(
  "coins?|alts?|altcoins?|majors?|tokens?|gainers?|losers?|movers|performers|memes?|crypto",
  "코인|알트|종목",
  "монет|альт|токен|коин|крипт|лузер|рост|паден|лидер"
)
/** Matches follow-ups that compare the instruments of the earlier questions: "compare both". */
const comparesBoth = rule("compare (?:them|both|the two)", "^둘(?: ?다)? ?비교", "^(?:сравни )?(?:их|оба|обоих)")
const spans = rule(
  "this (?:week|month)|(?:last|past) (?:week|month|7 days|30 days|hour)|week(?:ly)?|month(?:ly)?|hour(?:ly)?|ytd|year|7 ?d|30 ?d",
  "이번\\s?(?:주|달)|지난\\s?(?:주|달)|일주일|한\\s?달|주간|월간|시간",
  "недел|месяц|час|год"
)

const said = {
  highest: text(
    "{coin} has the highest {metric}: {value}.",
    "{metric} 1위는 {coin}, {value}입니다.",
    "Наибольшее значение ({metric}) у {coin}: {value}."
  ),
  lowest: text(
    "{coin} has the lowest {metric}: {value}.",
    "{metric}이(가) 가장 낮은 코인은 {coin}, {value}입니다.",
    "Наименьшее значение ({metric}) у {coin}: {value}."
  ),
  higher: text(
    "{coin} has the higher {metric}: {value} against {otherValue} of {other}.",
    "{metric}은(는) {coin} 쪽이 더 높습니다. {value}, {other}은(는) {otherValue}입니다.",
    "Выше ({metric}) {coin}: {value} против {otherValue} у {other}."
  ),
  lower: text(
    "{coin} has the lower {metric}: {value} against {otherValue} of {other}.",
    "{metric}은(는) {coin} 쪽이 더 낮습니다. {value}, {other}은(는) {otherValue}입니다.",
    "Ниже ({metric}) {coin}: {value} против {otherValue} у {other}."
  ),
  equal: text(
    "{coin} and {other} have the same {metric}: {value}.",
    "{coin}과(와) {other}의 {metric}은(는) {value}로 같습니다.",
    "{metric} у {coin} и {other} одинаковое: {value}."
  ),
  difference: text("The difference is {value}.", "차이는 {value}입니다.", "Разница: {value}."),
  row: text("{coin}: {value}.", "{coin}: {value}.", "{coin}: {value}."),
  days: text("{metric} over {days} days", "{days}일 {metric}", "{metric} за {days} дн."),
  day: text("{metric} over 24 hours", "24시간 {metric}", "{metric} за 24 часа"),
  span: text(
    "I can order coins by their change over 1, 7 and 30 days only, so this is the change over {days}.",
    "변동률 순위는 1일, 7일, 30일만 가능하므로 {days}일 기준입니다.",
    "Сортировать могу только по изменению за 1, 7 и 30 дней, поэтому здесь {days} дн."
  ),
  atr: text(
    "For all coins, volatility is the ATR of 1h candles, in percent of the price.",
    "전체 코인의 변동성은 1시간봉 ATR(가격 대비 %)입니다.",
    "Для всех монет волатильность это ATR часовых свечей в процентах цены."
  ),
  bars: text("RSI(14) of {tf} candles.", "RSI(14), {tf}봉 기준입니다.", "RSI(14) по свечам {tf}."),
  present: text(
    "These are the present values; I have no average over a span of them.",
    "현재 값이며, 기간 평균은 없습니다.",
    "Это текущие значения; среднего за период у меня нет."
  ),
  factors: text(
    "{coin}, largest parts of the score: {parts}.",
    "{coin} 점수의 주요 요인: {parts}.",
    "{coin}, крупнейшие части балла: {parts}."
  ),
  measured: text(
    "That is the order of the measured values alone; I know no cause of them.",
    "측정값의 순서일 뿐이며, 그 원인은 데이터에 없습니다.",
    "Это просто порядок измеренных значений; причин в данных нет."
  )
}

interface Order {
  readonly metric: Metric
  readonly isLowest: boolean
  readonly days: 1 | 7 | 30
}

/** Returns the metric and the direction of a question, or null if the question orders nothing. */
const orderOf = ({ horizon, pair, topic, words, ...reading }: Reading): Order | null => {
  const metric = metricIn(words, horizon) ?? topic ?? undefined
  const minutes = (horizon ?? (pair ? reading.horizonSpokenOf : null))?.minutes ?? 1_440
  return metric === undefined
    ? null
    : { metric, isLowest: asksLowest.test(words), days: minutes <= 1_440 ? 1 : minutes <= 10_080 ? 7 : 30 }
}

const isPair = ({ coins }: Reading): boolean => coins.length > 1

/** Returns whether all coins are ordered by their change over more than a day. */
const isLong = ({ days, metric }: Order): boolean => metric.name === "change" && days > 1

const maxCompared = 10

const batches = (coins: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const count = Math.ceil(coins.length / maxCompared)
  return Array.from({ length: count }, (_, i) => coins.filter((_, at) => at % count === i))
}

/** Returns the time frame of a metric that is calculated from candles. */
const frameOf = ({ frame }: Reading, { metric }: Order) => metric.name === "rsi" ? { tf: frame ?? "1h" } : {}

const planOf = (reading: Reading, found: Findings, order: Order): ReadonlyArray<Planned> => {
  const { metric } = order
  if (isPair(reading)) {
    return metric.of[0] === "compare_coins"
      ? [ask("compare_coins", { coins: reading.coins.slice(0, maxCompared) })]
      : reading.coins.slice(0, 5).map((coin) => ask(metric.of[0], { coin, ...frameOf(reading, order) }))
  }
  if (isLong(order) || metric.field === undefined) {
    const coins = found.of("get_market_overview").list("coins")
    // Stablecoins have no score.
    const traded = coins.flatMap((row) => row.num("score") === null ? [] : row.str("coin") ?? [])
    return [
      ask("get_market_overview"),
      ...(metric.name === "change" ? batches(traded).map((some) => ask("compare_coins", { coins: [...some] })) : [])
    ]
  }
  return [
    ask("screen_coins", {
      // The tool requires a condition; every coin meets this one.
      filters: [{ field: metric.field, op: "gt", value: -1e12 }],
      sort: { field: metric.field, order: order.isLowest ? "asc" : "desc" },
      top: countIn(reading.words) ?? 8
    })
  ]
}

interface Row {
  readonly coin: string
  readonly value: number
}

const rowsOf = (reading: Reading, found: Findings, order: Order): ReadonlyArray<Row> => {
  const { days, isLowest, metric } = order
  const [tool, path] = metric.of
  const rows = (data: ReadonlyArray<Data>, field: string) =>
    data.flatMap((row): ReadonlyArray<Row> => {
      const [coin, value] = [row.str("coin"), row.num(field)]
      return coin === null || value === null ? [] : [{ coin, value }]
    })
  const compared = () => {
    const field = metric.name === "change" ? `return_${days}d_pct` : path
    const all = found.all.filter(({ name, ok }) => ok && name === "compare_coins").flatMap(({ data }) =>
      data.list("rows")
    )
    return rows(all, field)
  }
  const known = isPair(reading)
    ? tool === "compare_coins"
      ? compared()
      : reading.coins.flatMap((coin): ReadonlyArray<Row> => {
        const value = found.of(tool, { coin, ...frameOf(reading, order) }).num(path)
        return value === null ? [] : [{ coin, value }]
      })
    : metric.field === undefined
    ? rows(found.of("get_market_overview").list("coins"), path)
    : days > 1 && metric.name === "change"
    ? compared()
    : rows(found.of("screen_coins").list("matches"), metric.field)
  const excluded = new Set(reading.excluded.map(({ coin }) => coin))
  return known.filter(({ coin }) => !excluded.has(coin)).toSorted((a, b) =>
    isLowest ? a.value - b.value : b.value - a.value
  )
}

const labelOf = ({ days, metric }: Order, isAll: boolean, { format, lang, say }: Desk): string | null =>
  metric.name !== "change"
    ? (isAll ? metric.fieldLabel ?? metric.label : metric.label)[lang]
    : days === 1
    ? say(said.day, { metric: metric.label[lang] })
    : say(said.days, { metric: metric.label[lang], days: format.count(days) })

const verdictOf = (rows: ReadonlyArray<Row>, reading: Reading, order: Order, desk: Desk): string | null => {
  const { format, say } = desk
  const [first, second] = rows
  if (first === undefined) return null
  const write = order.metric.format(format)
  const metric = labelOf(order, !isPair(reading), desk)
  const values = {
    coin: first.coin,
    value: write(first.value),
    metric,
    other: second?.coin ?? null,
    otherValue: write(second?.value ?? null)
  }
  if (!isPair(reading) || rows.length > 2) return say(order.isLowest ? said.lowest : said.highest, values)
  if (values.value === values.otherValue) return say(said.equal, values)
  return say(order.isLowest ? said.lower : said.higher, values)
}

const shownRows = 7

/** Returns the lines that explain an order: the parts of the scores, or that only values were compared. */
const reasonsOf = (rows: ReadonlyArray<Row>, { metric }: Order, found: Findings, desk: Desk) => {
  const { format, lang, say } = desk
  if (metric.name !== "score") return [say(said.measured, {})]
  return rows.map(({ coin }) => {
    const factors = found.of("get_score", { coin }).list("factors").toSorted((a, b) =>
      Math.abs(b.num("contribution") ?? 0) - Math.abs(a.num("contribution") ?? 0)
    )
    const parts = factors.slice(0, 3).flatMap((factor) => {
      const [name, points] = [wordOf(lang, factor.str("name")), format.signed(factor.num("contribution"))]
      return name === null || points === null ? [] : [`${name} ${points}`]
    })
    return say(said.factors, { coin, parts: format.list(parts) })
  })
}

/** The metrics of which the values of several named coins are listed. */
const listed: ReadonlySet<string> = new Set(["funding", "impliedVolatility", "openInterest", "volatility"])

/** Orders the named coins, those of the earlier questions, or all coins by one metric. */
export const ranking: Intent = {
  name: "ranking",
  reads: [
    ...metrics.map(({ words }) => words),
    rule("compare|rates?|vs", "비교", "сравни|ставк"),
    asksOrder,
    ofCoins,
    asksLowest,
    rule("(?:high|low|great|strong|weak|cheap|small|large)(?:er|est)", "높|낮", "выше|ниже|больше|меньше")
  ],
  spans: true,
  numbers: ({ words }) => [countIn(words) ?? []].flat(),
  excludes: true,
  asked: (reading) => {
    const { coins, stocks, words } = reading
    const own = metricIn(words)
    if (stocks.length > 0 || orderOf(reading) === null) return false
    if (coins.length > 1) {
      if (reading.pair && (comparesWith.test(words) || comparesBoth.test(words))) return true
      if (asksOrder.test(words)) return reading.pair || own?.name !== "score"
      return own !== undefined && listed.has(own.name) && unreadWords(reading, [ranking]).length === 0
    }
    if (!asksOrder.test(words) || orderOf(reading)?.metric.name === "impliedVolatility") return false
    const isOfAll = ofCoins.test(words) ||
      (coins.length === 0 && reading.strange.length === 0 && own?.field !== undefined)
    return !reading.named && isOfAll && !(own?.name === "cap" && /(?<![a-z])top \d+ coins/u.test(words)) &&
      (own?.name !== "change" || spans.test(words))
  },
  over: "all",
  lists: (reading, found) => {
    const order = orderOf(reading)
    return order === null ? [] : rowsOf(reading, found, order).map(({ coin }) => coin)
  },
  plan: (reading, found) => {
    const order = orderOf(reading)
    return order === null ? [] : planOf(reading, found, order)
  },
  write: (reading, found, desk) => {
    const { format, say } = desk
    const order = orderOf(reading)
    if (order === null) return { verdict: null, evidence: [] }
    const rows = rowsOf(reading, found, order)
    const [first, second] = rows
    const write = order.metric.format(format)
    const isAll = !isPair(reading)
    const minutes = reading.horizon?.minutes ?? 1_440
    return {
      verdict: verdictOf(rows, reading, order, desk),
      evidence: [
        ...(reading.isReason ? reasonsOf(rows, order, found, desk) : []),
        ...rows.slice(isAll || rows.length > 2 ? 1 : 0, countIn(reading.words) ?? shownRows).map(({ coin, value }) =>
          say(said.row, { coin, value: write(value) })
        ),
        isAll || first === undefined || second === undefined || rows.length > 2
          ? null
          : say(said.difference, { value: write(Math.abs(first.value - second.value)) }),
        order.metric.name !== "change" && minutes !== 1_440 ? say(said.present, {}) : null,
        isAll && order.metric.name === "volatility" ? say(said.atr, {}) : null,
        order.metric.name === "rsi"
          ? say(said.bars, { tf: format.frame(isAll ? "1h" : reading.frame ?? "1h") })
          : null,
        order.metric.name === "change" && ![60, 1_440, 10_080, 43_200].includes(minutes) || minutes === 60
          ? say(said.span, { days: format.count(order.days) })
          : null
      ]
    }
  },
  next: [
    questions.movers,
    questions.market,
    questions.oversold
  ]
}

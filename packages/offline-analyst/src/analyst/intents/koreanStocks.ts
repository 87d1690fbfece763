import type { Data } from "../Findings.ts"
import { ask, type Intent } from "../intent.ts"
import { type Reading, stockOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import type { Format } from "../writing/format.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"
import { quote } from "./usCompany.ts"

const asksMarket = rule(
  "kospi|kosdaq|seoul|korea(?:n)? (?:stock )?(?:market|stocks|equities|shares)|usd[/ ]?krw|korean won|won rate",
  "코스피|코스닥|국내\\s?(?:증시|주식)|한국\\s?(?:증시|주식|시장)|환율|원달러|원/달러",
  "коспи|косдак|корейск[а-я]+ (?:рын|акци|бирж|фондов)|курс воны|вон[аы]? к доллар|доллар[а-я]* к вон|usd/?krw"
)
const asksFlows = rule(
  "foreign(?:er|ers)?|institution(?:s|al)?|investor flows?|net (?:buying|selling)|retail flows?|who (?:is|was|are) (?:buying|selling)",
  "외국인|외인|기관|개인\\s?(?:순매수|매수|매도)|수급|순매수|순매도",
  "иностран|нерезидент|институционал|потоки? инвестор|нетто[ -]?(?:покуп|продаж)"
)
const asksFilings = rule(
  "disclosures?|filings?|filed?|dart",
  "공시",
  "раскрыти|нов[а-я]+ публикаци|отчетност[а-я]* компани|публикаци[а-я]* компани"
)

const stocks = {
  market: text(
    "KOSPI {kospi} ({kospiChange}), KOSDAQ {kosdaq} ({kosdaqChange}).",
    "코스피 {kospi}({kospiChange}), 코스닥 {kosdaq}({kosdaqChange})입니다.",
    "KOSPI {kospi} ({kospiChange}), KOSDAQ {kosdaq} ({kosdaqChange})."
  ),
  breadth: text(
    "{up} stocks up, {down} down.",
    "상승 {up}종목, 하락 {down}종목.",
    "Растет бумаг: {up}, падает: {down}."
  ),
  foreign: text("Foreigners net {sum}.", "외국인 순매수 {sum}.", "Иностранцы нетто {sum}."),
  fx: text(
    "Dollar at {rate} won ({change} in 24 hours).",
    "원/달러 환율 {rate}원(24시간 {change}).",
    "Доллар {rate} вон (за 24 часа {change})."
  ),
  fxFirst: text(
    "A dollar costs {rate} won ({change} in 24 hours).",
    "원/달러 환율은 {rate}원입니다(24시간 {change}).",
    "Доллар стоит {rate} вон (за 24 часа {change})."
  ),
  sectors: text(
    "Best sector {best} ({bestChange}), worst {worst} ({worstChange}).",
    "강한 업종 {best}({bestChange}), 약한 업종 {worst}({worstChange}).",
    "Лучший сектор {best} ({bestChange}), худший {worst} ({worstChange})."
  ),
  marketChange: text(
    "Foreign flows that turn, or a dollar that moves sharply, usually lead the index.",
    "외국인 수급이 돌아서거나 환율이 급변하면 지수가 따라가는 경우가 많습니다.",
    "Разворот потоков иностранцев или резкий ход доллара обычно опережают индекс."
  ),
  stock: text(
    "{name} ({symbol}) is at {price}, {change} against the previous close.",
    "{name}({symbol}) 현재가 {price}, 전일 대비 {change}입니다.",
    "{name} ({symbol}): {price}, к прошлому закрытию {change}."
  ),
  range: text(
    "52-week range {low} to {high}; it stands at {position}% of it.",
    "52주 범위 {low} ~ {high}, 현재 위치 {position}%.",
    "Диапазон 52 недель от {low} до {high}; сейчас на {position}% диапазона."
  ),
  value: text(
    "Market value {cap}, P/E {pe}, P/B {pb}; foreigners hold {share}.",
    "시가총액 {cap}, PER {pe}, PBR {pb}, 외국인 지분율 {share}.",
    "Капитализация {cap}, P/E {pe}, P/B {pb}; доля иностранцев {share}."
  ),
  cap: text(
    "Market value {cap}; foreigners hold {share}.",
    "시가총액 {cap}, 외국인 지분율 {share}.",
    "Капитализация {cap}; доля иностранцев {share}."
  ),
  flows: text(
    "Net over {days} days: foreigners {foreign}, institutions {institution}, retail {retail}.",
    "최근 {days}일 순매수: 외국인 {foreign}, 기관 {institution}, 개인 {retail}.",
    "Нетто за {days} дн.: иностранцы {foreign}, институты {institution}, физлица {retail}."
  ),
  stockChange: text(
    "Foreigners who change sides for several sessions, or a close outside the 52-week range, would change the picture.",
    "외국인 매매 방향이 여러 거래일 바뀌거나 52주 범위를 벗어나면 그림이 달라집니다.",
    "Смена стороны иностранцами на несколько сессий или выход из диапазона 52 недель изменят картину."
  ),
  stockWhy: text(
    "For Korean large caps flows of foreigners explain more of the short run than ratios do; the ratios bound the long run.",
    "국내 대형주는 단기적으로 밸류에이션보다 외국인 수급이 더 많이 설명합니다. 밸류에이션은 장기의 한계를 정합니다.",
    "Для крупных корейских бумаг на коротком сроке важнее потоки иностранцев, мультипликаторы ограничивают долгий."
  ),
  flowsVerdict: text(
    "{name}: foreigners net bought {foreign} over {days} days.",
    "{name}: 외국인은 최근 {days}일간 {foreign} 순매수입니다.",
    "{name}: иностранцы за {days} дн. чисто купили {foreign}."
  ),
  investorBought: text(
    "{name}: {who} net bought {value} over {days} days.",
    "{name}: {who} 최근 {days}일간 {value} 순매수입니다.",
    "{name}: {who} за {days} дн. чисто купили {value}."
  ),
  investorSold: text(
    "{name}: {who} net sold {value} over {days} days.",
    "{name}: {who} 최근 {days}일간 {value} 순매도입니다.",
    "{name}: {who} за {days} дн. чисто продали {value}."
  ),
  flowsSold: text(
    "{name}: foreigners net sold {foreign} over {days} days.",
    "{name}: 외국인은 최근 {days}일간 {foreign} 순매도입니다.",
    "{name}: иностранцы за {days} дн. чисто продали {foreign}."
  ),
  others: text(
    "Institutions {institution}, retail {retail}.",
    "기관 {institution}, 개인 {retail}.",
    "Институты {institution}, физлица {retail}."
  ),
  last: text(
    "Last day {date}: foreigners {foreign}, institutions {institution}, retail {retail}.",
    "최근일 {date}: 외국인 {foreign}, 기관 {institution}, 개인 {retail}.",
    "Последний день {date}: иностранцы {foreign}, институты {institution}, физлица {retail}."
  ),
  signs: text("Negative means net selling.", "음수는 순매도입니다.", "Минус означает нетто-продажи."),
  flowsChange: text(
    "A streak that breaks matters more than one day: wait for two or three sessions.",
    "하루보다 연속 흐름이 깨지는지가 중요합니다. 2~3거래일을 확인하세요.",
    "Важнее одного дня обрыв серии: смотрите две-три сессии."
  ),
  wholeMarket: text("The Korean market", "국내 증시 전체", "Корейский рынок"),
  filingsVerdict: text(
    "Latest filing of {name}: {title} ({date}).",
    "{name} 최근 공시: {title}({date}).",
    "Последняя публикация {name}: {title} ({date})."
  ),
  filing: text("{date} {company}: {title}", "{date} {company}: {title}", "{date} {company}: {title}"),
  filingsChange: text(
    "Titles tell the kind only: read the filing before you act on it.",
    "제목은 종류만 알려 줍니다. 매매 전에 원문을 확인하세요.",
    "Заголовок говорит лишь о виде: перед решением прочтите документ."
  )
}

const nameOf = (lang: string, symbol: string, name: string | null, korean: string | null): string =>
  (lang === "ko" ? korean : null) ?? name ?? symbol

const stockNext = [
  text(
    "Who is buying {name}: foreigners or retail?",
    "{name} 외국인 수급은 어떤가요?",
    "Кто покупает {name}: иностранцы или физлица?"
  ),
  text("Any recent filings of {name}?", "{name} 최근 공시가 있나요?", "Есть ли новые публикации {name}?"),
  questions.krMarket
]

const marketNext = [
  text(
    "What do foreigners buy in Korea?",
    "외국인은 국내 증시에서 사고 있나요?",
    "Покупают ли иностранцы корейские акции?"
  ),
  questions.kimchi,
  text("How is Samsung Electronics?", "삼성전자 주가는 어떤가요?", "Как акции Самсунга?")
]

const asksRate = rule(
  "usd[/ ]?krw|won rate|korean won|exchange rate",
  "환율|원/?달러",
  "курс|вон[аы]? к|к вон|usd/?krw"
)

export const krMarket: Intent = {
  name: "krMarket",
  reads: [
    rule("index|indices|doing|stocks?|korean?|market|summary", "지수|증시|시장|얼마|환율", "индекс|рынок"),
    asksMarket,
    asksRate
  ],
  asked: ({ words }) => asksMarket.test(words),
  over: ["price", "trend", "overview", "usMarket"],
  plan: () => [ask("get_kr_market")],
  write: ({ words }, found, { format, lang, say }) => {
    const data = found.of("get_kr_market")
    const sectors = data.list("sectors")
    const market = say(stocks.market, {
      kospi: format.fixed(data.num("kospi.value"), 2),
      kospiChange: format.change(data.num("kospi.change_pct")),
      kosdaq: format.fixed(data.num("kosdaq.value"), 2),
      kosdaqChange: format.change(data.num("kosdaq.change_pct"))
    })
    const fx = {
      rate: format.number(data.num("usd_krw.rate")),
      change: format.change(data.num("usd_krw.change_24h_pct"))
    }
    const rate = asksRate.test(words) ? say(stocks.fxFirst, fx) : null
    return {
      verdict: rate ?? market,
      evidence: [
        rate === null ? null : market,
        say(stocks.breadth, {
          up: format.count(data.num("breadth.advancing")),
          down: format.count(data.num("breadth.declining"))
        }),
        say(stocks.foreign, { sum: format.bigKrw(data.num("foreign_net_krw")) }),
        rate === null ? say(stocks.fx, fx) : null,
        say(stocks.sectors, {
          best: wordOf(lang, sectors[0]?.str("sector") ?? null),
          bestChange: format.change(sectors[0]?.num("change_pct") ?? null),
          worst: wordOf(lang, sectors.at(-1)?.str("sector") ?? null),
          worstChange: format.change(sectors.at(-1)?.num("change_pct") ?? null)
        })
      ],
      change: say(stocks.marketChange, {})
    }
  },
  next: marketNext
}

/** The default and maximum number of trading sessions of investor flows. */
const [usualDays, mostDays] = [20, 90]

/** Returns the number of trading sessions in the question's time span, at five sessions per week. */
const sessionsOf = ({ horizon }: Reading): number =>
  horizon === null
    ? usualDays
    : Math.min(mostDays, Math.max(1, Math.round((horizon.minutes / 10_080) * 5)))

const flowValues = (data: Data, path: string, format: Format) => ({
  foreign: format.bigKrw(data.num(`${path}foreign`)),
  institution: format.bigKrw(data.num(`${path}institution`)),
  retail: format.bigKrw(data.num(`${path}retail`))
})

export const krStock: Intent = {
  name: "krStock",
  reads: [rule("foreign\\w*|institution\\w*|flows?|buy\\w*", "외국인|기관|수급", "иностран"), quote],
  general: true,
  asked: (reading) => stockOf(reading, "kr") !== undefined,
  over: ["price", "trend"],
  plan: (reading) => {
    const symbol = stockOf(reading, "kr")?.symbol ?? "005930"
    return [ask("get_kr_stock", { symbol }), ask("get_kr_investor_flows", { symbol, days: usualDays })]
  },
  write: (reading, found, { format, lang, say }) => {
    const symbol = stockOf(reading, "kr")?.symbol ?? "005930"
    const data = found.of("get_kr_stock", { symbol })
    const flows = found.of("get_kr_investor_flows", { symbol })
    const values = {
      cap: format.bigKrw(data.num("market_cap_krw")),
      share: format.percent(data.num("foreign_share_pct"))
    }
    return {
      verdict: say(stocks.stock, {
        name: nameOf(lang, symbol, data.str("name"), data.str("name_ko")),
        symbol,
        price: format.krw(data.num("price_krw")),
        change: format.change(data.num("change_pct"))
      }),
      evidence: [
        say(stocks.range, {
          low: format.krw(data.num("range_52w.low")),
          high: format.krw(data.num("range_52w.high")),
          position: format.fixed(data.num("range_52w.position_pct"), 0)
        }),
        say(stocks.value, { ...values, pe: format.fixed(data.num("pe"), 1), pb: format.fixed(data.num("pb"), 2) }) ??
          say(stocks.cap, values),
        say(stocks.flows, { days: format.count(usualDays), ...flowValues(flows, "totals.", format) })
      ],
      change: say(stocks.stockChange, {}),
      why: say(stocks.stockWhy, {})
    }
  },
  next: stockNext
}

const ofForeigners = rule("foreign\\w*", "외국인|외인", "иностран")
const investors = [
  [rule("institution\\w*", "기관", "институц|институт"), "institution", text("institutions", "기관은", "институты")],
  [
    rule("retail|individuals?", "개인|개미", "физлиц|розниц"),
    "retail",
    text("individual investors", "개인은", "физлица")
  ]
] as const

export const krFlows: Intent = {
  name: "krFlows",
  reads: [
    rule("buy\\w*|sell\\w*|net|foreign\\w*", "매수|매도|사|팔|외국인|외인", "покупа|прода"),
    asksFlows,
    ...investors.map(([words]) => words)
  ],
  spans: true,
  asked: (reading) =>
    asksFlows.test(reading.words) && reading.coins.length === 0 && stockOf(reading, "us") === undefined,
  over: ["price", "trend", "krStock", "krMarket", "overview"],
  plan: (reading) => {
    const symbol = stockOf(reading, "kr")?.symbol
    const days = sessionsOf(reading)
    return [ask("get_kr_investor_flows", { ...(symbol === undefined ? {} : { symbol }), days })]
  },
  write: (reading, found, { format, lang, say }) => {
    const stock = stockOf(reading, "kr")
    const data = found.of("get_kr_investor_flows", stock === undefined ? {} : { symbol: stock.symbol })
    const last = data.list("points").at(-1)
    const name = stock === undefined
      ? say(stocks.wholeMarket, {})
      : nameOf(lang, stock.symbol, data.str("name"), stock.name)
    const { institution, retail } = flowValues(data, "totals.", format)
    const net = data.num("totals.foreign")
    const investor = investors.find(([words]) => words.test(reading.words))
    const own = investor === undefined || ofForeigners.test(reading.words) ? null : data.num(`totals.${investor[1]}`)
    return {
      verdict: own !== null && investor !== undefined
        ? say(own < 0 ? stocks.investorSold : stocks.investorBought, {
          name,
          who: investor[2][lang],
          value: format.bigKrw(Math.abs(own)),
          days: format.count(sessionsOf(reading))
        })
        : say((net ?? 0) < 0 ? stocks.flowsSold : stocks.flowsVerdict, {
          name,
          foreign: format.bigKrw(net === null ? null : Math.abs(net)),
          days: format.count(sessionsOf(reading))
        }),
      evidence: [
        say(stocks.others, { institution, retail }),
        last === undefined
          ? null
          : say(stocks.last, { date: format.date(last.str("date")), ...flowValues(last, "", format) }),
        say(stocks.signs, {})
      ],
      change: say(stocks.flowsChange, {})
    }
  },
  next: marketNext
}

const filingsShown = 5

export const krFilings: Intent = {
  name: "krFilings",
  reads: [asksFilings],
  asked: (reading) =>
    asksFilings.test(reading.words) && reading.coins.length === 0 && stockOf(reading, "us") === undefined,
  over: ["price", "trend", "krStock", "news"],
  plan: (reading) => {
    const symbol = stockOf(reading, "kr")?.symbol
    return [ask("get_kr_disclosures", { ...(symbol === undefined ? {} : { symbol }), top: filingsShown })]
  },
  write: (reading, found, { format, say }) => {
    const filings = found.of("get_kr_disclosures").list("filings")
    const [first] = filings
    return {
      verdict: say(stocks.filingsVerdict, {
        name: stockOf(reading, "kr")?.name ?? first?.str("company") ?? null,
        title: first?.str("title") ?? null,
        date: format.date(first?.str("date") ?? null)
      }),
      evidence: filings.slice(1, filingsShown).map((filing) =>
        say(stocks.filing, {
          date: format.date(filing.str("date")),
          company: filing.str("company"),
          title: filing.str("title")
        })
      ),
      change: say(stocks.filingsChange, {})
    }
  },
  next: stockNext
}

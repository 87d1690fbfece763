import type { Data } from "../Findings.ts"
import { ask, type Intent } from "../intent.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksCalendar = rule(
  "economic calendar|(?:could|can|will|might|may) move (?:the )?markets?(?! if)|macro(?: calendar| events?)?|calendar|cpi|fomc|fed(?: meeting)?|nfp|payrolls?|jobless|pce|gdp|inflation|rate decisions?|(?:rate|policy) meeting|boj|ecb|boe|bok|pboc|(?:rate|interest rate) (?:cut|hike)s?|(?:upcoming|big|important|any) (?:macro )?events?|events? (?:this|next) week|economic (?:data|events?|releases?)",
  "(?:미국|경제|이번\\s?주|오늘)\\s?(?:미국\\s?)?(?:지표|일정)|지표\\s?일정|경제\\s?(?:일정|지표|캘린더)|캘린더|매크로|거시|cpi|fomc|연준|고용\\s?지표|금통위|한은|일본은행|ecb|boj|물가|소비자물가|금리\\s?(?:결정|발표)|지표\\s?발표",
  "экономическ[а-я]+ (?:календар|событи|данн|статистик)|макро|календар|cpi|инфляци|фрс|fomc|занятост|ввп|заседани|ецб|банк японии|решени[а-я]+ (?:[а-я]+ )*по ставк|ставк[аеу] (?:цб|фрс|ецб|банка)|важн[а-я]+ (?:данн|публикаци|событи)|данные выйдут"
)
const asksYields = rule(
  "yields?(?: curve)?|treasur(?:y|ies)|10y|2s10s|bonds?|interest rates?",
  "국채|수익률\\s?곡선|장단기\\s?금리|채권|금리(?!\\s?(?:결정|발표))",
  "доходност|кривая|кривой|казначейск|облигаци|трежерис|процентн[а-я]+ ставк"
)
const korea = rule("korea(?:n)?", "한국|국내", "коре")
const countries: ReadonlyArray<readonly [code: string, named: RegExp]> = [
  ["US", rule("us|usa|u\\.s\\.?|american?|united states|fed|fomc", "미국|연준|fomc", "сша|америк|фрс")],
  ["KR", rule("korea(?:n)?|bok", "한국|국내|한은|금통위", "коре")],
  ["GB", rule("uk|u\\.k\\.?|britain|british|england|boe", "영국|영란은행", "британ|англи|великобритан")],
  ["EU", rule("eu|euro(?: ?zone| area)?|european?|ecb", "유럽|유로존|ecb", "европ|еврозон|ес(?![а-я])|ецб")],
  ["JP", rule("japan(?:ese)?|boj", "일본|일은|일본은행|boj", "япон|boj")],
  ["CN", rule("china|chinese|pboc", "중국|인민은행", "кита[йяею]")]
]

const countriesIn = (words: string): ReadonlyArray<string> =>
  countries.flatMap(([code, named]) => named.test(words) ? [code] : [])

/**
 * Returns the release and the countries of a question; a release without a country is a release of the United States.
 */
const calendarOf = ({ thread, words }: Reading) => {
  const [own, before] = [countriesIn(words), countriesIn(thread)]
  const named = own.length > 0 ? own : before
  const stated = releaseOf(words) ?? releaseOf(thread)
  // "The BOJ meeting" is a rate decision.
  const release = stated ?? (named.length > 0 && ofBanks.test(words) ? decisions : null)
  // A rate decision without a country may be that of any central bank.
  const isAny = release === decisions
  return {
    release,
    isAny: isAny && named.length === 0,
    countries: named.length > 0 ? named : release === null || isAny ? [] : ["US"]
  }
}

const said = {
  next: text(
    "The next release is {event} ({country}), {time}.",
    "다음 발표는 {event}({country}), {time}입니다.",
    "Следующая публикация: {event} ({country}), {time}."
  ),
  quiet: text(
    "Nothing is due within the next 24 hours.",
    "앞으로 24시간 안에 예정된 발표는 없습니다.",
    "В ближайшие 24 часа публикаций нет."
  ),
  nothing: text(
    "No such release is due within {days} days.",
    "{days}일 안에 예정된 해당 발표가 없습니다.",
    "В ближайшие {days} дн. такая публикация не ожидается."
  ),
  event: text(
    "{time} {country} {event}: forecast {forecast}, previous {previous}.",
    "{time} {country} {event}: 예상 {forecast}, 이전 {previous}.",
    "{time} {country} {event}: прогноз {forecast}, прошлое {previous}."
  ),
  bare: text("{time} {country} {event}.", "{time} {country} {event}.", "{time} {country} {event}."),
  actual: text(
    "{time} {country} {event}: actual {actual}, forecast {forecast}.",
    "{time} {country} {event}: 실제 {actual}, 예상 {forecast}.",
    "{time} {country} {event}: факт {actual}, прогноз {forecast}."
  ),
  uncovered: text(
    "The calendar covers the US, Korea, the euro area, the UK, Japan and China only, so I have no date for that central bank.",
    "경제 일정은 미국, 한국, 유로존, 영국, 일본, 중국만 다루므로 해당 중앙은행 일정은 없습니다.",
    "Календарь охватывает только США, Корею, еврозону, Великобританию, Японию и Китай, поэтому по этому банку данных нет."
  ),
  noForecast: text(
    "No forecast is published for it in the data, and I do not predict decisions.",
    "데이터에 예상치가 없으며, 결정을 예측하지 않습니다.",
    "Прогноза в данных нет, а сам я решений не предсказываю."
  ),
  last: text(
    "The last {event} ({country}) was {actual} on {time}, forecast {forecast}, previous {previous}.",
    "최근 {event}({country})은(는) {time}에 {actual}, 예상 {forecast}, 이전 {previous}였습니다.",
    "Последнее значение {event} ({country}): {actual} на {time}, прогноз {forecast}, прошлое {previous}."
  ),
  noLast: text(
    "No such release is among those of the last {days} days.",
    "최근 {days}일 안에 해당 발표가 없습니다.",
    "За последние {days} дн. такой публикации нет."
  ),
  change: text(
    "It is the surprise against the forecast that moves markets, not the number: cut risk before, decide after.",
    "시장을 움직이는 것은 수치가 아니라 예상과의 차이입니다. 발표 전에는 위험을 줄이고 발표 후에 판단하세요.",
    "Рынок двигает не число, а отклонение от прогноза: до публикации сократите риск, решайте после."
  ),
  curve: text(
    "{country} curve: 10-year yield {ten}, two-year {two}, spread {spread} bps.",
    "{country} 금리: 10년 {ten}, 2년 {two}, 장단기 차 {spread}bp.",
    "Кривая {country}: 10 лет {ten}, 2 года {two}, спред {spread} б.п."
  ),
  curveShort: text(
    "{country} curve: spread of ten to two years {spread} bps.",
    "{country} 장단기 금리차(10년-2년) {spread}bp.",
    "Кривая {country}: спред 10 и 2 лет {spread} б.п."
  ),
  inverted: text(
    "The curve is inverted, as before many recessions.",
    "곡선이 역전된 상태이며, 과거 침체에 앞서 자주 나타났습니다.",
    "Кривая инвертирована, как перед многими рецессиями."
  ),
  upright: text("The curve is not inverted.", "곡선은 역전되지 않았습니다.", "Кривая не инвертирована."),
  month: text(
    "Ten-year change over a month {change} bps.",
    "10년물 한 달 변화 {change}bp.",
    "Изменение 10-летней за месяц {change} б.п."
  ),
  short: text(
    "Three months to ten years {spread} bps.",
    "3개월-10년 금리차 {spread}bp.",
    "Спред 10 лет и 3 месяцев {spread} б.п."
  ),
  curveChange: text(
    "A curve that steepens because short rates fall is easing; because long rates rise, it weighs on everything without yield.",
    "단기 금리 하락에 따른 스티프닝은 완화이고, 장기 금리 상승에 따른 것은 이자 없는 자산에 부담입니다.",
    "Наклон из-за падения коротких ставок это смягчение, из-за роста длинных давит на все, что не дает дохода."
  )
}

const shown = 5

/** Matches the names of rate decisions in the calendar. */
const decisions = /FOMC|rate decision|interest rate/i
const ofBanks = rule(
  "boj|ecb|boe|bok|pboc|fed|meeting|rates?",
  "금통위|한은|일은|연준|금리|회의",
  "ецб|фрс|банк|заседани|ставк"
)
/** Matches central banks of countries that the calendar does not cover. */
const uncovered = rule("rba|rbnz|snb|boc|cbr", "호주|캐나다|러시아", "(?:цб|банк[а]?) (?:рф|росси)|рф|росси")

const releases: ReadonlyArray<readonly [RegExp, RegExp]> = [
  [
    rule(
      "fomc|fed|rate decisions?|rate (?:cut|hike)s?",
      "fomc|연준|금리\\s?(?:결정|발표)",
      "fomc|фрс|заседани|решени[а-я]+ (?:[а-я]+ )*по ставк"
    ),
    decisions
  ],
  [rule("cpi|inflation", "cpi|소비자물가|물가", "cpi|инфляци"), /CPI/],
  [rule("pce", "pce", "pce"), /PCE/],
  [rule("nfp|payrolls?|jobs report", "고용\\s?(?:지표|보고서)|nfp", "nfp|занятост"), /payroll|employment/i],
  [rule("gdp", "gdp|국내총생산", "ввп"), /GDP/]
]
const releasesOf = (words: string): ReadonlyArray<RegExp> =>
  releases.flatMap(([asked, name]) => asked.test(words) ? [name] : [])
const asksCore = rule("core", "근원|코어", "базов")
const isCore = (event: Data): boolean => /core/i.test(event.str("name") ?? "")
const releaseOf = (words: string): RegExp | null => releasesOf(words)[0] ?? null

/** The countries of the calendar with a central bank that announces its decisions. */
const bankCountries = ["US", "KR", "EU", "GB", "JP"] as const

const asksLast = rule(
  "come in|came in|last (?:time|print|reading|release|one)|(?:was|were) the (?:last|latest)|latest|actual",
  "지난번|최근 발표|나왔|결과",
  "последн|вышел|вышла|прошл|факт"
)
const asksExpected = rule(
  "expect\\w*|forecast|consensus|going to (?:cut|hike)|(?:cut|hike|hold)",
  "예상|전망|컨센서스|인하|인상|동결",
  "ожида|прогноз|консенсус|сниз|повыс"
)

export const calendar: Intent = {
  name: "calendar",
  reads: [
    rule(
      "next|when|date|meetings?|rates?|decisions?|expected|forecast|consensus|events?|release|this week|last",
      "다음|언제|발표|일정|예상|금리|결정|회의",
      "когда|следующ|ожида|прогноз|решени|ставк|заседани|событи"
    ),
    asksCalendar,
    asksLast,
    asksExpected,
    ofBanks,
    uncovered,
    korea,
    asksCore,
    ...countries.map(([, words]) => words),
    ...releases.map(([words]) => words)
  ],
  spans: "own",
  asked: ({ words }) => asksCalendar.test(words),
  over: ["price", "trend", "indicators", "usMarket", "overview", "yields"],
  plan: (reading) => {
    const { horizon } = reading
    const { countries: [country, ...others], isAny, release } = calendarOf(reading)
    const days = release !== null
      ? 30
      : Math.min(30, Math.max(7, Math.ceil((horizon?.minutes ?? 10_080) / 1_440)))
    const isOne = country !== undefined && others.length === 0
    const back = release !== null && asksLast.test(reading.words) ? { days_back: 30 } : {}
    // The whole calendar is too long for one result.
    const asked = isAny ? bankCountries : isOne ? [country] : [undefined]
    return asked.map((one) =>
      ask("get_economic_calendar", { days, ...back, ...(one === undefined ? {} : { country: one }) })
    )
  },
  write: (reading, found, { format, lang, say }) => {
    const { words } = reading
    const data = found.of("get_economic_calendar")
    if (uncovered.test(words)) return { verdict: say(said.uncovered, {}), evidence: [] }
    const { countries: wanted, isAny, release } = calendarOf(reading)
    const asked = found.came("get_economic_calendar")?.arguments?.["days"]
    const all = found.all.filter(({ name, ok }) => ok && name === "get_economic_calendar")
      .flatMap(({ data }) => data.list("events"))
      .toSorted((a, b) => (a.str("time") ?? a.str("date") ?? "").localeCompare(b.str("time") ?? b.str("date") ?? ""))
    const events = all.filter((event) =>
      (release === null || release.test(event.str("name") ?? "")) &&
      (wanted.length === 0 || wanted.includes(event.str("country") ?? ""))
    )
    const ahead = events.filter((event) => event.num("actual") === null)
    const dayEnd = Date.parse(data.str("as_of") ?? "") + 86_400_000
    const isToday = release === null && reading.horizon?.minutes === 1_440 && !/tomorrow|내일|завтра/u.test(words)
    const isQuiet = isToday && ahead.length > 0 && !ahead.some((event) => Date.parse(event.str("time") ?? "") < dayEnd)
    // CPI means the headline index unless the question asks for core CPI.
    const named = ahead.find((event) => isCore(event) === asksCore.test(words)) ?? ahead[0]
    const isAnyHigh = release === null && (wanted.length === 0 || wanted.includes(data.str("next_high.country") ?? ""))
    const next = (field: string) => (isAnyHigh ? data.str(`next_high.${field}`) : null) ?? named?.str(field) ?? null
    const important = events.filter((event) => event.str("importance") === "high")
    const listed = [...important, ...events.filter((event) => event.str("importance") !== "high")].slice(0, shown)
      .toSorted((a, b) =>
        (a.str("time") ?? "").localeCompare(b.str("time") ?? "") || Number(isCore(a)) - Number(isCore(b))
      )
    const past = events.filter((event) => event.num("actual") !== null && isCore(event) === asksCore.test(words)).at(-1)
    const wantsLast = release !== null && asksLast.test(words)
    const last = say(said.last, {
      event: wordOf(lang, past?.str("name") ?? null),
      country: wordOf(lang, past?.str("country") ?? null),
      actual: format.plain(past?.num("actual") ?? null),
      time: format.time(past?.str("time") ?? null) ?? past?.str("date") ?? null,
      forecast: format.plain(past?.num("forecast") ?? null) ?? "?",
      previous: format.plain(past?.num("previous") ?? null) ?? "?"
    })
    const isUnforecast = asksExpected.test(words) && !isAny && (named?.num("forecast") ?? null) === null
    return {
      verdict: (wantsLast ? last ?? say(said.noLast, { days: "30" }) : null) ?? say(said.next, {
        event: wordOf(lang, next("name")),
        country: wordOf(lang, next("country")),
        time: format.time(next("time")) ?? next("date")
      }) ??
        (data.raw === null || ahead.length > 0
          ? null
          : say(said.nothing, { days: format.count(typeof asked === "number" ? asked : null) })),
      evidence: [isUnforecast ? say(said.noForecast, {}) : null, isQuiet ? say(said.quiet, {}) : null].concat(
        releasesOf(words).slice(1).map((other) => {
          const event = data.list("events").find((row) =>
            other.test(row.str("name") ?? "") && row.num("actual") === null
          )
          return say(said.bare, {
            time: format.time(event?.str("time") ?? null),
            country: wordOf(lang, event?.str("country") ?? null),
            event: wordOf(lang, event?.str("name") ?? null)
          })
        })
      ).concat(
        listed.filter((event) => event !== named || event.num("forecast") !== null).map((event) => {
          const values = {
            time: format.time(event.str("time")),
            country: wordOf(lang, event.str("country")),
            event: wordOf(lang, event.str("name")),
            forecast: format.plain(event.num("forecast"))
          }
          return say(said.actual, { ...values, actual: format.plain(event.num("actual")) }) ??
            say(said.event, { ...values, previous: format.plain(event.num("previous")) }) ?? say(said.bare, values)
        })
      ),
      change: say(said.change, {})
    }
  },
  next: [
    questions.yields,
    text("How is the market's mood?", "시장 심리는 어떤가요?", "Какое настроение на рынке?"),
    questions.usMarket
  ]
}

export const yields: Intent = {
  name: "yields",
  reads: [
    rule("curve|invert\\w*|\\d+ ?-?(?:y|years?)", "\\d+년물?|장단기|역전|미국", "крив|инверт|\\d+[- ]?(?:лет|год)|сша"),
    asksYields,
    korea,
    countries[0]![1]
  ],
  asked: ({ coins, words }) => asksYields.test(words) && coins.length === 0,
  over: ["price", "trend", "usMarket"],
  plan: ({ words }) => [ask("get_yield_curve", { country: korea.test(words) ? "KR" : "US" })],
  write: (_, found, { format, lang, say }) => {
    const data = found.of("get_yield_curve")
    const tenor = (name: string) =>
      data.list("tenors").find((row) => row.str("tenor") === name)?.num("yield_pct") ?? null
    const values = {
      country: wordOf(lang, data.str("country")),
      spread: format.fixed(data.num("spread_10y_2y_bps"), 1)
    }
    return {
      verdict: say(said.curve, { ...values, ten: format.percent(tenor("10Y")), two: format.percent(tenor("2Y")) }) ??
        say(said.curveShort, values),
      evidence: [
        data.raw === null ? null : say(data.is("inverted") ? said.inverted : said.upright, {}),
        say(said.short, { spread: format.fixed(data.num("spread_10y_3m_bps"), 1) }),
        say(said.month, { change: format.signed(data.num("change_1m_bps")) })
      ],
      change: say(said.curveChange, {})
    }
  },
  next: [
    questions.calendar,
    questions.usMarket,
    questions.market
  ]
}

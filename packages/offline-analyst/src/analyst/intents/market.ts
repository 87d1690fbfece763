import type { Data } from "../Findings.ts"
import { ask, type Desk, type Intent } from "../intent.ts"
import { countIn } from "../reading/numbers.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksOverview = rule(
  "market|markets|crypto(?: today)?|overview|sentiment|mood|alt(?:coin)?s?|everything|risk[- ]on|risk[- ]off|regime",
  "시장|코인판|크립토|전반|전체|분위기|심리|알트|시황|국면|리스크\\s?(?:온|오프)|코인장|오늘 장|장세",
  "рын[оке]|крипт|обзор|в целом|настроени|альт|ситуаци|режим|риск[- ]?о(?:н|фф)"
)
const asksFear = rule("fear(?:ful)?(?: and greed| & greed)?|greed(?:y)?|nervous|anxious", "공포|탐욕", "страх|жадност")
const asksMovers = rule(
  "movers?|gainers?|losers?|what moved|moved most|top (?:coins|gainers|losers)|biggest (?:moves?|winners|losers)|best perform(?:ing|ers?)|worst perform(?:ing|ers?)|pumping|dumping",
  "급등주|급등|급락|상승률|하락률|많이 (?:오른|올랐|내린|떨어진|움직인)|움직인|등락률|거래대금 상위",
  "лидер[а-я]* (?:рост|паден)|топ[а-я]* (?:лузер|гейнер)|лузер|гейнер|сильнее всего|больше всех|выросл[аио] больше|топ (?:рост|паден)|двигал|что (?:растет|падает)|самые (?:растущ|падающ)|движени[яй] дня|кто (?:[а-я]+ )?в (?:плюсе|минусе)|топ[- ]?\\d+ монет"
)
const asksDominance = rule(
  "dominance|altseason|alt season|total (?:market )?(?:cap|mcap)",
  "도미넌스|점유율|알트\\s?시즌|전체\\s?시총",
  "доминаци|альтсезон|общ[а-я]+ капитализац"
)

const said = {
  verdict: text(
    "The market regime is {label}: trend {trend}, volatility {volatility}, {risk}.",
    "시장 국면은 {label}입니다. 추세 {trend}, 변동성 {volatility}, {risk}.",
    "Режим рынка: {label}; тренд {trend}, волатильность {volatility}, {risk}."
  ),
  riskFirst: text(
    "Risk appetite reads {risk}; the regime is {label}, trend {trend}, volatility {volatility}.",
    "위험 선호도는 {risk}입니다. 시장 국면은 {label}, 추세 {trend}, 변동성 {volatility}입니다.",
    "Отношение к риску: {risk}; режим {label}, тренд {trend}, волатильность {volatility}."
  ),
  goesOn: text("No, not by the regime.", "국면 기준으로는 아닙니다.", "Судя по режиму, нет."),
  isOver: text("By the regime, yes.", "국면 기준으로는 그렇습니다.", "Судя по режиму, да."),
  altseasonYes: text(
    "By the usual measure it is altseason: {index} of 100 (above 75).",
    "통상 기준(75 초과)으로 알트시즌입니다. 지수 {index}/100.",
    "По обычной мерке альтсезон идет: {index} из 100 (выше 75)."
  ),
  altseasonNo: text(
    "By the usual measure it is not altseason: {index} of 100, where above 75 counts.",
    "통상 기준(75 초과)으로는 아직 알트시즌이 아닙니다. 지수 {index}/100.",
    "По обычной мерке альтсезона нет: {index} из 100, нужно выше 75."
  ),
  breadth: text(
    "Breadth: {up} coins up, {down} down over 24 hours; mean score {score}.",
    "24시간 상승 {up}개, 하락 {down}개, 평균 점수 {score}.",
    "Ширина: за 24 часа растет монет: {up}, падает: {down}; средний балл {score}."
  ),
  fear: text(
    "Fear and greed {value} of 100: {label} ({week} over 7 days).",
    "공포·탐욕 지수 {value}/100: {label}(7일 {week}).",
    "Страх и жадность {value} из 100: {label} (за 7 дней {week})."
  ),
  majors: text("{rows}.", "{rows}.", "{rows}."),
  row: text("{coin} {price} ({change})", "{coin} {price}({change})", "{coin} {price} ({change})"),
  gainers: text("Gainers: {rows}.", "상승 상위: {rows}.", "Рост: {rows}."),
  losers: text("Losers: {rows}.", "하락 상위: {rows}.", "Падение: {rows}."),
  turnover: text("Most traded: {rows}.", "거래대금 상위: {rows}.", "По обороту: {rows}."),
  mover: text("{name} {change}", "{name} {change}", "{name} {change}"),
  change: text(
    "Breadth that narrows while BTC holds, or a turn to risk-off, would change this view.",
    "BTC가 버티는데 상승 종목이 줄거나 위험 회피로 돌아서면 이 판단은 바뀝니다.",
    "Сужение роста при стоящем BTC или переход в risk-off изменят этот взгляд."
  ),
  why: text(
    "I read breadth beside BTC: a rise that few coins share is weak, one that most share is a regime.",
    "BTC와 함께 등락 종목 수를 봅니다. 소수만 오르는 상승은 약하고, 대부분이 오르면 국면입니다.",
    "Смотрю ширину рядом с BTC: рост немногих слаб, рост большинства это режим."
  ),
  fearVerdict: text(
    "Fear and greed stands at {value} of 100: {label}.",
    "공포·탐욕 지수는 {value}/100, {label}입니다.",
    "Индекс страха и жадности {value} из 100: {label}."
  ),
  fearMoves: text(
    "Change over 1 day {day}, over 7 days {week}.",
    "1일 변화 {day}, 7일 변화 {week}.",
    "Изменение за 1 день {day}, за 7 дней {week}."
  ),
  part: text("{name} {value}", "{name} {value}", "{name} {value}"),
  parts: text("Parts (0 to 100): {parts}.", "구성 요소(0~100): {parts}.", "Составляющие (0 до 100): {parts}."),
  fearChange: text(
    "Extremes last: greed becomes a warning when it falls back from the top, fear an opportunity when it rises from the bottom.",
    "극단은 오래갑니다. 탐욕은 꼭대기에서 꺾일 때 경고, 공포는 바닥에서 올라올 때 기회입니다.",
    "Крайности держатся долго: жадность тревожна, когда падает с вершины, страх интересен, когда растет от дна."
  ),
  moversVerdict: text(
    "Largest gain {name} {change}, largest loss {other} {fall}.",
    "상승 1위 {name} {change}, 하락 1위 {other} {fall}.",
    "Максимальный рост: {name} {change}; максимальное падение: {other} {fall}."
  ),
  losersVerdict: text(
    "Largest loss {other} {fall}, largest gain {name} {change}.",
    "하락 1위 {other} {fall}, 상승 1위 {name} {change}.",
    "Максимальное падение: {other} {fall}; максимальный рост: {name} {change}."
  ),
  span: text(
    "Coins on won markets over 24 hours, Korean stocks against the previous close.",
    "코인은 원화 마켓 24시간, 주식은 전일 종가 대비입니다.",
    "Монеты к воне за 24 часа, корейские акции к прошлому закрытию."
  ),
  moversChange: text(
    "A large move on thin turnover says little: look at who trades before you follow.",
    "거래대금이 적은 급등락은 의미가 작습니다. 따라가기 전에 수급을 보세요.",
    "Большое движение на тонком обороте значит мало: сначала посмотрите, кто торгует."
  ),
  dominance: text(
    "BTC dominance {btc}, ETH {eth}, stablecoins {stable}.",
    "BTC 도미넌스 {btc}, ETH {eth}, 스테이블코인 {stable}.",
    "Доминация BTC {btc}, ETH {eth}, стейблкоины {stable}."
  ),
  total: text(
    "Total value {cap}, volume of 24 hours {volume}.",
    "전체 시가총액 {cap}, 24시간 거래대금 {volume}.",
    "Общая капитализация {cap}, объем за 24 часа {volume}."
  ),
  altseason: text(
    "Altseason index {index} of 100 (coins ahead of BTC over 90 days).",
    "알트시즌 지수 {index}/100(90일간 BTC를 앞선 코인 비율).",
    "Индекс альтсезона {index} из 100 (монет впереди BTC за 90 дней)."
  ),
  dominanceChange: text(
    "Dominance that falls while the total value rises is what an altseason looks like; falling with it is flight.",
    "전체 시총이 오르며 도미넌스가 내려가면 알트시즌, 함께 내려가면 이탈입니다.",
    "Падение доминации при росте общей капитализации похоже на альтсезон; вместе с ней это бегство."
  )
}

const shown = 3
const listed = 5

/** The percentage of coins that must outperform BTC in an altseason. */
const altseasonFrom = 75

const moversLine = (
  rows: ReadonlyArray<Data>,
  { format, say }: Desk,
  most = shown,
  isTurnover = false
): string | null =>
  format.list(
    rows.slice(0, most).flatMap((row) =>
      say(said.mover, {
        name: row.str("coin") ?? row.str("name"),
        change: isTurnover ? format.bigKrw(row.num("turnover_krw")) : format.change(row.num("change_pct"))
      }) ?? []
    )
  )

const next = [
  questions.movers,
  questions.outlookOfBitcoin,
  questions.oversold,
  questions.signals
]

/** Returns whether a question asks about the whole market and not about a named instrument. */
const unnamed = ({ coins, named, stocks }: Reading): boolean => !named || (coins.length === 0 && stocks.length === 0)

const asksRisk = rule("risk[- ]?on|risk[- ]?off", "리스크\\s?(?:온|오프)|위험\\s?선호", "риск[- ]?о(?:н|фф)")
const asksAltseason = rule("altseason|alt season", "알트\\s?시즌", "альтсезон")

const asksOver = rule("over|ended|finished|dead|done", "끝났|끝난|끝인|종료", "закончил|конч|конец|позади")
const ofBear = rule("bear", "하락장|약세장|곰장", "медвеж")

/** Returns whether a bull or bear market is over by the regime, or null if the question does not ask. */
const overOf = (words: string, trend: string | null, { say }: Desk): string | null => {
  if (!asksOver.test(words) || trend === null) return null
  const goesOn = ofBear.test(words) ? trend === "down" : trend === "up"
  return say(goesOn ? said.goesOn : said.isOver, {})
}

export const overview: Intent = {
  name: "overview",
  reads: [
    rule("summary|recap|brief|today|doing", "요약|브리핑|정리|시황", "сводк|обзор|итог"),
    asksOverview,
    asksRisk,
    asksOver,
    ofBear,
    rule("bull", "상승장|강세장|불장", "бычий|быч")
  ],
  general: true,
  asked: (reading) => asksOverview.test(reading.words) && unnamed(reading),
  over: ["price", "trend"],
  plan: () => [
    ask("get_market_overview"),
    ask("get_regime"),
    ask("get_fear_greed"),
    ask("get_movers", { market: "crypto", top: shown })
  ],
  write: ({ words }, found, desk) => {
    const { format, lang, say } = desk
    const all = found.of("get_market_overview")
    const regime = found.of("get_regime")
    const fear = found.of("get_fear_greed")
    const movers = found.of("get_movers")
    const state = say(asksRisk.test(words) ? said.riskFirst : said.verdict, {
      label: wordOf(lang, regime.str("label")),
      trend: wordOf(lang, regime.str("trend")),
      volatility: wordOf(lang, regime.str("volatility")),
      risk: wordOf(lang, regime.str("risk"))
    })
    return {
      verdict: state === null ? null : [overOf(words, regime.str("trend"), desk), state].join(" ").trim(),
      evidence: [
        say(said.majors, {
          rows: format.list(
            all.list("coins").slice(0, shown).flatMap((coin) =>
              say(said.row, {
                coin: coin.str("coin"),
                price: format.usd(coin.num("price")),
                change: format.change(coin.num("change_24h_pct"))
              }) ?? []
            )
          )
        }),
        say(said.breadth, {
          up: format.count(all.num("breadth.advancing")),
          down: format.count(all.num("breadth.declining")),
          score: format.fixed(all.num("breadth.mean_score"), 1)
        }),
        say(said.fear, {
          value: format.fixed(fear.num("value"), 0),
          label: wordOf(lang, fear.str("label")),
          week: format.signed(fear.num("change_7d"))
        }),
        say(said.gainers, { rows: moversLine(movers.list("gainers"), desk) }),
        say(said.losers, { rows: moversLine(movers.list("losers"), desk) })
      ],
      change: say(said.change, {}),
      why: say(said.why, {})
    }
  },
  next
}

export const fearGreed: Intent = {
  name: "fearGreed",
  reads: [rule("index|high|low", "지수", "индекс"), asksFear],
  asked: ({ words }) => asksFear.test(words),
  over: ["price", "trend", "overview"],
  plan: () => [ask("get_fear_greed")],
  write: (_, found, { format, lang, say }) => {
    const data = found.of("get_fear_greed")
    return {
      verdict: say(said.fearVerdict, {
        value: format.fixed(data.num("value"), 0),
        label: wordOf(lang, data.str("label"))
      }),
      evidence: [
        say(said.fearMoves, { day: format.signed(data.num("change_1d")), week: format.signed(data.num("change_7d")) }),
        say(said.parts, {
          parts: format.list(
            data.list("components").flatMap((part) =>
              say(said.part, { name: wordOf(lang, part.str("name")), value: format.fixed(part.num("value"), 0) }) ?? []
            )
          )
        })
      ],
      change: say(said.fearChange, {}),
      why: say(said.why, {})
    }
  },
  next
}

const ofMovers = rule(
  "stocks?|shares?|coins?|crypto|alts?|top",
  "주식|코인|종목|알트|크립토",
  "акци|монет|крипт|альт|коин|топ"
)

const asksLosers = rule("losers?|worst|dumping|dumped|fell", "급락|하락률|내린|떨어진|빠진", "лузер|паден|падающ|упал")

export const movers: Intent = {
  name: "movers",
  reads: [asksMovers, ofMovers],
  spans: ({ horizon }) => horizon?.minutes === 1_440,
  numbers: ({ words }) => [countIn(words) ?? []].flat(),
  asked: (reading) => asksMovers.test(reading.words) && unnamed(reading),
  lists: ({ words }, found) => {
    return found.of("get_movers").list(asksLosers.test(words) ? "losers" : "gainers").flatMap((row) =>
      row.str("coin") ?? []
    )
  },
  over: ["price", "trend", "overview"],
  plan: ({ words }) => {
    const stocks = rule("stocks?|shares?", "주식|종목(?=.*주식)|증시", "акци").test(words)
    const coins = rule("coins?|crypto", "코인|크립토", "монет|крипт|коин").test(words)
    const any = rule("what|anything|everything", "종목|뭐|무엇", "что").test(words)
    return [
      ask("get_movers", {
        market: stocks === coins && any ? "all" : stocks ? "stock" : "crypto",
        top: countIn(words) ?? 5
      })
    ]
  },
  write: ({ words }, found, desk) => {
    const { format, say } = desk
    const data = found.of("get_movers")
    const isTurnover = rule("turnover|traded|volume", "거래대금", "оборот|объем").test(words)
    const turnover = say(said.turnover, { rows: moversLine(data.list("turnover"), desk, listed, isTurnover) })
    const [first] = data.list("gainers")
    const [last] = data.list("losers")
    return {
      verdict: (isTurnover ? turnover : null) ?? say(asksLosers.test(words) ? said.losersVerdict : said.moversVerdict, {
        name: first?.str("coin") ?? first?.str("name") ?? null,
        change: format.change(first?.num("change_pct") ?? null),
        other: last?.str("coin") ?? last?.str("name") ?? null,
        fall: format.change(last?.num("change_pct") ?? null)
      }),
      evidence: [
        say(said.gainers, { rows: moversLine(data.list("gainers"), desk, listed) }),
        say(said.losers, { rows: moversLine(data.list("losers"), desk, listed) }),
        isTurnover ? null : turnover,
        say(said.span, {})
      ],
      change: say(said.moversChange, {})
    }
  },
  next: next.slice(1)
}

export const dominance: Intent = {
  name: "dominance",
  reads: [rule("share|cap", "점유|시총", "дол|капитализ"), asksDominance],
  asked: ({ words }) => asksDominance.test(words),
  over: ["price", "trend", "overview"],
  plan: () => [ask("get_dominance")],
  write: ({ words }, found, { format, say }) => {
    const data = found.of("get_dominance")
    const shares = say(said.dominance, {
      btc: format.percent(data.num("btc_pct")),
      eth: format.percent(data.num("eth_pct")),
      stable: format.percent(data.num("stable_pct"))
    })
    const index = format.fixed(data.num("altseason_index"), 0)
    const season = asksAltseason.test(words)
      ? say((data.num("altseason_index") ?? 0) > altseasonFrom ? said.altseasonYes : said.altseasonNo, { index })
      : null
    return {
      verdict: season ?? shares,
      evidence: [
        season === null ? null : shares,
        say(said.total, {
          cap: format.bigUsd(data.num("total_cap_usd")),
          volume: format.bigUsd(data.num("volume_24h_usd"))
        }),
        season === null ? say(said.altseason, { index }) : null
      ],
      change: say(said.dominanceChange, {})
    }
  },
  next
}

import type { Data, Findings } from "../Findings.ts"
import { ask, type Desk, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asksFunding = rule(
  "funding(?: rates?)?|perp fees?|cheapest (?:exchange|venue|place) to (?:long|short|hold)",
  "펀딩|펀비|자금조달",
  "фандинг|ставк[аиу] финансирован|финансировани"
)
const asksInterest = rule(
  "open interest|oi|positioning|long[ /-]short|l/s|(?<!should i )longs? (?:vs|versus|and|or) shorts?|takers?|leverage in|crowded|overcrowded|derivatives|futures|perps?",
  "미결제|오픈\\s?인터레스트|롱\\s?숏|롱/숏|(?:롱|숏) ?비율|포지션\\s?(?:비율|쏠림)|테이커|쏠[림린렸]|파생|선물(?!하)",
  "(?:открыт[а-я]+|опен) интерес|ои(?![а-я])|перегруж|перекос|лонг[а-я]*[ /-]+(?:и |к |против )?шорт|позиционирован|соотношени|тейкер|дериватив|фьючерс|перп"
)
const said = {
  fundingHigh: text(
    "{name} longs pay a lot: funding {rate} per {hours} h ({annual} a year).",
    "{name} 롱이 비싼 값을 치르고 있습니다. 펀딩비 {rate}({hours}시간), 연 {annual}.",
    "Лонги по {name} платят дорого: фандинг {rate} за {hours} ч ({annual} годовых)."
  ),
  fundingUp: text(
    "{name} funding is positive but not stretched: {rate} per {hours} h ({annual} a year), longs pay shorts.",
    "{name} 펀딩비는 양수지만 과열은 아닙니다. {rate}({hours}시간), 연 {annual}이며 롱이 숏에게 지급합니다.",
    "Фандинг {name} положительный, но не перегрет: {rate} за {hours} ч ({annual} годовых), лонги платят шортам."
  ),
  fundingDown: text(
    "{name} funding is negative: {rate} per {hours} h ({annual} a year), shorts pay longs.",
    "{name} 펀딩비는 음수입니다. {rate}({hours}시간), 연 {annual}이며 숏이 롱에게 지급합니다.",
    "Фандинг {name} отрицательный: {rate} за {hours} ч ({annual} годовых), шорты платят лонгам."
  ),
  rank: text(
    "Percentile of 90 days {percentile}, z-score {z} (n = {n}).",
    "90일 백분위 {percentile}, z 점수 {z}(n = {n}).",
    "Перцентиль за 90 дней {percentile}, z-оценка {z} (n = {n})."
  ),
  venue: text("{venue} {rate}", "{venue} {rate}", "{venue} {rate}"),
  venues: text(
    "8-hour rates by venue: {venues}.",
    "거래소별 8시간 환산: {venues}.",
    "Ставки за 8 ч по площадкам: {venues}."
  ),
  cheapest: text(
    "Long {name} is cheapest to hold on {long}, short is best paid on {short}: {spread} a year between them.",
    "{name} 롱은 {long}, 숏은 {short}에서 가장 유리합니다. 거래소 간 차이는 연 {spread}입니다.",
    "Лонг по {name} дешевле всего держать на {long}, шорт выгоднее на {short}: разница {spread} годовых."
  ),
  spread: text(
    "Spread between venues {spread} a year: cheapest long {long}, best paid short {short}.",
    "거래소 간 차이 연 {spread}: 롱은 {long}, 숏은 {short} 쪽이 유리합니다.",
    "Разница между площадками {spread} годовых: лонг дешевле на {long}, шорт выгоднее на {short}."
  ),
  crowd: text(
    "Open interest {oi} ({change} in 24 hours, in coins); long/short ratio {ratio}.",
    "미결제약정 {oi}(24시간 {change}, 코인 기준), 롱/숏 비율 {ratio}.",
    "Открытый интерес {oi} (за 24 часа {change} в монетах); лонг/шорт {ratio}."
  ),
  changeUp: text(
    "Funding in its top decile with open interest still rising would warn of a squeeze of longs; negative funding would say that shorts lean against the move.",
    "펀딩비가 상위 10% 안에 들면서 미결제약정까지 늘면 롱 청산 위험 신호이고, 음수로 돌아서면 숏이 버티고 있다는 뜻입니다.",
    "Фандинг в верхнем дециле при растущем открытом интересе предупредит о выносе лонгов; отрицательный скажет, что шорты давят против движения."
  ),
  changeDown: text(
    "A rise with funding still negative would squeeze shorts; funding back above zero ends that fuel.",
    "펀딩비가 음수인 채 가격이 오르면 숏 스퀴즈가 되고, 다시 0 위로 오르면 그 연료는 끝납니다.",
    "Рост при отрицательном фандинге выдавит шорты; возврат фандинга выше нуля лишит рынок этого топлива."
  ),
  fundingWhy: text(
    "Funding is what one side pays to keep its position: the percentile tells whether that is unusual for this coin, which the raw rate does not.",
    "펀딩비는 한쪽이 포지션을 유지하려고 내는 비용입니다. 절대값만으로는 알 수 없는 '이 코인치고 높은가'를 백분위가 알려 줍니다.",
    "Фандинг это плата за удержание позиции: необычна ли она для этой монеты, показывает перцентиль, а не сама ставка."
  ),
  interestVerdict: text(
    "{name} open interest is {oi}: {day} in 24 hours and {hour} in one hour, counted in coins.",
    "{name} 미결제약정은 {oi}입니다. 코인 기준 24시간 {day}, 1시간 {hour}.",
    "Открытый интерес {name} {oi}: за 24 часа {day}, за час {hour} (в монетах)."
  ),
  crowdedLongs: text(
    "{name} longs are crowded: funding {rate} per {hours} h is at percentile {percentile} of 90 days, long/short ratio {ratio}.",
    "{name} 롱이 과하게 쏠려 있습니다. 펀딩비 {rate}({hours}시간)는 90일 백분위 {percentile}, 롱/숏 비율 {ratio}입니다.",
    "Лонги по {name} перегружены: фандинг {rate} за {hours} ч в перцентиле {percentile} за 90 дней, лонг/шорт {ratio}."
  ),
  crowdedShorts: text(
    "{name} shorts are the crowded side: funding {rate} per {hours} h is at percentile {percentile} of 90 days, long/short ratio {ratio}.",
    "{name}: 숏 쪽이 쏠려 있습니다. 펀딩비 {rate}({hours}시간)는 90일 백분위 {percentile}, 롱/숏 비율 {ratio}입니다.",
    "По {name} перегружены шорты: фандинг {rate} за {hours} ч в перцентиле {percentile} за 90 дней, лонг/шорт {ratio}."
  ),
  crowdedNone: text(
    "{name} is not crowded on either side: funding {rate} per {hours} h is at percentile {percentile} of 90 days, long/short ratio {ratio}.",
    "{name}: 어느 쪽도 심하게 쏠리지 않았습니다. 펀딩비 {rate}({hours}시간)는 90일 백분위 {percentile}, 롱/숏 비율 {ratio}입니다.",
    "По {name} явного перекоса нет: фандинг {rate} за {hours} ч в перцентиле {percentile} за 90 дней, лонг/шорт {ratio}."
  ),
  ratioFirst: text(
    "{name}'s long/short ratio of accounts is {ratio}: {share}.",
    "{name} 계정 롱/숏 비율은 {ratio}입니다. {share}.",
    "Лонг/шорт по счетам {name}: {ratio}; {share}."
  ),
  moreLongs: text("more accounts are long than short", "롱 계정이 더 많습니다", "счетов в лонге больше"),
  moreShorts: text("more accounts are short than long", "숏 계정이 더 많습니다", "счетов в шорте больше"),
  takersFirst: text(
    "{name} takers of the last hour: {share} of their volume buys ({buy} against {sell} sold).",
    "{name} 최근 1시간 테이커 매수 비중은 {share}입니다(매수 {buy}, 매도 {sell}).",
    "Тейкеры {name} за последний час: покупки {share} объема ({buy} против {sell} продаж)."
  ),
  interestOf: text(
    "Open interest {oi}: {day} in 24 hours, {hour} in one hour (in coins).",
    "미결제약정 {oi}: 24시간 {day}, 1시간 {hour}(코인 기준).",
    "Открытый интерес {oi}: за 24 часа {day}, за час {hour} (в монетах)."
  ),
  takers: text(
    "Takers of the last hour: {share} buying ({buy} against {sell}).",
    "최근 1시간 테이커 매수 비중 {share}(매수 {buy}, 매도 {sell}).",
    "Тейкеры за последний час: {share} покупок ({buy} против {sell})."
  ),
  ratio: text(
    "Long/short ratio of accounts {ratio}; {earlier} at {time}.",
    "계정 롱/숏 비율 {ratio}, {time} 당시 {earlier}.",
    "Лонг/шорт по счетам {ratio}; на {time} было {earlier}."
  ),
  span: text(
    "Open interest {change} over {days} days (in coins).",
    "{days}일간 미결제약정 {change}(코인 기준).",
    "Открытый интерес за {days} дн.: {change} (в монетах)."
  ),
  funding: text("Funding {rate} per {hours} h.", "펀딩비 {rate}({hours}시간).", "Фандинг {rate} за {hours} ч."),
  interestChange: text(
    "Open interest that falls while price holds means that leverage leaves and the move is healthier; rising with one-sided takers means that it gets crowded.",
    "가격이 버티는 가운데 미결제약정이 줄면 레버리지가 빠진 건강한 흐름이고, 테이커가 한쪽으로 몰린 채 늘면 쏠림이 심해진다는 뜻입니다.",
    "Падение открытого интереса при стабильной цене означает уход плеча и более здоровое движение; рост при односторонних тейкерах означает скученность."
  ),
  interestWhy: text(
    "I read changes in coins: in dollars a mere rise of the price would look like new positions.",
    "변화는 코인 기준으로 봅니다. 달러 기준으로는 가격이 오르기만 해도 새 포지션처럼 보이기 때문입니다.",
    "Изменения смотрю в монетах: в долларах один лишь рост цены выглядел бы как новые позиции."
  )
}

const asksVenue = rule(
  "which (?:exchange|venue)|where is .{0,60}(?:cheap|best)|cheapest|best venue|arb(?:itrage)?",
  "거래소|제일 싼|가장 싼|어디가 싸",
  "на какой бирж|где (?:дешев|выгодн)|площадк|арбитраж"
)

export const funding: Intent = {
  name: "funding",
  reads: [
    rule(
      "hot|high|low|stretched|overheated|negative|positive|extreme",
      "과열|높|낮|음수|양수",
      "перегрет|высок|низк|отрицательн|положительн"
    ),
    rule("longs?|shorts?|pay\\w*|hold|rates?|cheap\\w*", "롱|숏|잡|거래소", "лонг|шорт|плат|бирж"),
    asksFunding,
    asksVenue
  ],
  asked: ({ words }) => asksFunding.test(words),
  over: ["price", "trend"],
  plan: (reading) => {
    const coin = coinOf(reading)
    return [ask("get_derivatives", { coin }), ask("get_funding_comparison", { coin })]
  },
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_derivatives", { coin: name })
    const venues = found.of("get_funding_comparison", { coin: name })
    const rate = data.num("funding_rate_pct") ?? 0
    const stretched = (data.num("funding_percentile_90d") ?? 0) >= 90
    const values = {
      name,
      rate: format.rate(data.num("funding_rate_pct")),
      hours: format.count(data.num("funding_interval_hours")),
      annual: format.percent(data.num("funding_annualised_pct"))
    }
    const told = say(rate < 0 ? said.fundingDown : stretched ? said.fundingHigh : said.fundingUp, values)
    const between = {
      name,
      spread: format.percent(venues.num("spread_annualised_pct")),
      long: wordOf(lang, venues.str("long_venue")),
      short: wordOf(lang, venues.str("short_venue"))
    }
    const cheapest = asksVenue.test(reading.words) ? say(said.cheapest, between) : null
    return {
      verdict: cheapest ?? told,
      evidence: [
        cheapest === null ? null : told,
        say(said.rank, {
          percentile: format.fixed(data.num("funding_percentile_90d"), 0),
          z: format.fixed(data.num("funding_z"), 2),
          n: format.count(data.num("funding_percentile_n"))
        }),
        say(said.venues, {
          venues: format.list(
            venues.list("venues").flatMap((venue) =>
              say(said.venue, {
                venue: wordOf(lang, venue.str("venue")),
                rate: format.rate(venue.num("rate_8h_pct"))
              }) ?? []
            )
          )
        }),
        cheapest === null ? say(said.spread, between) : null,
        say(said.crowd, {
          oi: format.bigUsd(data.num("open_interest_usd")),
          change: format.change(data.num("oi_change_24h_coin_pct")),
          ratio: format.fixed(data.num("long_short_ratio"), 2)
        })
      ],
      change: say(rate < 0 ? said.changeDown : said.changeUp, {}),
      why: say(said.fundingWhy, {})
    }
  },
  next: [
    questions.openInterest,
    questions.liquidationMap,
    text(
      "What is the basis of {name} futures?",
      "{name} 선물 베이시스는 얼마인가요?",
      "Какой базис у фьючерсов {name}?"
    )
  ]
}

const asksCrowd = rule("crowded|overcrowded|one[- ]sided", "쏠[림린렸]|과열", "перегруж|перекос|скучен")
const asksTakers = rule("takers?", "테이커", "тейкер")
const asksRatio = rule(
  "long[ /-]short|l/s|longs? (?:vs|versus|and|or) shorts?",
  "롱\\s?숏|롱/숏|(?:롱|숏) ?비율",
  "лонг[а-я]*[ /-]+(?:и |к |против )?шорт|соотношени"
)

const positioningOf = (name: string, data: Data, { format }: Desk) => ({
  name,
  oi: format.bigUsd(data.num("open_interest_usd")),
  day: format.change(data.num("oi_change_24h_coin_pct")),
  hour: format.change(data.num("oi_change_1h_coin_pct")),
  rate: format.rate(data.num("funding_rate_pct")),
  hours: format.count(data.num("funding_interval_hours")),
  percentile: format.fixed(data.num("funding_percentile_90d"), 0),
  ratio: format.fixed(data.num("long_short_ratio"), 2),
  share: format.share(data.num("taker_buy_ratio")),
  buy: format.bigUsd(data.num("taker_buy_usd")),
  sell: format.bigUsd(data.num("taker_sell_usd"))
})

const positioningAsked = (
  words: string,
  data: Data,
  { say }: Desk,
  known: ReturnType<typeof positioningOf>
): string | null => {
  const percentile = data.num("funding_percentile_90d") ?? 50
  const ratio = data.num("long_short_ratio") ?? 1
  if (asksCrowd.test(words)) {
    const longs = percentile >= 90 || (percentile >= 75 && ratio >= 1.5)
    const shorts = percentile <= 10 || (percentile <= 25 && ratio <= 0.67)
    return say(longs ? said.crowdedLongs : shorts ? said.crowdedShorts : said.crowdedNone, known)
  }
  if (asksTakers.test(words)) return say(said.takersFirst, known)
  return asksRatio.test(words)
    ? say(said.ratioFirst, { ...known, share: say(ratio >= 1 ? said.moreLongs : said.moreShorts, {}) })
    : null
}

/** The maximum number of hours of positioning history. */
const maxHours = 720

const hoursOf = ({ horizon }: Reading): number =>
  Math.min(maxHours, Math.max(24, Math.round((horizon?.minutes ?? 1_440) / 60)))

const spanChange = (reading: Reading, found: Findings, { format, say }: Desk): string | null => {
  const points = found.of("get_positioning_history", { coin: coinOf(reading) }).list("points")
  const [first, last] = [points[0]?.num("open_interest") ?? null, points.at(-1)?.num("open_interest") ?? null]
  const hours = hoursOf(reading)
  return hours === 24 || first === null || last === null || first === 0
    ? null
    : say(said.span, { days: format.plain(Math.round(hours / 24)), change: format.change(100 * (last / first - 1)) })
}

export const openInterest: Intent = {
  name: "openInterest",
  spans: true,
  reads: [
    rule(
      "longs?|shorts?|buy|sell|ratio|l/s|change|crowded|leverage|rising|falling|rose|fell|up|down|grow\\w*",
      "롱|숏|매수|매도|비율|쏠|늘|줄|증가|감소",
      "лонг|шорт|покуп|прода|вырос|упал|растет|падает|изменил"
    ),
    asksInterest,
    asksCrowd,
    asksTakers,
    asksRatio
  ],
  asked: ({ stocks, words }) => asksInterest.test(words) && stocks.length === 0,
  over: ["price", "trend"],
  plan: (reading) => {
    const coin = coinOf(reading)
    return [ask("get_derivatives", { coin }), ask("get_positioning_history", { coin, hours: hoursOf(reading) })]
  },
  write: (reading, found, desk) => {
    const { format, say } = desk
    const { words } = reading
    const name = coinOf(reading)
    const data = found.of("get_derivatives", { coin: name })
    const first = found.of("get_positioning_history", { coin: name }).list("points")[0]
    const known = positioningOf(name, data, desk)
    const particular = positioningAsked(words, data, desk, known)
    const interest = say(said.interestVerdict, known)
    return {
      verdict: particular ?? interest,
      evidence: [
        spanChange(reading, found, desk),
        particular === null ? null : say(said.interestOf, known),
        say(said.takers, known),
        say(said.ratio, {
          ratio: known.ratio,
          earlier: format.fixed(first?.num("long_short_ratio") ?? null, 2),
          time: format.time(first?.str("time") ?? null)
        }),
        say(said.funding, {
          rate: format.rate(data.num("funding_rate_pct")),
          hours: format.count(data.num("funding_interval_hours"))
        })
      ],
      change: say(said.interestChange, {}),
      why: say(said.interestWhy, {})
    }
  },
  next: [
    text("And its funding?", "그럼 펀딩비는요?", "А фандинг?"),
    questions.liquidations,
    questions.outlook
  ]
}

import { ask, type Intent } from "../intent.ts"
import { coinOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"

const asksFunding = rule(
  "funding(?: rates?)?|perp fees?",
  "펀딩|자금조달",
  "фандинг|ставк[аиу] финансирован|финансировани"
)
const asksInterest = rule(
  "open interest|oi|positioning|long[ /-]short|longs? (?:vs|versus|and) shorts?|takers?|leverage in|crowded|derivatives|futures|perps?",
  "미결제|오픈\\s?인터레스트|롱\\s?숏|롱/숏|포지션\\s?(?:비율|쏠림)|테이커|쏠림|파생|선물(?!하)",
  "открыт[а-я]+ интерес|лонг[а-я]*[ /-]+(?:и |к |против )?шорт|позиционирован|соотношени|тейкер|дериватив|фьючерс|перп"
)
const asksBasis = rule(
  "basis|contango|backwardation|term premium|futures premium",
  "베이시스|콘탱고|백워데이션|선물 프리미엄",
  "базис|контанго|бэквордац|премия фьючерс"
)

const said = {
  looks: text(
    "{name}: funding with its rank of 90 days, and the same rate on other venues.",
    "{name}: 펀딩비와 90일 백분위, 거래소별 펀딩비를 비교합니다.",
    "{name}: фандинг, его место за 90 дней и ставки на других площадках."
  ),
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
  interestLooks: text(
    "{name}: open interest and its changes, takers and the long/short ratio, with the last day by the hour.",
    "{name}: 미결제약정과 변화, 테이커 비중, 롱/숏 비율을 하루 시간대별 흐름과 함께 봅니다.",
    "{name}: открытый интерес и его изменения, тейкеры, лонг/шорт и динамика за сутки по часам."
  ),
  interestVerdict: text(
    "{name} open interest is {oi}: {day} in 24 hours and {hour} in one hour, counted in coins.",
    "{name} 미결제약정은 {oi}입니다. 코인 기준 24시간 {day}, 1시간 {hour}.",
    "Открытый интерес {name} {oi}: за 24 часа {day}, за час {hour} (в монетах)."
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
  ),
  basisLooks: text(
    "{name}: dated futures against spot.",
    "{name}: 만기 선물과 현물을 비교합니다.",
    "{name}: срочные фьючерсы против спота."
  ),
  basisVerdict: text(
    "{name} futures are in {structure}: the perpetual stands {perp} against its index.",
    "{name} 선물은 {structure} 상태이며, 무기한 선물은 지수 대비 {perp}입니다.",
    "Фьючерсы {name}: {structure}; перп к индексу {perp}."
  ),
  perpOnly: text(
    "{name}'s perpetual stands {perp} against its index; no dated futures are listed.",
    "{name} 무기한 선물은 지수 대비 {perp}이며, 만기 선물은 없습니다.",
    "Перп {name} к индексу {perp}; срочных фьючерсов нет."
  ),
  future: text(
    "{date}: {basis} ({annual} a year)",
    "{date}: {basis}(연 {annual})",
    "{date}: {basis} ({annual} годовых)"
  ),
  futures: text("By expiry: {futures}.", "만기별: {futures}.", "По экспирациям: {futures}."),
  basisChange: text(
    "A basis that turns negative says that hedgers pay to be short; one that doubles says that leverage is being bought.",
    "베이시스가 음수로 돌면 헤지 매도가 비용을 내고 있다는 뜻이고, 두 배로 커지면 레버리지 매수가 몰린다는 뜻입니다.",
    "Отрицательный базис скажет, что хеджеры платят за шорт; удвоение базиса, что покупают плечо."
  ),
  basisWhy: text(
    "The annualised basis is what cash-and-carry earns, so it compares with yields.",
    "연율 베이시스는 현·선물 차익거래의 수익률이므로 금리와 비교할 수 있습니다.",
    "Годовой базис это доход кэш-энд-керри, его и сравнивают со ставками."
  )
}

export const funding: Intent = {
  name: "funding",
  asked: ({ words }) => asksFunding.test(words),
  over: ["price", "trend"],
  looks: said.looks,
  plan: (reading) => {
    const coin = coinOf(reading)
    return [ask("get_derivatives", { coin }), ask("get_funding_comparison", { coin })]
  },
  write: (reading, found, { format, say }) => {
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
    return {
      verdict: say(rate < 0 ? said.fundingDown : stretched ? said.fundingHigh : said.fundingUp, values),
      evidence: [
        say(said.rank, {
          percentile: format.fixed(data.num("funding_percentile_90d"), 0),
          z: format.fixed(data.num("funding_z"), 2),
          n: format.count(data.num("funding_percentile_n"))
        }),
        say(said.venues, {
          venues: format.list(
            venues.list("venues").flatMap((venue) =>
              say(said.venue, { venue: venue.str("venue"), rate: format.rate(venue.num("rate_8h_pct")) }) ?? []
            )
          )
        }),
        say(said.spread, {
          spread: format.percent(venues.num("spread_annualised_pct")),
          long: venues.str("long_venue"),
          short: venues.str("short_venue")
        }),
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
    text(
      "How is {name}'s open interest moving?",
      "{name} 미결제약정은 어떻게 움직이나요?",
      "Как меняется открытый интерес {name}?"
    ),
    text(
      "Where would liquidations of {name} cluster?",
      "{name} 청산이 몰린 가격대는 어디인가요?",
      "Где скопились ликвидации по {name}?"
    ),
    text(
      "What is the basis of {name} futures?",
      "{name} 선물 베이시스는 얼마인가요?",
      "Какой базис у фьючерсов {name}?"
    )
  ]
}

export const openInterest: Intent = {
  name: "openInterest",
  asked: ({ stocks, words }) => asksInterest.test(words) && stocks.length === 0,
  over: ["price", "trend"],
  looks: said.interestLooks,
  plan: (reading) => {
    const coin = coinOf(reading)
    return [ask("get_derivatives", { coin }), ask("get_positioning_history", { coin, hours: 24 })]
  },
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_derivatives", { coin: name })
    const first = found.of("get_positioning_history", { coin: name }).list("points")[0]
    return {
      verdict: say(said.interestVerdict, {
        name,
        oi: format.bigUsd(data.num("open_interest_usd")),
        day: format.change(data.num("oi_change_24h_coin_pct")),
        hour: format.change(data.num("oi_change_1h_coin_pct"))
      }),
      evidence: [
        say(said.takers, {
          share: format.share(data.num("taker_buy_ratio")),
          buy: format.bigUsd(data.num("taker_buy_usd")),
          sell: format.bigUsd(data.num("taker_sell_usd"))
        }),
        say(said.ratio, {
          ratio: format.fixed(data.num("long_short_ratio"), 2),
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
    text(
      "How many liquidations were there in {name}?",
      "{name} 청산 규모는 얼마나 되나요?",
      "Сколько ликвидаций было по {name}?"
    ),
    text("What is the outlook for {name} today?", "오늘 {name} 전망은 어떤가요?", "Какой прогноз по {name} на сегодня?")
  ]
}

const expiriesShown = 3

export const basis: Intent = {
  name: "basis",
  asked: ({ words }) => asksBasis.test(words),
  over: ["price", "trend", "openInterest"],
  looks: said.basisLooks,
  plan: (reading) => [ask("get_basis", { coin: coinOf(reading) })],
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_basis", { coin: name })
    const perp = format.change(data.num("perp_basis_pct"))
    return {
      verdict: say(said.basisVerdict, { name, structure: wordOf(lang, data.str("structure")), perp }) ??
        say(said.perpOnly, { name, perp }),
      evidence: [
        say(said.futures, {
          futures: format.list(
            data.list("futures").slice(0, expiriesShown).flatMap((future) =>
              say(said.future, {
                date: format.date(future.str("expiry")),
                basis: format.change(future.num("basis_pct")),
                annual: format.percent(future.num("annualised_pct"))
              }) ?? []
            )
          )
        })
      ],
      change: say(said.basisChange, {}),
      why: say(said.basisWhy, {})
    }
  },
  next: [
    text("How is {name}'s funding?", "{name} 펀딩비는 어떤가요?", "Какой сейчас фандинг у {name}?"),
    text(
      "How is {name}'s implied volatility?",
      "{name} 내재 변동성은 어떤가요?",
      "Какая подразумеваемая волатильность у {name}?"
    ),
    text(
      "How is {name}'s open interest moving?",
      "{name} 미결제약정은 어떻게 움직이나요?",
      "Как меняется открытый интерес {name}?"
    )
  ]
}

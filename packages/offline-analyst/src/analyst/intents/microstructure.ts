import { ask, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const next = [questions.impliedVolatility, questions.levels, questions.probability]

const asksVolatility = rule("volatil(?:e|ity)|(?:reali[sz]ed )?vol(?!ume)|atr", "변동성", "волатил|вола(?![а-я])")
const asksVwap = rule(
  "vwap|volume profile|poc|value area|(?:dear|expensive|cheap|overpriced) (?:today|now|right now)",
  "vwap|브이왑|거래량\\s?프로파일|매물대|poc",
  "vwap|профил[а-я]+ объем|poc|вwap"
)
const asksBook = rule(
  "order ?book|depth|(?<!(?:call|put) )spread|liquidity|walls?|slippage|bids?|asks|at market|market (?:buy|sell)|(?:move|price impact on) the market if",
  "호가|오더북|스프레드|유동성(?!\\s?풀)|슬리피지|매수벽|매도벽|시장가",
  "стакан|ордербук|спред|ликвидност|проскальз|плит|стенк|по рынку"
)
const asksCoil = rule(
  "coil(?:ed|ing)?|squeez(?:e|ing)|breakout|compression|corridor",
  "스퀴즈|응축|돌파|수렴|코일",
  "сжат|пробо[йя]|коил|накоплени|коридор"
)
const said = {
  level: text(
    "That is {level} for its own past.",
    "자체 과거에 비해 {level} 수준입니다.",
    "Для её собственного прошлого это {level}."
  ),
  daily: text(
    "That is about {move} a day (one standard deviation).",
    "하루 기준 약 {move}(표준편차 1)입니다.",
    "Это около {move} в день (одно стандартное отклонение)."
  ),
  vol: text(
    "{name} realised volatility of 30 days is {vol} a year, percentile {percentile} of its past.",
    "{name} 30일 실현 변동성은 연 {vol}, 과거 대비 백분위 {percentile}입니다.",
    "Реализованная волатильность {name} за 30 дней {vol} годовых, перцентиль {percentile} к прошлому."
  ),
  window: text("{window}: {vol} (n = {n}).", "{window}: {vol}(n = {n}).", "{window}: {vol} (n = {n})."),
  cone: text(
    "Cone of {window}: median {median}, from {min} to {max}.",
    "{window} 콘: 중앙값 {median}, 범위 {min} ~ {max}.",
    "Конус {window}: медиана {median}, от {min} до {max}."
  ),
  volChange: text(
    "Low volatility tends to rise and high to fall: the percentile tells which is nearer.",
    "낮은 변동성은 오르고 높은 변동성은 내려가는 경향이 있으며, 백분위가 어느 쪽인지 알려 줍니다.",
    "Низкая волатильность склонна расти, высокая падать: что ближе, показывает перцентиль."
  ),
  volWhy: text(
    "Several windows, since one quiet week says little of the regime.",
    "조용한 한 주로는 국면을 알 수 없어 여러 기간을 봅니다.",
    "Окон несколько, ведь одна тихая неделя о режиме говорит мало."
  ),
  vwapAbove: text(
    "{name} trades above the VWAP of the {anchor}, {vwap} ({distance}): on average its buyers are in profit.",
    "{name}: {anchor} VWAP {vwap} 위({distance})에 있어 그 기간의 매수자는 평균적으로 이익입니다.",
    "{name} торгуется выше VWAP {anchor}, {vwap} ({distance}): купившие за это время в среднем в плюсе."
  ),
  vwapBelow: text(
    "{name} trades below the VWAP of the {anchor}, {vwap} ({distance}): on average its buyers are at a loss.",
    "{name}: {anchor} VWAP {vwap} 아래({distance})에 있어 그 기간의 매수자는 평균적으로 손실입니다.",
    "{name} торгуется ниже VWAP {anchor}, {vwap} ({distance}): купившие за это время в среднем в минусе."
  ),
  band: text(
    "One standard deviation: {lower} to {upper}.",
    "1 표준편차: {lower} ~ {upper}.",
    "Одно стандартное отклонение: от {lower} до {upper}."
  ),
  profile: text(
    "Point of control {poc}; value area {low} to {high}.",
    "POC {poc}, 밸류 에어리어 {low} ~ {high}.",
    "POC {poc}; зона стоимости от {low} до {high}."
  ),
  vwapChange: text(
    "Bars that hold on the other side of VWAP would say that control has turned.",
    "VWAP 반대편에 안착하면 주도권이 바뀐 것입니다.",
    "Закрепление по другую сторону VWAP покажет, что инициатива сменилась."
  ),
  book: text(
    "{name} book: {bid} bid against {ask} asked within 1%, imbalance {imbalance}.",
    "{name} 호가: 1% 이내 매수 {bid}, 매도 {ask}, 불균형 {imbalance}.",
    "Стакан {name}: в пределах 1% покупка {bid}, продажа {ask}, дисбаланс {imbalance}."
  ),
  spread: text(
    "Mid {mid}, spread {spread} bps.",
    "중간가 {mid}, 스프레드 {spread}bp.",
    "Середина {mid}, спред {spread} б.п."
  ),
  slip: text(
    "An order of {size}: buying {buy} bps, selling {sell} bps from mid.",
    "{size} 주문 시 중간가 대비 매수 {buy}bp, 매도 {sell}bp.",
    "Заявка на {size}: покупка {buy} б.п., продажа {sell} б.п. от середины."
  ),
  cost: text(
    "{size} of {name} at market costs {buy} bps from mid to buy and {sell} bps to sell.",
    "{name} {size}를 시장가로 거래하면 중간가 대비 매수 {buy}bp, 매도 {sell}bp의 비용이 듭니다.",
    "{size} по рынку в {name}: покупка обойдется в {buy} б.п. от середины, продажа в {sell} б.п."
  ),
  wall: text(
    "Largest wall near: {side} {usd} at {price}.",
    "가까운 큰 벽: {side} {usd}, 가격 {price}.",
    "Крупная стенка: {side} {usd} на {price}."
  ),
  bookChange: text(
    "Walls are promises that can be withdrawn: trust depth that stays when price comes near.",
    "벽은 언제든 철회될 수 있습니다. 가격이 다가와도 남는 잔량만 믿으세요.",
    "Стенки могут снять: верьте глубине, которая остается при подходе цены."
  ),
  coil: text(
    "{name} coil: {state}, squeeze {squeeze}, charge {charge}.",
    "{name} 코일: {state}, 스퀴즈 {squeeze}, 에너지 {charge}.",
    "Сжатие {name}: {state}, степень {squeeze}, заряд {charge}."
  ),
  corridor: text(
    "Corridor {low} to {high}, {width} wide; {bars} bars in squeeze.",
    "구간 {low} ~ {high}, 폭 {width}, 응축 {bars}봉.",
    "Коридор от {low} до {high}, ширина {width}; баров в сжатии {bars}."
  ),
  fuel: text(
    "Fuel {fuel}: funding {rate}, long/short {ratio}.",
    "연료 {fuel}: 펀딩비 {rate}, 롱/숏 {ratio}.",
    "Топливо {fuel}: фандинг {rate}, лонг/шорт {ratio}."
  ),
  coilChange: text(
    "A close outside the corridor with rising open interest confirms; one that returns inside is a trap.",
    "미결제약정이 늘며 구간 밖에서 마감하면 확인, 다시 안으로 들어오면 함정입니다.",
    "Закрытие вне коридора при росте открытого интереса подтверждает пробой; возврат внутрь это ловушка."
  )
}

/** Returns the volatility of one day for a volatility of a year, in percent. */
const daily = (yearly: number | null): number | null => yearly === null ? null : yearly / Math.sqrt(365)

export const volatility: Intent = {
  name: "volatility",
  reads: [
    asksVolatility,
    rule(
      "\\d+ ?d|(?:high|low)(?:er)?|realised|per day|daily",
      "높|낮|\\d+일|하루",
      "высок|низк|выше|ниже|\\d+ ?дн|в день"
    )
  ],
  // The answer lists the volatility of 7, 30 and 90 days.
  spans: ({ horizon }) => [7, 30, 90].includes((horizon?.minutes ?? 0) / 1_440),
  asked: ({ words }) => asksVolatility.test(words),
  over: ["price", "trend"],
  plan: (reading) => [ask("get_volatility", { coin: coinOf(reading) })],
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_volatility", { coin: name })
    const cone = data.list("cone").find((row) => row.str("window") === "30d")
    const percentile = data.num("realised_30d_percentile")
    const level = percentile === null ? null : percentile < 30 ? "low" : percentile > 70 ? "high" : "normal"
    const first = say(said.vol, {
      name,
      vol: format.percent(data.num("realised_30d_pct")),
      percentile: format.fixed(percentile, 0)
    })
    return {
      verdict: first === null ? null : [first, say(said.level, { level: wordOf(lang, level) })].join(" ").trim(),
      evidence: [
        say(said.daily, { move: format.percent(daily(data.num("realised_30d_pct"))) }),
        ...data.list("close_to_close").map((row) =>
          say(said.window, {
            window: format.days(row.str("window")),
            vol: format.percent(row.num("annualised_pct")),
            n: format.count(row.num("n"))
          })
        ),
        say(said.cone, {
          window: format.days(cone?.str("window") ?? null),
          median: format.percent(cone?.num("median") ?? null),
          min: format.percent(cone?.num("min") ?? null),
          max: format.percent(cone?.num("max") ?? null)
        })
      ],
      change: say(said.volChange, {}),
      why: say(said.volWhy, {})
    }
  },
  next
}

const anchors = {
  day: text("day", "당일", "дня"),
  week: text("week", "주간", "недели"),
  month: text("month", "월간", "месяца")
}

const anchorOf = ({ horizon }: Reading): keyof typeof anchors =>
  horizon === null || horizon.minutes < 10_080 ? "day" : horizon.minutes < 43_200 ? "week" : "month"

export const vwap: Intent = {
  name: "vwap",
  reads: [asksVwap],
  spans: true,
  asked: ({ words }) => asksVwap.test(words),
  over: ["price", "trend", "levels"],
  plan: (reading) => {
    const coin = coinOf(reading)
    const anchor = anchorOf(reading)
    return [ask("get_vwap", anchor === "day" ? { coin } : { coin, anchor }), ask("get_volume_profile", { coin })]
  },
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_vwap", { coin: name })
    const profile = found.of("get_volume_profile", { coin: name })
    const [band] = data.list("bands")
    const distance = data.num("distance_pct")
    return {
      verdict: say((distance ?? 0) >= 0 ? said.vwapAbove : said.vwapBelow, {
        name,
        anchor: say(anchors[anchorOf(reading)], {}),
        vwap: format.usd(data.num("vwap")),
        distance: format.change(distance)
      }),
      evidence: [
        say(said.band, {
          lower: format.usd(band?.num("lower") ?? null),
          upper: format.usd(band?.num("upper") ?? null)
        }),
        say(said.profile, {
          poc: format.usd(profile.num("poc")),
          low: format.usd(profile.num("value_area.low")),
          high: format.usd(profile.num("value_area.high"))
        })
      ],
      change: say(said.vwapChange, {})
    }
  },
  next
}

/** Returns the order size of a question in dollars: the largest plain number from 1,000 to 100 million. */
const sizeOf = ({ numbers, words }: Reading): number | null => {
  const sizes = numbers.filter(({ kind, value }) => kind === "plain" && value >= 1_000 && value <= 100_000_000)
  return asksCost.test(words) && sizes.length > 0 ? Math.max(...sizes.map(({ value }) => value)) : null
}

const asksCost = rule(
  "slippage|market (?:buy|sell|order)|at market|move the market|impact|cost",
  "슬리피지|시장가|충격|비용",
  "проскальз|по рынку|маркет"
)

export const orderBook: Intent = {
  name: "orderBook",
  reads: [rule("pay|cost|deep|market|buy|sell|\\d+m", "시장가|매수|매도", "глубин|купить|продать"), asksBook, asksCost],
  // The depth is known within 1 % only.
  numbers: ({ numbers }) => numbers.flatMap(({ kind, value }) => kind !== "percent" || value === 1 ? [value] : []),
  asked: ({ stocks, words }) => asksBook.test(words) && stocks.length === 0,
  over: ["price", "trend"],
  plan: (reading) => {
    const size = sizeOf(reading)
    return [ask("get_orderbook", { coin: coinOf(reading), ...(size === null ? {} : { sizes_usd: [size] }) })]
  },
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_orderbook", { coin: name })
    const [wall] = data.list("walls")
    const book = say(said.book, {
      name,
      bid: format.bigUsd(data.num("bid_depth_usd")),
      ask: format.bigUsd(data.num("ask_depth_usd")),
      imbalance: format.change(data.num("imbalance_pct"))
    })
    const own = sizeOf(reading) === null ? undefined : data.list("slippage")[0]
    const cost = say(said.cost, {
      name,
      size: format.bigUsd(own?.num("size_usd") ?? null),
      buy: format.fixed(own?.num("buy_bps") ?? null, 2),
      sell: format.fixed(own?.num("sell_bps") ?? null, 2)
    })
    return {
      verdict: cost ?? book,
      evidence: [
        cost === null ? null : book,
        say(said.spread, { mid: format.usd(data.num("mid")), spread: format.fixed(data.num("spread_bps"), 2) }),
        ...(cost === null ? data.list("slippage").slice(0, 3) : []).map((row) =>
          say(said.slip, {
            size: format.bigUsd(row.num("size_usd")),
            buy: format.fixed(row.num("buy_bps"), 2),
            sell: format.fixed(row.num("sell_bps"), 2)
          })
        ),
        say(said.wall, {
          side: wall === undefined ? null : wordOf(lang, wall.str("side")),
          usd: format.bigUsd(wall?.num("usd") ?? null),
          price: format.usd(wall?.num("price") ?? null)
        })
      ],
      change: say(said.bookChange, {})
    }
  },
  next
}

export const coil: Intent = {
  name: "coil",
  reads: [rule("squeeze|state|energy|move", "상태|변동", "энерги|движени"), asksCoil],
  asked: ({ coins, words }) => asksCoil.test(words) && coins.length > 0,
  over: ["price", "trend"],
  plan: (reading) => [ask("get_coil", { coin: coinOf(reading) })],
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_coil", { coin: name })
    return {
      verdict: say(said.coil, {
        name,
        state: wordOf(lang, data.str("state")),
        squeeze: format.percent(data.num("squeeze_pct")),
        charge: format.fixed(data.num("charge"), 1)
      }),
      evidence: [
        say(said.corridor, {
          low: format.usd(data.num("corridor.low")),
          high: format.usd(data.num("corridor.high")),
          width: format.percent(data.num("corridor.width_pct")),
          bars: format.count(data.num("bars_in_squeeze"))
        }),
        say(said.fuel, {
          fuel: format.fixed(data.num("fuel.score"), 1),
          rate: format.rate(data.num("fuel.funding_rate_pct")),
          ratio: format.fixed(data.num("fuel.long_short_ratio"), 2)
        })
      ],
      change: say(said.coilChange, {})
    }
  },
  next
}

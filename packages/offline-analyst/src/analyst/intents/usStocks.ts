import type { Findings } from "../Findings.ts"
import { ask, type Desk, type Intent, type Section } from "../intent.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import type { Stock } from "../reading/stockNames.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { named, nameOf, next, quote, symbolOf } from "./usCompany.ts"

const asksRatings = rule(
  "analysts?|ratings?|price targets?|target price|(?:street|wall street|consensus) targets?|targets?|consensus|upgrades?|downgrades?",
  "목표\\s?주?가|투자\\s?의견|애널리스트|컨센",
  "аналитик|целев[а-я]+ цен|рейтинг|консенсус|таргет"
)

const asksInsiders = rule(
  "insiders?|insider (?:trades|buying|selling)|executives? (?:sold|bought|selling|buying)",
  "내부자|임원\\s?(?:매도|매수|거래)",
  "инсайдер|руководств[а-я]+ (?:прода|покуп)"
)

const asksOptions = rule(
  "options?|iv|implied vol(?:atility)?|skew|max pain|gamma|expected move",
  "옵션|내재\\s?변동성|스큐|맥스페인|감마|예상\\s?변동폭",
  "опцион|подразумеваем|скос|макс[а-я]*[ -]?пейн|max pain|гамм|ожидаем[а-я]+ движени"
)

const insiderDays = 90

const said = {
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
  value: text("Market value {cap}, P/E {pe}.", "시가총액 {cap}, PER {pe}.", "Капитализация {cap}, P/E {pe}."),
  cheaper: text(
    "By price to earnings {name} is the cheaper one: P/E {pe} against {otherPe} of {other}.",
    "PER 기준으로는 {name} 쪽이 더 쌉니다. {name} {pe}, {other} {otherPe}.",
    "По P/E дешевле {name}: {pe} против {otherPe} у {other}."
  ),
  cheaperChange: text(
    "A low P/E may stand for profits that are about to fall: set it beside what the next reports are expected to show.",
    "PER이 낮은 것은 이익 감소가 예상된다는 뜻일 수 있으니 다음 실적 전망과 함께 보세요.",
    "Низкий P/E может означать ожидание падения прибыли: сопоставьте его с прогнозами ближайших отчетов."
  ),
  other: text(
    "{name} ({symbol}): {price} ({change}), market value {cap}, P/E {pe}.",
    "{name}({symbol}): {price}({change}), 시가총액 {cap}, PER {pe}.",
    "{name} ({symbol}): {price} ({change}), капитализация {cap}, P/E {pe}."
  ),
  cap: text("Market value {cap}.", "시가총액 {cap}.", "Капитализация {cap}."),
  session: text(
    "Session: {session}; volume {volume} shares.",
    "세션: {session}, 거래량 {volume}주.",
    "Сессия: {session}; объем {volume} акций."
  ),
  target: text(
    "Analysts: {grade} (n = {n}), mean target {target} ({upside}).",
    "애널리스트 {n}명 의견 {grade}, 평균 목표주가 {target}({upside}).",
    "Аналитики (n = {n}): {grade}, средняя цель {target} ({upside})."
  ),
  stockChange: text(
    "A close outside the 52-week range, or targets that are cut in a row, would change the picture.",
    "52주 범위를 벗어나거나 목표주가가 연달아 하향되면 그림이 달라집니다.",
    "Закрытие вне диапазона 52 недель или череда снижений целей изменят картину."
  ),
  stockWhy: text(
    "Where a share stands within its year shows the trend; the distance to the mean target shows how much hope is priced in.",
    "1년 범위 안의 위치는 추세를, 평균 목표주가와의 거리는 기대가 얼마나 반영됐는지를 보여 줍니다.",
    "Место в годовом диапазоне показывает тренд, расстояние до средней цели, сколько надежд уже в цене."
  ),
  grade: text(
    "Analysts rate {name} {grade}: mean target {target}, {upside} from {price}.",
    "{name} 투자의견은 {grade}, 평균 목표주가 {target}(현재가 {price} 대비 {upside})입니다.",
    "Аналитики по {name}: {grade}; средняя цель {target}, {upside} к {price}."
  ),
  targets: text(
    "Targets from {low} to {high}, {n} analysts.",
    "목표주가 범위 {low} ~ {high}, 애널리스트 {n}명.",
    "Цели от {low} до {high}, аналитиков {n}."
  ),
  counts: text(
    "Strong buy {sb}, buy {b}, hold {h}, sell {s}, strong sell {ss}.",
    "적극 매수 {sb}, 매수 {b}, 보유 {h}, 매도 {s}, 적극 매도 {ss}.",
    "Активно покупать {sb}, покупать {b}, держать {h}, продавать {s}, активно продавать {ss}."
  ),
  insiders: text(
    "{name} insiders, open market over {days} days: net {net}.",
    "{name} 내부자 최근 {days}일 장내 순매매: {net}.",
    "Инсайдеры {name} на открытом рынке за {days} дн.: нетто {net}."
  ),
  insiderSums: text(
    "Bought {bought}, sold {sold}; {buyers} buying, {sellers} selling.",
    "매수 {bought}, 매도 {sold}, 매수자 {buyers}명, 매도자 {sellers}명.",
    "Купили на {bought}, продали на {sold}; покупателей {buyers}, продавцов {sellers}."
  ),
  insiderLast: text(
    "{date}: {name} ({role}), {usd}.",
    "{date}: {name}({role}), {usd}.",
    "{date}: {name} ({role}), {usd}."
  ),
  insiderChange: text(
    "Sales are often planned for taxes; several insiders buying at once is the rarer and stronger sign.",
    "매도는 세금 등 계획된 경우가 많고, 여러 내부자의 동시 매수가 드물지만 더 강한 신호입니다.",
    "Продажи часто плановые; одновременные покупки нескольких инсайдеров реже и сильнее."
  ),
  options: text(
    "{name} options: 30-day implied volatility {iv}, expected move {move} to {expiry}.",
    "{name} 옵션: 30일 내재 변동성 {iv}, {expiry}까지 예상 변동폭 {move}.",
    "Опционы {name}: подразумеваемая волатильность на 30 дней {iv}, ожидаемое движение {move} к {expiry}."
  ),
  optionRows: text(
    "Max pain {pain}, put/call {pcr}, skew {skew} points; spot {spot}.",
    "맥스페인 {pain}, 풋/콜 {pcr}, 스큐 {skew}포인트, 현물 {spot}.",
    "Max pain {pain}, пут/колл {pcr}, скос {skew} п.; спот {spot}."
  ),
  gamma: text(
    "Gamma {gex} per 1%, flips at {flip}.",
    "감마 1%당 {gex}, 전환점 {flip}.",
    "Гамма {gex} на 1%, смена знака на {flip}."
  ),
  realised: text(
    "Realised {realised}; implied is now above the realised volatility of {percentile} % of the last {n} sessions.",
    "실현 변동성은 {realised}입니다. 지금의 내재 변동성은 최근 {n}거래일 가운데 {percentile}%의 실현 변동성보다 높습니다.",
    "Реализованная {realised}; нынешняя подразумеваемая выше, чем реализованная в {percentile} % последних сессий (всего {n})."
  ),
  optionsChange: text(
    "Realised volatility above implied would make buying options pay.",
    "실현 변동성이 내재를 넘으면 옵션 매수가 유리해집니다.",
    "Реализованная выше подразумеваемой сделает покупку опционов выгодной."
  )
}

const asksCheaper = rule(
  "cheaper|cheapest|dearer|p/?e|valuation|expensive",
  "싸|비싸|저렴|per(?![a-z])|밸류",
  "дешев|дороже|p/?e|мультипликатор|оценен"
)

const mostShares = 4

const sharesOf = ({ stocks }: Reading): ReadonlyArray<Stock> =>
  stocks.filter(({ market }) => market === "us").slice(0, mostShares)

const othersOf = (reading: Reading): ReadonlyArray<Stock> => sharesOf(reading).slice(1)

const sideBySide = (reading: Reading, found: Findings, { format, lang, say }: Desk): Section => {
  const [first = null, ...others] = sharesOf(reading).map(({ name, symbol }) => {
    const data = found.of("get_us_stock", { symbol })
    return say(said.other, {
      name: lang === "ko" ? name : data.str("name") ?? name,
      symbol,
      price: format.usd(data.num("price")),
      change: format.change(data.num("change_pct")),
      cap: format.bigUsd(data.num("market_cap_usd")),
      pe: format.fixed(data.num("pe"), 1)
    })
  })
  const dearest = sharesOf(reading).flatMap((stock) => {
    const pe = found.of("get_us_stock", { symbol: stock.symbol }).num("pe")
    return pe === null || pe <= 0 ? [] : [{ name: stock.name, pe }]
  }).toSorted((a, b) => a.pe - b.pe)
  const [low] = dearest
  const high = dearest.at(-1)
  const cheaper = asksCheaper.test(reading.words) && dearest.length > 1
    ? say(said.cheaper, {
      name: low?.name ?? null,
      pe: format.fixed(low?.pe ?? null, 1),
      other: high?.name ?? null,
      otherPe: format.fixed(high?.pe ?? null, 1)
    })
    : null
  if (cheaper !== null) {
    return {
      verdict: cheaper,
      evidence: [first, ...others],
      change: say(said.cheaperChange, {}),
      why: say(said.stockWhy, {})
    }
  }
  return { verdict: first, evidence: others, change: say(said.stockChange, {}), why: say(said.stockWhy, {}) }
}

export const usStock: Intent = {
  name: "usStock",
  reads: [quote],
  general: true,
  asked: named,
  over: ["price", "trend"],
  plan: (reading) => {
    const symbol = symbolOf(reading)
    const others = othersOf(reading)
    return [
      ask("get_us_stock", { symbol }),
      ...others.map(({ symbol }) => ask("get_us_stock", { symbol })),
      ...(others.length === 0 ? [ask("get_us_analyst_ratings", { symbol })] : [])
    ]
  },
  write: (reading, found, desk) => {
    const { format, lang, say } = desk
    const symbol = symbolOf(reading)
    if (othersOf(reading).length > 0) return sideBySide(reading, found, desk)
    const data = found.of("get_us_stock", { symbol })
    const ratings = found.of("get_us_analyst_ratings", { symbol })
    const cap = format.bigUsd(data.num("market_cap_usd"))
    return {
      verdict: say(said.stock, {
        name: lang === "ko" ? nameOf(reading) : data.str("name") ?? nameOf(reading),
        symbol,
        price: format.usd(data.num("price")),
        change: format.change(data.num("change_pct"))
      }),
      evidence: [
        say(said.range, {
          low: format.usd(data.num("range_52w.low")),
          high: format.usd(data.num("range_52w.high")),
          position: format.fixed(data.num("range_52w.position_pct"), 0)
        }),
        say(said.value, { cap, pe: format.fixed(data.num("pe"), 1) }) ?? say(said.cap, { cap }),
        say(said.session, { session: wordOf(lang, data.str("session")), volume: format.count(data.num("volume")) }),
        say(said.target, {
          grade: wordOf(lang, ratings.str("consensus.grade")),
          n: format.count(ratings.num("consensus.n")),
          target: format.usd(ratings.num("target.mean")),
          upside: format.change(ratings.num("target.upside_pct"))
        })
      ],
      change: say(said.stockChange, {}),
      why: say(said.stockWhy, {})
    }
  },
  next
}

export const usRatings: Intent = {
  name: "usRatings",
  reads: [rule("street|target|consensus|analysts?", "목표|컨센서스|애널리스트", "цел|аналитик|консенсус"), asksRatings],
  asked: (reading) => named(reading) && asksRatings.test(reading.words),
  over: ["price", "trend", "usStock"],
  plan: (reading) => [ask("get_us_analyst_ratings", { symbol: symbolOf(reading) })],
  write: (reading, found, { format, lang, say }) => {
    const data = found.of("get_us_analyst_ratings", { symbol: symbolOf(reading) })
    const count = (grade: string) => format.count(data.num(`consensus.counts.${grade}`))
    return {
      verdict: say(said.grade, {
        name: nameOf(reading),
        grade: wordOf(lang, data.str("consensus.grade")),
        target: format.usd(data.num("target.mean")),
        upside: format.change(data.num("target.upside_pct")),
        price: format.usd(data.num("target.price"))
      }),
      evidence: [
        say(said.targets, {
          low: format.usd(data.num("target.low")),
          high: format.usd(data.num("target.high")),
          n: format.count(data.num("consensus.n"))
        }),
        say(said.counts, {
          sb: count("strong_buy"),
          b: count("buy"),
          h: count("hold"),
          s: count("sell"),
          ss: count("strong_sell")
        })
      ],
      change: say(said.stockChange, {}),
      why: say(said.stockWhy, {})
    }
  },
  next
}

export const usInsiders: Intent = {
  name: "usInsiders",
  reads: [
    rule(
      "executives?|officers?|dump\\w*|shares?|trades?|buy\\w*|sell\\w*",
      "임원|주식|팔|사|매도|매수",
      "прода|покупа|директор|акци"
    ),
    asksInsiders
  ],
  spans: true,
  asked: (reading) => named(reading) && asksInsiders.test(reading.words),
  over: ["price", "trend", "usStock"],
  plan: (reading) => [ask("get_us_insider_trades", { symbol: symbolOf(reading), days: insiderDays })],
  write: (reading, found, { format, say }) => {
    const data = found.of("get_us_insider_trades", { symbol: symbolOf(reading) })
    return {
      verdict: say(said.insiders, {
        name: nameOf(reading),
        days: format.count(insiderDays),
        net: format.bigUsd(data.num("net_usd"))
      }),
      evidence: [
        say(said.insiderSums, {
          bought: format.bigUsd(data.num("bought_usd")),
          sold: format.bigUsd(data.num("sold_usd")),
          buyers: format.count(data.num("insiders_buying")),
          sellers: format.count(data.num("insiders_selling"))
        }),
        ...data.list("trades").slice(-2).map((trade) =>
          say(said.insiderLast, {
            date: format.date(trade.str("date")),
            name: trade.str("name"),
            role: trade.str("role"),
            usd: format.bigUsd(trade.num("usd"))
          })
        )
      ],
      change: say(said.insiderChange, {})
    }
  },
  next
}

export const usOptions: Intent = {
  name: "usOptions",
  reads: [rule("move|implied|volatility|expected", "예상|변동폭|변동성", "движени|ход|волатильн|ожида"), asksOptions],
  asked: (reading) => named(reading) && asksOptions.test(reading.words),
  over: ["price", "trend", "usStock"],
  plan: (reading) => [ask("get_us_options", { symbol: symbolOf(reading) })],
  write: (reading, found, { format, say }) => {
    const data = found.of("get_us_options", { symbol: symbolOf(reading) })
    return {
      verdict: say(said.options, {
        name: nameOf(reading),
        iv: format.percent(data.num("iv30_pct")),
        move: format.percent(data.num("expected_move_pct")),
        expiry: format.date(data.str("expiry"))
      }),
      evidence: [
        say(said.optionRows, {
          pain: format.usd(data.num("max_pain")),
          pcr: format.fixed(data.num("put_call_ratio"), 2),
          skew: format.signed2(data.num("skew_25d")),
          spot: format.usd(data.num("spot"))
        }),
        say(said.gamma, { gex: format.bigUsd(data.num("gex_usd_per_1pct")), flip: format.usd(data.num("gamma_flip")) }),
        say(said.realised, {
          realised: format.percent(data.num("realised_30d_pct")),
          percentile: format.fixed(data.num("iv30_percentile_of_realised"), 0),
          n: format.count(data.num("percentile_n"))
        })
      ],
      change: say(said.optionsChange, {})
    }
  },
  next
}
